"""The model of two beams as the flat parameters that the driver reads (docs/flat-parameters.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from phasewise.tables.declared import flat_of
from phasewise.workloads.collision.tables.beam import SHAPES, Beam, SecondPart
from phasewise.workloads.collision.tables.crab import CrabCavity
from phasewise.workloads.collision.tables.line import elements
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Optics
from phasewise.workloads.collision.tables.read_crab import place_of


def parameters(model: Collision) -> Iterator[tuple[str, Any]]:
    """Names and values; the elements of the arcs follow from several keys together."""
    for beam in model.beams:
        for name, value in flat_of(beam):
            yield f"beam.{beam.number}.{name}", value
        for name, value in _bunch(beam):
            yield f"beam.{beam.number}.{name}", value
        yield f"beam.{beam.number}.strong", beam.strong
        if beam.arc.momentum_aperture is not None:
            yield f"beam.{beam.number}.momentum_aperture", beam.arc.momentum_aperture
    yield "ip.count", len(model.ips)
    for k, ip in enumerate(model.ips):
        for name, value in flat_of(ip):
            if value is not None:
                yield f"ip.{k + 1}.{name}", value
        if ip.bhabha is not None:
            scattering = (ip.bhabha.least, ip.bhabha.beam_size, ip.bhabha.scale)
            yield f"ip.{k + 1}.bhabha", scattering
        yield f"ip.{k + 1}.separation", ip.separation
        yield f"ip.{k + 1}.separation_ramp", ip.separation_ramp
        for beam in model.beams:
            optics = beam.optics[k]
            for name, value in (*flat_of(optics), ("crab", optics.crab)):
                yield f"ip.{k + 1}.{name}.{beam.number}", value
            yield from _crabs(model, beam, k)
    yield from _lines(model)
    for name, value in flat_of(model.records):
        yield f"records.{name}", value


def _bunch(beam: Beam) -> Iterator[tuple[str, Any]]:
    """The bunch's distribution, its shape where it is no Gaussian, and its population's ramp."""
    drawn = "quiet" if beam.quiet else "gaussian"
    yield "distribution", drawn if beam.distribution in SHAPES else beam.distribution
    if beam.distribution not in ("gaussian", "quiet", "file"):
        yield from _shape(beam, "")
    if beam.second is not None:
        yield "second.share", beam.second.share
        yield "second.size", beam.second.size
        yield from _shape(beam.second, "second.")
    if (ramp := beam.population_ramp) is not None:
        rows = zip(ramp.turns, ramp.particles, strict=True)
        yield "population_ramp", tuple(value for row in rows for value in row)


def _shape(of: Beam | SecondPart, prefix: str) -> Iterator[tuple[str, Any]]:
    """The words and q of x, y and z. A hollow bunch is so in x and y."""
    hollow = of.distribution == "hollow"
    yield f"{prefix}shape", ("hollow", "hollow", "q-gaussian") if hollow else ("q-gaussian",) * 3
    yield f"{prefix}q", (0.0,) * 3 if of.distribution == "parabolic" else of.q


def _crabs(model: Collision, beam: Beam, ip: int) -> Iterator[tuple[str, Any]]:
    """Crab waist and crab cavities of a beam at a point, where it has any."""
    optics = beam.optics[ip]
    at, end = f"ip.{ip + 1}.", f".{beam.number}"
    if optics.crab_waist:
        yield f"{at}crab_waist{end}", optics.crab_waist
    if optics.crab_sextupoles is not None:
        both = (optics.crab_sextupoles.before, optics.crab_sextupoles.behind)
        places = [value for one in both for value in (*one.beta, *one.phase_advance)]
        yield f"{at}crab_sextupoles{end}", tuple(places)
    if optics.crab_cavities:
        yield f"{at}crab_cavities{end}.count", len(optics.crab_cavities)
    for k, cavity in enumerate(optics.crab_cavities, 1):
        for name, value in _cavity(cavity, optics, model.revolution_frequency(beam.number)):
            yield f"{at}crab_cavities{end}.{k}.{name}", value


def _cavity(
    cavity: CrabCavity, optics: Optics, revolution_frequency: float | None
) -> Iterator[tuple[str, Any]]:
    yield "side", cavity.side
    yield "noise_of", "both" if cavity.common_noise else "each"
    yield "frequency", cavity.frequency
    yield "phase", cavity.phase
    if cavity.strength is not None:
        yield "strength", cavity.strength
    if cavity.voltage is not None:
        yield "voltage", cavity.voltage
    if cavity.has_place:
        yield "place", place_of(cavity, optics.beta)
    yield "noise", (cavity.phase_noise, cavity.amplitude_noise)
    spectra = (cavity.phase_spectrum, cavity.amplitude_spectrum)
    for name, rows in zip(("phase_spectrum", "amplitude_spectrum"), spectra, strict=True):
        if rows:
            yield name, tuple(value for row in rows for value in row)
    if any(spectra):
        yield "revolution_frequency", revolution_frequency
    if cavity.drift is not None:
        yield "drift", (cavity.drift.phase, cavity.drift.amplitude, *cavity.drift.turns)


def _lines(model: Collision) -> Iterator[tuple[str, Any]]:
    for beam in model.beams:
        for segment in range(1, len(model.ips) + 1):
            line = f"line.{beam.number}.{segment}"
            contents = elements(model, beam, segment)
            yield f"{line}.count", len(contents)
            for k, element in enumerate(contents, 1):
                yield f"{line}.{k}.element", element.name
                for name, value in element.values.items():
                    yield f"{line}.{k}.{name}", value

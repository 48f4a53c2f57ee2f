"""A Study as the flat text that the driver reads: one ``key = value`` per line
(docs/architecture.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from phasewise.study.line import elements
from phasewise.study.model import Beam, InteractionPoint, Study


def parameters(study: Study) -> str:
    """The canonical parameter text: the same study always gives the same bytes."""
    return "".join(f"{key} = {_text(value)}\n" for key, value in _pairs(study))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, tuple):
        return " ".join(_text(v) for v in value)
    return repr(value) if isinstance(value, float) else str(value)


def _pairs(study: Study) -> Iterator[tuple[str, Any]]:
    yield "turns", study.turns
    yield "seed", study.seed
    for beam in study.beams:
        for key, value in _beam(beam):
            yield f"beam.{beam.number}.{key}", value
    yield "ip.count", len(study.ips)
    for k, ip in enumerate(study.ips):
        for key, value in _ip(ip):
            yield f"ip.{k + 1}.{key}", value
        for beam in study.beams:
            optics = beam.optics[k]
            for name in ("beta", "alpha", "dispersion", "crab"):
                yield f"ip.{k + 1}.{name}.{beam.number}", getattr(optics, name)
    for beam in study.beams:
        for segment in range(1, len(study.ips) + 1):
            line = f"line.{beam.number}.{segment}"
            contents = elements(study, beam, segment)
            yield f"{line}.count", len(contents)
            for k, element in enumerate(contents, 1):
                yield f"{line}.{k}.element", element.name
                for key, value in element.values.items():
                    yield f"{line}.{k}.{key}", value
    yield "records.moments_order", study.records.moments_order
    yield "records.tracked", study.records.tracked
    yield "records.slices_every", study.records.slices_every
    for key, value in study.communication.flat():
        yield f"communication.{key}", value


def _beam(beam: Beam) -> Iterator[tuple[str, Any]]:
    yield "charge", beam.charge
    yield "mass", beam.mass
    yield "energy", beam.energy
    yield "population", beam.bunch_population
    yield "macroparticles", max(beam.macroparticles, 1)  # a strong beam may leave it out
    yield "distribution", beam.distribution
    yield "geometric_emittance", beam.geometric_emittance
    yield "bunch_length", beam.bunch_length
    yield "momentum_spread", beam.momentum_spread
    yield "cut", beam.cut
    yield "offset", beam.offset
    yield "mismatch", beam.mismatch
    yield "strong", beam.strong


def _ip(ip: InteractionPoint) -> Iterator[tuple[str, Any]]:
    yield "model", ip.model
    yield "half_crossing_angle", ip.half_crossing_angle
    yield "crossing_plane", ip.crossing_plane
    yield "separation", ip.separation
    yield "separation_ramp", ip.separation_ramp
    yield "grid", ip.grid
    yield "slices", ip.slices
    yield "slicing", ip.slicing
    yield "slice_extent", ip.slice_extent
    yield "weighting", ip.weighting
    yield "interpolation", ip.interpolation
    yield "longitudinal_kick", ip.longitudinal_kick
    yield "mesh", ip.mesh
    yield "mesh_extent", ip.mesh_extent
    yield "mesh_half_width", ip.mesh_half_width or (0.0, 0.0)
    yield "luminosity", ip.luminosity
    yield "green_function", ip.green_function

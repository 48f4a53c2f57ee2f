"""What follows from a study before it runs: sizes, tune shifts, luminosity, memory and time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from phasewise.constants import ELEMENTARY_CHARGE
from phasewise.workloads.collision.derived.advice import advice
from phasewise.workloads.collision.derived.beam_beam import (
    disruption,
    effective_parameters,
    head_on_parameters,
    met_sizes,
)
from phasewise.workloads.collision.derived.beamstrahlung import (
    DerivedBeamstrahlung,
    derived_beamstrahlung,
)
from phasewise.workloads.collision.derived.bhabha import bhabha_cross_section
from phasewise.workloads.collision.derived.bucket import Bucket, bucket
from phasewise.workloads.collision.derived.cost import memory_bytes, seconds_per_turn
from phasewise.workloads.collision.derived.crabs import (
    DerivedCrabWaist,
    crab_strength,
    crab_waves,
    derived_crab_waist,
)
from phasewise.workloads.collision.derived.design_mesh import shares_planes
from phasewise.workloads.collision.derived.overlap import Effects, luminosity
from phasewise.workloads.collision.derived.resolution import Resolution, resolution
from phasewise.workloads.collision.tables.longitudinal import synchrotron_tune
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Pair

PER_SQUARE_CENTIMETRE = 1e-4
"""m⁻² in cm⁻²."""


@dataclass(frozen=True)
class BeamBeamParameter:
    """ξ in x and y of one beam at each interaction point, and its sum over those that collide."""

    ips: tuple[Pair, ...]
    sum: Pair


@dataclass(frozen=True)
class BeamBeamParameters:
    """Beam-beam parameters: head-on, and with everything that the study says about how the bunches
    meet (`derived.beam_beam`).
    """

    head_on: BeamBeamParameter
    effective: BeamBeamParameter


@dataclass(frozen=True)
class DerivedBeam:
    """One beam's Lorentz factor, v/c, momentum [eV/c], emittances [m], frequencies [Hz]."""

    particle: str
    gamma: float
    beta: float
    momentum: float
    normalized_emittance: Pair
    geometric_emittance: Pair
    revolution_frequency: float | None
    tune: Pair | None
    synchrotron_tune: float
    bunch_current: float | None
    """[A]; None if the ring has no circumference."""
    xi: BeamBeamParameters
    bucket: Bucket | None
    """None without RF."""


@dataclass(frozen=True)
class DerivedCrab:
    """Crab cavities of one beam. strength: 1 compensates the crossing angle fully. frequency [Hz]:
    0 is linear in z. Of a list it is the sum of the strengths, and the frequency of the first.
    """

    strength: float
    frequency: float


@dataclass(frozen=True)
class DerivedCavity:
    """A crab cavity before the point: strength at the point, frequency [Hz], phase [turns]."""

    strength: float
    frequency: float
    phase: float


@dataclass(frozen=True)
class DerivedBeamAtPoint:
    """One beam at one interaction point: rms sizes [m], those that the opposing beam meets at the
    crossing angle, rms angles, head-on beam-beam parameters, effective ones and disruption
    parameters (`derived.beam_beam`).
    """

    size: Pair
    effective_size: Pair
    angle: Pair
    xi: Pair
    xi_effective: Pair
    disruption: Pair
    crab: DerivedCrab | None
    """None without crab cavities."""
    crab_cavities: tuple[DerivedCavity, ...]
    """Those of a list; empty without one."""


@dataclass(frozen=True)
class DerivedPoint:
    """One interaction point; luminosities per crossing in m⁻², per second in cm⁻² s⁻¹.

    The reductions multiply the head-on luminosity: each alone, and all together (with crab
    cavities and the separation at turn 0), which gives ``luminosity``.
    """

    beams: tuple[DerivedBeamAtPoint, DerivedBeamAtPoint]
    attractive: bool
    """Whether the charges are opposite; the beam-beam tune shift then is positive, and negative for
    like charges.
    """
    full_crossing_angle: float
    """rad."""
    crossing_plane: float
    """Azimuth [rad] of the plane of the crossing angle: 0 is horizontal."""
    piwinski_angle: float
    crab_waist: DerivedCrabWaist | None
    """None without one."""
    hourglass_reduction: float
    crossing_reduction: float
    reduction: float
    luminosity_head_on: float
    luminosity_crossing: float
    """Luminosity as reduced by the crossing angle alone."""
    luminosity: float
    luminosity_head_on_per_second: float | None
    luminosity_crossing_per_second: float | None
    luminosity_per_second: float | None
    beamstrahlung: DerivedBeamstrahlung | None
    """None if nobody radiates there."""
    shared_planes: bool
    """Whether neighbouring slices share the planes of the field between them."""
    bhabha_cross_section: float | None
    """Of the events that the study asks for [m²]; None if it does not."""


@dataclass(frozen=True)
class DerivedCollision:
    """What follows from a study; ``to_dict`` gives it as a dictionary that can be written as
    JSON.
    """

    beams: tuple[DerivedBeam, DerivedBeam]
    ips: tuple[DerivedPoint, ...]
    resolution: Resolution
    memory_bytes: float
    seconds_per_turn: float
    """Estimate for one processor core."""
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The quantities as nested dictionaries and lists."""
        return asdict(self)


def derive(model: Collision) -> DerivedCollision:
    """The derived quantities of ``model``."""
    radiation = derived_beamstrahlung(model)
    points = tuple(_point(model, k, radiation[k]) for k in range(len(model.ips)))
    beams = _beam(model, 1, points), _beam(model, 2, points)
    found = resolution(model)
    return DerivedCollision(
        beams=beams,
        ips=points,
        resolution=found,
        memory_bytes=memory_bytes(model),
        seconds_per_turn=seconds_per_turn(model),
        warnings=tuple(
            advice(
                model,
                [b.xi.effective.sum for b in beams],
                [b.bucket for b in beams],
                found,
                radiation,
            )
        ),
    )


def _beam(model: Collision, number: int, points: Sequence[DerivedPoint]) -> DerivedBeam:
    beam = model.beam(number)
    gamma_beta = beam.gamma * beam.beta
    x, y = beam.geometric_emittance
    frequency = model.revolution_frequency(number)
    return DerivedBeam(
        particle=beam.particle,
        gamma=beam.gamma,
        beta=beam.beta,
        momentum=gamma_beta * beam.mass,
        normalized_emittance=(x * gamma_beta, y * gamma_beta),
        geometric_emittance=beam.geometric_emittance,
        revolution_frequency=frequency,
        tune=beam.arc.tune,
        synchrotron_tune=synchrotron_tune(beam),
        bunch_current=bunch_current(beam.bunch_population, beam.charge, frequency),
        bucket=bucket(model, beam),
        xi=BeamBeamParameters(
            head_on=_over_points(model, [point.beams[number - 1].xi for point in points]),
            effective=_over_points(
                model, [point.beams[number - 1].xi_effective for point in points]
            ),
        ),
    )


def _over_points(model: Collision, xi: Sequence[Pair]) -> BeamBeamParameter:
    meeting = [own for own, ip in zip(xi, model.ips, strict=True) if ip.model != "none"]
    return BeamBeamParameter(tuple(xi), (sum(x for x, _ in meeting), sum(y for _, y in meeting)))


def bunch_current(population: float, charge: float, frequency: float | None) -> float | None:
    """Current [A] of ``population`` particles of ``charge`` [e] that pass ``frequency`` [Hz] times
    a second.
    """
    return None if frequency is None else population * abs(charge) * ELEMENTARY_CHARGE * frequency


def piwinski_angle(model: Collision, ip: int) -> float:
    """Φ = tan φ · σz/σ in the crossing plane, sizes of both beams added in squares."""
    point = model.ips[ip]
    squares = [sum(beam.size(ip)[plane] ** 2 for beam in model.beams) for plane in (0, 1)]
    alpha = point.crossing_plane
    across = math.cos(alpha) ** 2 * squares[0] + math.sin(alpha) ** 2 * squares[1]
    length = math.hypot(*(beam.bunch_length for beam in model.beams))
    return math.tan(point.half_crossing_angle) * length / math.sqrt(across)


def _at(model: Collision, ip: int, number: int) -> DerivedBeamAtPoint:
    beam = model.beam(number)
    waves = crab_waves(model, beam, ip)
    return DerivedBeamAtPoint(
        size=beam.size(ip),
        effective_size=met_sizes(model, number, ip)[:2],
        angle=(beam.rms(ip)[1], beam.rms(ip)[3]),
        xi=head_on_parameters(model, number, ip),
        xi_effective=effective_parameters(model, number, ip),
        disruption=disruption(model, number, ip),
        crab=DerivedCrab(crab_strength(waves), waves[0][1]) if waves else None,
        crab_cavities=tuple(DerivedCavity(*w) for w in waves if beam.optics[ip].crab_cavities),
    )


def _point(model: Collision, ip: int, beamstrahlung: DerivedBeamstrahlung | None) -> DerivedPoint:
    head_on = luminosity(model, ip, Effects(False, False, False, False))
    hourglass = luminosity(model, ip, Effects(True, False, False, False))
    crossing = luminosity(model, ip, Effects(False, True, False, False))
    full = luminosity(model, ip, Effects())
    point = model.ips[ip]
    at = [_at(model, ip, number) for number in (1, 2)]
    frequency = model.revolution_frequency(1)
    rate = None
    if model.bunches is not None and frequency is not None:
        rate = model.bunches * frequency * PER_SQUARE_CENTIMETRE
    return DerivedPoint(
        beams=(at[0], at[1]),
        attractive=model.beams[0].charge * model.beams[1].charge < 0,
        full_crossing_angle=2 * point.half_crossing_angle,
        crossing_plane=point.crossing_plane,
        piwinski_angle=piwinski_angle(model, ip),
        crab_waist=derived_crab_waist(model, ip),
        hourglass_reduction=hourglass / head_on,
        crossing_reduction=crossing / head_on,
        reduction=full / head_on,
        luminosity_head_on=head_on,
        luminosity_crossing=crossing,
        luminosity=full,
        luminosity_head_on_per_second=None if rate is None else head_on * rate,
        luminosity_crossing_per_second=None if rate is None else crossing * rate,
        luminosity_per_second=None if rate is None else full * rate,
        beamstrahlung=beamstrahlung,
        shared_planes=shares_planes(model, ip),
        bhabha_cross_section=bhabha_cross_section(model, ip),
    )

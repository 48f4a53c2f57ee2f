"""What follows from a study before it runs: sizes, tune shifts, luminosity, memory and time."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from phasewise.constants import ELEMENTARY_CHARGE, classical_radius
from phasewise.workloads.collision.derived.advice import advice
from phasewise.workloads.collision.derived.cost import memory_bytes, seconds_per_turn
from phasewise.workloads.collision.derived.overlap import Effects, luminosity
from phasewise.workloads.collision.tables.longitudinal import synchrotron_tune
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Pair

PER_SQUARE_CENTIMETRE = 1e-4
"""m⁻² in cm⁻²."""


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
    """A, where the ring has a circumference."""


@dataclass(frozen=True)
class DerivedBeamAtPoint:
    """One beam at one interaction point: rms sizes [m], rms angles, beam-beam parameters."""

    size: Pair
    angle: Pair
    xi: Pair


@dataclass(frozen=True)
class DerivedPoint:
    """One interaction point; luminosities per crossing in m⁻², per second in cm⁻² s⁻¹.

    The reductions multiply the head-on luminosity: each alone, and all together (with crab
    cavities and the separation at turn 0), which gives ``luminosity``.
    """

    beams: tuple[DerivedBeamAtPoint, DerivedBeamAtPoint]
    attractive: bool
    """Opposite charges, whose beam-beam tune shift is positive; negative for like charges."""
    piwinski_angle: float
    hourglass_reduction: float
    crossing_reduction: float
    reduction: float
    luminosity_head_on: float
    luminosity_crossing: float
    """With the crossing angle alone."""
    luminosity: float
    luminosity_head_on_per_second: float | None
    luminosity_crossing_per_second: float | None
    luminosity_per_second: float | None


@dataclass(frozen=True)
class DerivedCollision:
    """What follows from a study; ``to_dict`` gives it as JSON can hold it."""

    beams: tuple[DerivedBeam, DerivedBeam]
    ips: tuple[DerivedPoint, ...]
    memory_bytes: float
    seconds_per_turn: float
    """Estimate for one processor core."""
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """As nested dictionaries and lists."""
        return asdict(self)


def derive(model: Collision) -> DerivedCollision:
    """The derived quantities of ``model``."""
    points = tuple(_point(model, k) for k in range(len(model.ips)))
    xi = [tuple(at.xi for at in point.beams) for point in points]
    return DerivedCollision(
        beams=(_beam(model, 1), _beam(model, 2)),
        ips=points,
        memory_bytes=memory_bytes(model),
        seconds_per_turn=seconds_per_turn(model),
        warnings=tuple(advice(model, xi)),
    )


def _beam(model: Collision, number: int) -> DerivedBeam:
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
    )


def bunch_current(population: float, charge: float, frequency: float | None) -> float | None:
    """Current [A] of ``population`` particles of ``charge`` [e] that pass ``frequency`` [Hz] times
    a second.
    """
    return None if frequency is None else population * abs(charge) * ELEMENTARY_CHARGE * frequency


def beam_beam_parameters(model: Collision, number: int, ip: int) -> Pair:
    """Beam-beam parameters of beam ``number`` at interaction point ``ip`` (from 0), both positive.

    ξx = N r0 |q q'| βx / (2πγ σx (σx + σy)), with β and γ of the beam itself and N and σ of the
    opposing one, head-on and without separation. r0 is the classical radius of the beam's own
    particle. The tune shift of small amplitudes is +ξ for opposite charges and -ξ for like ones.
    """
    own, other = model.beam(number), model.beam(3 - number)
    strength = other.bunch_population * classical_radius(own.mass) * abs(own.charge * other.charge)
    sx, sy = other.size(ip)
    bx, by = own.optics[ip].beta
    common = strength / (2 * math.pi * own.gamma * (sx + sy))
    return (common * bx / sx, common * by / sy)


def piwinski_angle(model: Collision, ip: int) -> float:
    """Φ = tan φ · σz/σ in the crossing plane, sizes of both beams added in squares."""
    point = model.ips[ip]
    squares = [sum(beam.size(ip)[plane] ** 2 for beam in model.beams) for plane in (0, 1)]
    alpha = point.crossing_plane
    across = math.cos(alpha) ** 2 * squares[0] + math.sin(alpha) ** 2 * squares[1]
    length = math.hypot(*(beam.bunch_length for beam in model.beams))
    return math.tan(point.half_crossing_angle) * length / math.sqrt(across)


def _point(model: Collision, ip: int) -> DerivedPoint:
    head_on = luminosity(model, ip, Effects(False, False, False, False))
    hourglass = luminosity(model, ip, Effects(True, False, False, False))
    crossing = luminosity(model, ip, Effects(False, True, False, False))
    full = luminosity(model, ip, Effects())
    at = [
        DerivedBeamAtPoint(
            size=beam.size(ip),
            angle=(beam.rms(ip)[1], beam.rms(ip)[3]),
            xi=beam_beam_parameters(model, beam.number, ip),
        )
        for beam in model.beams
    ]
    frequency = model.revolution_frequency(1)
    rate = None
    if model.bunches is not None and frequency is not None:
        rate = model.bunches * frequency * PER_SQUARE_CENTIMETRE
    return DerivedPoint(
        beams=(at[0], at[1]),
        attractive=model.beams[0].charge * model.beams[1].charge < 0,
        piwinski_angle=piwinski_angle(model, ip),
        hourglass_reduction=hourglass / head_on,
        crossing_reduction=crossing / head_on,
        reduction=full / head_on,
        luminosity_head_on=head_on,
        luminosity_crossing=crossing,
        luminosity=full,
        luminosity_head_on_per_second=None if rate is None else head_on * rate,
        luminosity_crossing_per_second=None if rate is None else crossing * rate,
        luminosity_per_second=None if rate is None else full * rate,
    )

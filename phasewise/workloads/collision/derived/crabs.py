"""Crab cavities and crab waists of the beams at an interaction point."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.constants import SPEED_OF_LIGHT
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.crab import CrabCavity, Sextupole
from phasewise.workloads.collision.tables.model import Collision

Array = NDArray[np.float64]

Wave = tuple[float, float, float]
"""Strength, frequency [Hz] and phase [turns] of a cavity before an interaction point."""


def crab_waves(model: Collision, beam: Beam, ip: int) -> tuple[Wave, ...]:
    """The cavities before interaction point ``ip`` (from 0), by what they do at the point."""
    optics = beam.optics[ip]
    strength, frequency = optics.crab
    if strength:
        return ((strength, frequency, 0.0),)
    return tuple(
        (_strength(cavity, model, beam, ip), cavity.frequency, cavity.phase)
        for cavity in optics.crab_cavities
        if cavity.side != "behind"
    )


def _strength(cavity: CrabCavity, model: Collision, beam: Beam, ip: int) -> float:
    """Share of the angle that a cavity compensates: V k sqrt(βc β*) sin 2πμ |q|/(β² E tan φ)."""
    if cavity.strength is not None:
        return cavity.strength
    point, optics = model.ips[ip], beam.optics[ip]
    if cavity.voltage is None or cavity.beta is None or point.half_crossing_angle == 0:
        return 0.0
    plane = 0 if abs(math.cos(point.crossing_plane)) >= abs(math.sin(point.crossing_plane)) else 1
    turned = math.sin(2 * math.pi * cavity.advance[plane])
    arm = math.sqrt(cavity.beta[plane] * optics.beta[plane]) * turned
    kick = abs(beam.charge) * cavity.voltage / (beam.beta**2 * beam.energy)
    k = 2 * math.pi * cavity.frequency / SPEED_OF_LIGHT
    return kick * k * arm / math.tan(point.half_crossing_angle)


def crab_shift(z: Array, waves: Iterable[Wave]) -> Array:
    """z minus what crab cavities take off: z - Σ s sin(kz + φ)/k, and sz of one at frequency 0."""
    left = np.asarray(z)
    for strength, frequency, phase in waves:
        k = 2 * math.pi * frequency / SPEED_OF_LIGHT
        taken = np.sin(k * z + 2 * math.pi * phase) / k if k else z
        left = left - strength * taken
    return left


def crab_strength(waves: Iterable[Wave]) -> float:
    """Share of the crossing angle that cavities take off at the bunch's centre."""
    return sum(s * math.cos(2 * math.pi * phase) for s, _, phase in waves)


@dataclass(frozen=True)
class DerivedCrabWaist:
    """The crab waists of both beams at a point: `strength` χ, `slope` k, by which the waist of a
    particle at x lies at s = -kx, and the integrated strengths K2L [1/m²] of the sextupoles before
    and behind the point; None where they are a thin pair at the point.
    """

    strength: tuple[float, float]
    slope: tuple[float, float]
    sextupoles: tuple[tuple[float, float] | None, tuple[float, float] | None]


def derived_crab_waist(model: Collision, ip: int) -> DerivedCrabWaist | None:
    """The crab waists at interaction point ``ip`` (from 0); None without any."""
    if not any(beam.optics[ip].crab_waist for beam in model.beams):
        return None
    one, two = model.beams
    return DerivedCrabWaist(
        strength=(one.optics[ip].crab_waist, two.optics[ip].crab_waist),
        slope=(waist_slope(model, one, ip), waist_slope(model, two, ip)),
        sextupoles=(_sextupoles(model, one, ip), _sextupoles(model, two, ip)),
    )


def waist_slope(model: Collision, beam: Beam, ip: int) -> float:
    """k of a beam: χ/tan 2φ, or what its sextupoles make of it; 0 without a crab waist."""
    waist, sextupoles = beam.optics[ip].crab_waist, beam.optics[ip].crab_sextupoles
    if not waist:
        return 0.0
    angle = 2 * model.ips[ip].half_crossing_angle
    if sextupoles is None:
        return waist / math.tan(angle)
    x, y = (2 * math.pi * phase for phase in sextupoles.before.phase_advance)
    return waist / angle * abs(math.cos(x)) * math.sin(y) ** 2


def _sextupoles(model: Collision, beam: Beam, ip: int) -> tuple[float, float] | None:
    sextupoles = beam.optics[ip].crab_sextupoles
    if sextupoles is None:
        return None
    before, behind = sextupoles.before, sextupoles.behind
    return _k2l(model, beam, ip, before, 1), _k2l(model, beam, ip, behind, -1)


def _k2l(model: Collision, beam: Beam, ip: int, at: Sextupole, sign: int) -> float:
    """K2L = χ/(2φ β*y βy) sqrt(β*x/βx), with the sign that turns the waist the right way: the other
    one where the beams move towards -x.
    """
    optics, angle = beam.optics[ip], 2 * model.ips[ip].half_crossing_angle
    if math.cos(2 * math.pi * at.phase_advance[0]) > 0:
        sign = -sign
    if math.cos(model.ips[ip].crossing_plane) < 0:
        sign = -sign
    root = math.sqrt(optics.beta[0] / at.beta[0])
    return sign * optics.crab_waist * root / (angle * optics.beta[1] * at.beta[1])

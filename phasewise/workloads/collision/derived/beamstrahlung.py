"""Beamstrahlung of Gaussian bunches that stay as they are during a collision, and the bunch length
and momentum spread that it leads to.

A particle at z of its bunch meets the slice at z' of the other one, of density g(z'), at S =
(z - z')/2 from the interaction point, and is bent there by

    1/ρ = 2 g(z') θ,   θ = (2 N r/γ) |q q'| |E(x, y)|

with the field E of a Gaussian of unit charge with the sizes that the other bunch has there. The
rates of `photon_spectrum` are averaged over the particles of the bunch by Gauss's rules: z, x and y
of the particle where it is met, and z'. In equilibrium, with a damping time of τ turns of the
amplitude and n_IP collisions a turn (K. Ohmi, F. Zimmermann, IPAC'14, THPRI004),

    σδ² = σδ0² + τ n_IP ⟨Σu²⟩/4,   σz = σz0 σδ/σδ0,

where ⟨Σu²⟩, the sum over the photons of a collision, follows from the bunch lengths.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.constants import classical_radius
from phasewise.workloads.collision.derived.crabs import crab_shift, crab_strength, crab_waves
from phasewise.workloads.collision.derived.overlap import square_sizes
from phasewise.workloads.collision.derived.photon_spectrum import FINE_STRUCTURE, quantum_means
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Pair

Array = NDArray[np.float64]

TRANSVERSE, OWN, OPPOSING = 10, 12, 24
"""Nodes of the rules in x and in y on each side of the other bunch's axis, where |E| has a kink; in
z of the particle; and in z' of the slices that it meets.
"""

REACH = 6.0
"""Rms of x, y and z' that are integrated over."""

ROUND = 1e-3
"""Relative difference of the sizes below which a beam is taken to be as flat as this."""

ITERATIONS = 100
CLOSE = 1e-5
"""Relative change of the bunch lengths at which their equilibrium is found."""


Widths = Callable[[Array], tuple[Array, Array]]
"""What σx² and σy² are multiplied by at places z [m] of a bunch."""


def same_width(z: Array) -> tuple[Array, Array]:
    """The widths of a bunch whose sizes do not depend on z."""
    return np.ones_like(z), np.ones_like(z)


EVEN: tuple[Widths, Widths] = (same_width, same_width)
"""Of both bunches."""


@dataclass(frozen=True)
class Passage:
    """Per particle and collision: photons, ∫u, ∫u² over them, and the largest Υ."""

    photons: float
    loss: float
    square: float
    upsilon: float


@dataclass(frozen=True)
class Equilibrium:
    """Bunch lengths [m] and momentum spreads of both beams; as they are without radiation where the
    beam has no damping or is strong.
    """

    bunch_length: Pair
    momentum_spread: Pair


@dataclass(frozen=True)
class DerivedBeamstrahlung:
    """Beamstrahlung at one interaction point, of both beams: largest Υ, photons and relative energy
    loss per particle and collision, with the bunch lengths of the study; and the equilibrium over
    all points.
    """

    upsilon: Pair
    photons: Pair
    loss: Pair
    equilibrium: Equilibrium


def derived_beamstrahlung(model: Collision) -> list[DerivedBeamstrahlung | None]:
    """One for each interaction point; None where nobody radiates."""
    if not any(ip.radiates for ip in model.ips):
        return [None] * len(model.ips)
    passages = _Passages()
    state = _equilibrium(model, passages)
    found: list[DerivedBeamstrahlung | None] = []
    for k, ip in enumerate(model.ips):
        if not ip.radiates:
            found.append(None)
            continue
        one, two = (passages.of(model, number, k) for number in (1, 2))
        found.append(
            DerivedBeamstrahlung(
                upsilon=(one.upsilon, two.upsilon),
                photons=(one.photons, two.photons),
                loss=(one.loss, two.loss),
                equilibrium=state,
            )
        )
    return found


def equilibrium(model: Collision) -> Equilibrium:
    """Bunch lengths and momentum spreads in equilibrium."""
    return _equilibrium(model, _Passages())


class _Passages:
    """Passages that are computed once, however many points and beams are alike."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Passage] = {}

    def of(self, model: Collision, number: int, ip: int) -> Passage:
        point = model.ips[ip]
        sign = 1 if number == 1 else -1
        apart = tuple(sign * value for value in point.separation[:2])
        key = (
            *(_known_by(model.beam(n), ip) for n in (number, 3 - number)),
            (point.half_crossing_angle, point.crossing_plane, apart),
        )
        if key not in self._known:
            self._known[key] = passage(model, number, ip)
        return self._known[key]


def _known_by(beam: Beam, ip: int) -> tuple[Any, ...]:
    return (
        beam.mass,
        abs(beam.charge),
        beam.energy,
        beam.bunch_population,
        beam.geometric_emittance,
        beam.bunch_length,
        beam.momentum_spread,
        replace(beam.optics[ip], phase_advance=(0.0, 0.0)),
    )


def _equilibrium(model: Collision, passages: _Passages) -> Equilibrium:
    # A mean loss excites nothing.
    radiating = [
        k for k, ip in enumerate(model.ips) if ip.radiates and ip.beamstrahlung == "quantum"
    ]
    natural = [_natural(beam) for beam in model.beams]
    lengths = [length for length, _ in natural]
    spreads = [spread for _, spread in natural]
    for _ in range(ITERATIONS):
        now = _with_lengths(model, lengths)
        change = 0.0
        for index, beam in enumerate(model.beams):
            turns, (length, spread) = beam.arc.damping_turns[2], natural[index]
            if beam.strong or turns == 0 or spread == 0 or length == 0:
                continue
            added = turns / 4 * sum(passages.of(now, beam.number, k).square for k in radiating)
            spreads[index] = math.sqrt(spread**2 + added)
            ratio = length * spreads[index] / spread / lengths[index]
            change = max(change, abs(ratio - 1))
            # A longer bunch of both beams radiates less, with its inverse square: Newton's step.
            lengths[index] *= ratio ** (1 / (1 + added / spreads[index] ** 2))
        if change < CLOSE:
            break
    return Equilibrium((lengths[0], lengths[1]), (spreads[0], spreads[1]))


def _natural(beam: Beam) -> Pair:
    """Bunch length and momentum spread without beamstrahlung."""
    if beam.strong or beam.arc.damping_turns[2] == 0:
        return beam.bunch_length, beam.momentum_spread
    if not beam.arc.excitation:
        return 0.0, 0.0
    return beam.arc.equilibrium_bunch_length, beam.arc.equilibrium_momentum_spread


def _with_lengths(model: Collision, lengths: list[float]) -> Collision:
    one, two = (
        replace(beam, bunch_length=length)
        for beam, length in zip(model.beams, lengths, strict=True)
    )
    return replace(model, beams=(one, two))


def passage(
    model: Collision, number: int, ip: int, widths: tuple[Widths, Widths] = EVEN
) -> Passage:
    """What a particle of beam ``number`` radiates at interaction point ``ip`` (from 0); ``widths``
    are those of beams 1 and 2.
    """
    own = model.beam(number)
    radius, gamma = classical_radius(own.mass), own.gamma
    charge2 = own.charge**2
    wave = radius / FINE_STRUCTURE
    photons = loss = square = largest = 0.0
    for curvature, path, sharpest in bends(model, number, ip, widths):
        ratios = quantum_means(gamma**2 * wave * curvature)
        photons += float((path * curvature * ratios[0]).sum())
        loss += float((path * curvature**2 * ratios[1]).sum())
        square += float((path * curvature**3 * ratios[2]).sum())
        largest = max(largest, sharpest)
    return Passage(
        photons=photons * 2.5 / math.sqrt(3) * FINE_STRUCTURE * charge2 * gamma,
        loss=loss * 2 / 3 * radius * charge2 * gamma**3,
        square=square * 55 / (24 * math.sqrt(3)) * radius * charge2 * wave * gamma**5,
        upsilon=gamma**2 * wave * largest,
    )


def bends(
    model: Collision, number: int, ip: int, widths: tuple[Widths, Widths] = EVEN
) -> Iterator[tuple[Array, Array, float]]:
    """How a particle of beam ``number`` is bent at interaction point ``ip`` (from 0): curvatures
    1/ρ [1/m], the lengths [m] of path with each, on average over the beam, and the largest
    curvature. Each of the items is for one z of the particle.
    """
    own, other, point = model.beam(number), model.beam(3 - number), model.ips[ip]
    bend = 2 * other.bunch_population * classical_radius(own.mass) / own.gamma
    bend *= abs(own.charge * other.charge)
    length = max(other.bunch_length, 1e-300)
    peak = 1 / (math.sqrt(2 * math.pi) * length)
    # In the frame in which the beams meet head-on γ and the density are cos φ times as large.
    shorter = math.cos(point.half_crossing_angle) ** 2
    for z, weight in zip(*_hermite(OWN, own.bunch_length), strict=True):
        met, weight_z = _met(model, number, ip, float(z))
        density = shorter * peak * np.exp(-0.5 * (met / length) ** 2)
        s = (z - met) / (2 * shorter)
        own_x2, own_y2 = _wide(square_sizes(own, ip, s), widths[number - 1](np.asarray(z)))
        x2, y2 = _wide(square_sizes(other, ip, -s), widths[2 - number](met))
        dx, dy = _apart(model, number, ip, float(z), met)
        x, weight_x = _sides(dx, np.sqrt(own_x2))
        y, weight_y = _sides(dy, np.sqrt(own_y2))
        field = field_magnitude(x[:, None], y[None, :], np.sqrt(x2), np.sqrt(y2))
        path = weight_x[:, None] * weight_y[None, :] * (weight * weight_z / (2 * shorter))
        yield 2 * density * bend * field, path, float(field.max()) * 2 * shorter * peak * bend


def _wide(squares: tuple[Array, Array], factors: tuple[Array, Array]) -> tuple[Array, Array]:
    return squares[0] * factors[0], squares[1] * factors[1]


def _sides(offset: Array, rms: Array) -> tuple[Array, Array]:
    """(2n, m): places [m] on both sides of zero, and weights of the mean over Gaussians of these
    centres and rms, (m,) each.
    """
    nodes, weights = np.polynomial.legendre.leggauss(TRANSVERSE)
    places, found = [], []
    for side in (-1, 1):
        end = np.maximum(side * offset + REACH * rms, 0.0)
        start = np.maximum(side * offset - REACH * rms, 0.0)
        at = start + (nodes[:, None] + 1) / 2 * (end - start)
        places.append(side * at)
        gauss = np.exp(-0.5 * ((side * at - offset) / rms) ** 2) / (math.sqrt(2 * math.pi) * rms)
        found.append(weights[:, None] * (end - start) / 2 * gauss)
    return np.concatenate(places), np.concatenate(found)


def _hermite(count: int, rms: float) -> tuple[Array, Array]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return nodes * rms, weights / weights.sum()


def _met(model: Collision, number: int, ip: int, z: float) -> tuple[Array, Array]:
    """Places z' [m] of the slices that a particle at z meets, and the weights of an integral over
    them: where the bunches overlap, and within some rms.
    """
    own, other, point = model.beam(number), model.beam(3 - number), model.ips[ip]
    reach = REACH * other.bunch_length
    low, high = -reach, reach
    crabbed = any(crab_strength(crab_waves(model, beam, ip)) for beam in model.beams)
    if point.half_crossing_angle and not crabbed:
        alpha = point.crossing_plane
        across = [
            math.hypot(beam.size(ip)[0] * math.cos(alpha), beam.size(ip)[1] * math.sin(alpha))
            for beam in (own, other)
        ]
        extent = 10 * math.hypot(*across) / abs(math.tan(point.half_crossing_angle))
        low, high = max(low, z - extent), min(high, z + extent)
    if high <= low:
        return np.zeros(1), np.zeros(1)
    nodes, weights = np.polynomial.legendre.leggauss(OPPOSING)
    return low + (nodes + 1) / 2 * (high - low), weights * (high - low) / 2


def _apart(model: Collision, number: int, ip: int, z: float, behind: Array) -> tuple[Array, Array]:
    """The distance x, y [m] of the axis of beam ``number`` at z from that of the other at z'."""
    own, other, point = model.beam(number), model.beam(3 - number), model.ips[ip]
    along = crab_shift(np.full_like(behind, z), crab_waves(model, own, ip))
    met = crab_shift(behind, crab_waves(model, other, ip))
    sign = 1 if number == 1 else -1
    shift = (along - met) * math.tan(point.half_crossing_angle)
    return (
        sign * point.separation[0] + shift * math.cos(point.crossing_plane),
        sign * point.separation[1] + shift * math.sin(point.crossing_plane),
    )


def field_magnitude(x: Array, y: Array, sx: Array, sy: Array) -> Array:
    """The field [1/m] of an upright Gaussian of unit charge with rms sizes ``sx`` and ``sy``, far
    away 1/r (M. Bassetti, G. Erskine, CERN-ISR-TH/80-06).
    """
    from scipy.special import wofz

    wide = sx >= sy
    long, short = np.where(wide, sx, sy), np.where(wide, sy, sx)
    short = np.minimum(short, long * (1 - ROUND))
    u, v = np.abs(np.where(wide, x, y)), np.abs(np.where(wide, y, x))
    root = np.sqrt(2 * (long**2 - short**2))
    inner = np.exp(-0.5 * ((u / long) ** 2 + (v / short) ** 2))
    w = wofz((u + 1j * v) / root) - inner * wofz((u * short / long + 1j * v * long / short) / root)
    return np.asarray(math.sqrt(math.pi) / root * np.abs(w))

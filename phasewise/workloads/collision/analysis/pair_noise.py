"""Emittance growth by the noise of macroparticles, from the motion of pairs of them.

A macroparticle of beam 1 meets each of the N2 of beam 2 once a turn. If charges that are smeared
over a cell of the mesh kick each other by k E(r), the actions of the pair change by
g = k E·∂r/∂φ, each by its own phase φ. Along the unperturbed motion, with the distributions
exp(-J/ε), diffusion and the other beam's response to it make (second order in the kicks)

    dε1x/dn = N2/2 Σ_l ⟨g1x(0) [g1x/ε1x + g1y/ε1y + g2x/ε2x + g2y/ε2y](l)⟩,

the Landau collision integral in angle and action (J. Heyvaerts, MNRAS 407 (2010) 355, without its
dressing). Pairs that stay in step hand on action and keep its sum, so that the brackets cancel;
only resonances m·Q1 - m'·Q2 = integer, m ≠ m', of the kick's harmonics heat. The growth falls as
1/N and depends on tunes, tune spread and cell. The sum over l is the mean square of sums over many
turns, here of random pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from phasewise.workloads.collision.derived.crabs import Wave, crab_shift

Pair = tuple[float, float]
Array = NDArray[np.float64]
Phasors = NDArray[np.complex128]

PAIR_TURNS = 2**19
"""Pairs times turns: the growth of two like beams is then known to about a tenth."""

TURNS_TIMES_XI = 2.0
"""Turns, times ξ, over which the tune spread brings pairs out of step."""
LEAST_TURNS, MOST_TURNS = 128, 1024

NODES = 24
"""Gauss nodes of the detuning's integral, for 1e-3 of it at aspects up to 100."""

ROUND = 1e-2
"""Relative difference of two sizes below which the smeared charge counts as round."""


@dataclass(frozen=True)
class BeamAtPoint:
    """One beam at one interaction point.

    `kick` [m] is that of all N particles of the opposing bunch, Δp = kick · E for a unit charge's
    field E; `shift` the tune shift of small amplitudes, signed; `lens` the rms sizes [m] of the
    opposing bunch with its tilt, which determine the detuning with amplitude; `advance` [turns] the
    phase advance to the next point; `crab` the waves of its cavities.
    """

    beta: Pair
    alpha: Pair
    advance: Pair
    kick: float
    shift: Pair
    lens: Pair
    crab: tuple[Wave, ...]


@dataclass(frozen=True)
class NoisyPoint:
    """An interaction point: tan φ (cos α, sin α), separation [m], cells of the mesh [m]."""

    beams: tuple[BeamAtPoint, BeamAtPoint]
    tilt: Pair
    separation: Pair
    cell: Pair


@dataclass(frozen=True)
class NoisyBeam:
    """Emittances [m], bunch length [m], synchrotron tune, macroparticles."""

    emittance: Pair
    bunch_length: float
    synchrotron_tune: float
    macroparticles: int


Beams = tuple[NoisyBeam, NoisyBeam]


def noise_growth(
    beams: Beams, points: Sequence[NoisyPoint], pair_turns: int = PAIR_TURNS, seed: int = 1
) -> tuple[Array, Array]:
    """Relative growth per turn of the emittances, [beam][plane], from random pairs, and its
    standard error.

    Like beams get the same growth, the mean of both, which scatters less.
    """
    spread = max(max(abs(s) for s in at.shift) for point in points for at in point.beams)
    turns = int(np.clip(TURNS_TIMES_XI / spread, LEAST_TURNS, MOST_TURNS))
    pairs = _Pairs(beams, points, pair_turns // turns, np.random.default_rng(seed))
    for _ in range(turns):
        pairs.turn()
    of_beam = pairs.change.sum(axis=1)  # sums over both planes, relative to the emittances
    growth = np.empty_like(pairs.change)
    for b in (0, 1):
        # Each macroparticle of the other beam has the share 1/N of its charge.
        other, own = beams[1 - b].macroparticles, beams[b].macroparticles
        both = of_beam[b] / other + of_beam[1 - b] / own
        growth[b] = pairs.change[b] * both / (2 * turns)
    if beams[0] == beams[1] and all(point.beams[0] == point.beams[1] for point in points):
        growth[:] = growth.mean(axis=0)
    error = growth.std(axis=2) / math.sqrt(growth.shape[2])
    return np.asarray(growth.mean(axis=2)), np.asarray(error)


class _Pairs:
    """Random pairs on their way; `change` (beam, plane, pairs): sums of k E·∂r/∂φ over ε, for
    all charge in one macroparticle.
    """

    def __init__(
        self, beams: Beams, points: Sequence[NoisyPoint], pairs: int, rng: np.random.Generator
    ) -> None:
        self.beams, self.points = beams, points
        self.change = np.zeros((2, 2, pairs))
        self._transverse: list[Phasors] = []  # X + iP of each beam, (2, pairs) [m^½]
        self._along: list[Phasors] = []  # of z over its rms, (pairs,)
        self._advance: list[list[Phasors]] = []  # [point][beam]
        actions = []
        for beam in beams:
            action = rng.exponential(size=(2, pairs)) * np.array(beam.emittance)[:, None]
            phase = rng.uniform(0, 2 * np.pi, (2, pairs))
            self._transverse.append(np.sqrt(2 * action) * np.exp(1j * phase))
            self._along.append(rng.normal(size=pairs) + 1j * rng.normal(size=pairs))
            actions.append(action)
        for point in points:
            self._advance.append(
                [_rotation(at, action) for at, action in zip(point.beams, actions, strict=True)]
            )

    def turn(self) -> None:
        """One turn of every pair."""
        for point, advance in zip(self.points, self._advance, strict=True):
            self._meet(point)
            for phasor, factor in zip(self._transverse, advance, strict=True):
                phasor *= factor
        for beam, phasor in zip(self.beams, self._along, strict=True):
            phasor *= np.exp(2j * np.pi * beam.synchrotron_tune)

    def _meet(self, point: NoisyPoint) -> None:
        z = [p.real * b.bunch_length for p, b in zip(self._along, self.beams, strict=True)]
        left = [crab_shift(along, at.crab) for along, at in zip(z, point.beams, strict=True)]
        s = (z[0] - z[1]) / 2
        place, by_phase = zip(
            *(
                _at(phasor, at, way)
                for phasor, at, way in zip(self._transverse, point.beams, (s, -s), strict=True)
            ),
            strict=True,
        )
        x, y = (
            place[0][plane]
            - place[1][plane]
            + (left[0] - left[1]) * point.tilt[plane]
            + point.separation[plane]
            for plane in (0, 1)
        )
        field = np.stack(_smeared_field(x, y, point.cell))
        for b, (at, beam) in enumerate(zip(point.beams, self.beams, strict=True)):
            kick = at.kick * (1 if b == 0 else -1) / np.array(beam.emittance)[:, None]
            self.change[b] += kick * field * by_phase[b]


def _at(phasor: Phasors, at: BeamAtPoint, way: Array) -> tuple[Array, Array]:
    """x, y [m] after a drift by `way` [m] from the point, and their derivatives by the phases."""
    root, alpha = (np.array(value)[:, None] for value in (np.sqrt(at.beta), at.alpha))
    place, momentum = phasor.real, phasor.imag
    return (
        root * place + way * (momentum - alpha * place) / root,
        root * momentum - way * (place + alpha * momentum) / root,
    )


def _rotation(at: BeamAtPoint, action: Array) -> Phasors:
    """exp(-2πi Q) to the next point, with the detuning of these actions (2, pairs) [m]."""
    shift = np.array(at.shift)[:, None] * detuning(action, at.beta, at.lens)
    return np.asarray(np.exp(-2j * np.pi * (np.array(at.advance)[:, None] + shift)))


def detuning(action: Array, beta: Pair, lens: Pair) -> Array:
    """Tune shift by a Gaussian lens at actions (2, n) [m], relative to that of small amplitudes,
    (2, n).

    The phase average of the lens's potential, from u = -½ ∫ (1 - exp(-x²/A - y²/B)) / sqrt(AB) dq
    with A = 2σx² + q, B = 2σy² + q, has exp(-a) I0(a), a = Jβ/A, in place of exp(-x²/A).
    """
    from scipy.special import ive

    node, weight = np.polynomial.legendre.leggauss(NODES)
    root = (node + 1) / 2  # q = 2σ² (1/root² - 1), σ the smaller size
    q = 2 * min(lens) ** 2 * (1 / root**2 - 1)
    squares = [2 * size**2 + q for size in lens]
    common = weight / root**3 / np.sqrt(squares[0] * squares[1])
    found, whole = np.zeros_like(action), np.zeros((2, 1))
    for k in range(NODES):
        a = [action[plane] * beta[plane] / squares[plane][k] for plane in (0, 1)]
        zeroth, first = [ive(0, value) for value in a], [ive(1, value) for value in a]
        for plane in (0, 1):
            factor = common[k] / squares[plane][k]
            found[plane] += factor * (zeroth[plane] - first[plane]) * zeroth[1 - plane]
            whole[plane] += factor
    return np.asarray(found / whole)


def _smeared_field(x: Array, y: Array, cell: Pair) -> tuple[Array, Array]:
    """Field [1/m] of a unit charge as a mesh of these cells [m] shows it.

    Depositing with weights and reading with weights each smear it with the variance h²/6 (bilinear)
    or h²/4 (quadratic), the integrated Green function with h²/12, and the difference of neighbours
    (only where bilinear) with h²/3 in its own direction: 7h²/12, or that in the mean of both
    directions.
    """
    sx, sy = (math.sqrt(7 / 12) * h for h in cell)
    if abs(sx / sy - 1) < ROUND:
        square = np.maximum(x * x + y * y, 1e-30 * sx * sy)
        over = -np.expm1(-square / (2 * sx * sy)) / square
        return x * over, y * over
    found = import_module("phasewise._core").gaussian_field(x, y, sx, sy)
    return found[0], found[1]

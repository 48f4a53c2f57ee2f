"""Cross section of radiative Bhabha scattering for losses above a share of the energy.

G. Altarelli, F. Buccella, Nuovo Cimento 34 (1964) 1337, less the beam-size effect:

    dσ/dk = 4αr²/k (4/3 - 4k/3 + k²) [ln(4γ²(1 - k)/k) - 1/2 - L(k)],

γ² = γ1γ2 cos² φ in the frame in which the bunches meet head-on. A virtual photon of energy
ω_min/r, r in (0, 1) with the weight 1/(1 - k) + 1 - k - 4r(1 - r), has the flux (qb)² K1²(qb) db/b
at a distance b, 1/q = 4γ²(1 - k)ƛ r/k; L is what is missing of it where the densities of both
bunches together, of the rms sizes Σx and Σy, fall off with b. Averaged over the directions of b,

    L = ∫ x K1²(x) [1 - exp(-x²/2v²)] dx,   v = 2qΣxΣy/(Σx + Σy),

which is exact where v is small (G. Kotkin, V. Serbo, PRSTAB 7 (2004) 101001).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from phasewise.constants import classical_radius
from phasewise.workloads.collision.derived.overlap import square_tilt
from phasewise.workloads.collision.derived.photon_spectrum import FINE_STRUCTURE
from phasewise.workloads.collision.tables.model import Collision

Array = NDArray[np.float64]

NODES = 60
"""Nodes of Gauss's rules in ln k and in the cube root of r."""

LARGEST = 1 - 1e-9
"""Share of the energy up to which events are counted."""


def bhabha_cross_section(model: Collision, ip: int) -> float | None:
    """Cross section [m²] of the events that interaction point ``ip`` (from 0) asks for; None if it
    does not.
    """
    point = model.ips[ip]
    bhabha = point.bhabha
    if bhabha is None:
        return None
    one, two = model.beams
    x, y = (math.hypot(one.size(ip)[k], two.size(ip)[k]) for k in (0, 1))
    energies = one.gamma * two.gamma * math.cos(point.half_crossing_angle) ** 2
    size = 2 * x * y / (x + y) if bhabha.beam_size else math.inf
    return cross_section(energies, classical_radius(one.mass), bhabha.least, size)


def candidates(model: Collision, ip: int, number: int) -> float:
    """Candidates for an event that are drawn for a particle of beam ``number`` in a passage: at the
    largest density of the other bunch, by a bound of the cross section
    (`core/collision/radiation/scattering.hpp`); 0 without scattering.
    """
    point = model.ips[ip]
    own, other = model.beam(number), model.beam(3 - number)
    if point.bhabha is None or own.strong:
        return 0.0
    least, (x, y) = point.bhabha.least, other.size(ip)
    tilt = float(square_tilt(other, ip, np.zeros(1))[0])
    area = math.sqrt((x * y) ** 2 - tilt**2)
    ramp = other.population_ramp
    population = max((other.bunch_population, *(ramp.particles if ramp else ())))
    energies = own.gamma * other.gamma * math.cos(point.half_crossing_angle) ** 2
    bracket = math.log(4 * energies * (1 - least) / least) - 0.5
    radius = classical_radius(own.mass)
    bound = 4 * FINE_STRUCTURE * radius**2 * -math.log(least) * 4 / 3 * bracket
    return point.bhabha.scale * bound * population / (2 * math.pi * area)


def cross_section(energies: float, radius: float, least: float, size: float) -> float:
    """Cross section [m²] for losses above ``least``.

    energies: γ1γ2; radius: the classical one [m]; size: 2ΣxΣy/(Σx + Σy) [m], infinite without the
    beam-size effect.
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    low, high = math.log(least), math.log(LARGEST)
    k = np.exp(low + (nodes + 1) / 2 * (high - low))[:, None]
    root = (nodes + 1) / 2
    r, weight_r = root**3, weights / 2 * 3 * root**2
    spectrum = weight_r * (1 / (1 - k) + 1 - k - 4 * r * (1 - r))
    squares = 4 * energies * (1 - k) / k
    bracket = np.log(squares) - 0.5
    if math.isfinite(size):
        wave = radius / FINE_STRUCTURE
        bracket = bracket - missing_photons(size / (squares * wave * r))
    mean = (spectrum * np.maximum(bracket, 0)).sum(axis=1) / spectrum.sum(axis=1)
    shape = (4 / 3 - 4 / 3 * k + k * k)[:, 0]
    total = float((weights / 2 * (high - low) * shape * mean).sum())
    return 4 * FINE_STRUCTURE * radius**2 * total


def missing_photons(v: Array) -> Array:
    """L at each v."""
    logarithm, table = _table()
    place = np.log(v)
    narrow = (math.log(2) - np.euler_gamma - 1) / 2 - place
    return np.asarray(np.where(place < logarithm[0], narrow, np.interp(place, logarithm, table)))


@cache
def _table() -> tuple[Array, Array]:
    from scipy.special import k1

    x = np.exp(np.arange(-40.0, 5.5, 0.25))
    flux = 0.25 * (x * k1(x)) ** 2
    logarithm = np.linspace(-16, 12, 1121)
    exponent = 0.5 * (x * np.exp(-logarithm[:, None])) ** 2
    return logarithm, (flux * -np.expm1(-exponent)).sum(axis=1)

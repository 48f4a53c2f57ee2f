"""Means over the spectrum of Sokolov and Ternov, over those of its classical limit.

With Υ = γ² ƛ/ρ, ξ = 3Υ/2 and y = u/(ξ(1 - u)), a particle of charge e that is bent with the radius
ρ emits

    dN/(ds du) = α/(√3 π ƛ γ) [∫_y^∞ K5/3 + u²/(1 - u) K2/3(y)]

photons that take the share u of its energy. Classically, per metre, N = 5αγ/(2√3 ρ), the mean loss
is ∫u dN = 2rγ³/(3ρ²) and ∫u² dN = 55 r ƛ γ⁵/(24√3 ρ³), r = αƛ being the classical radius
(A. A. Sokolov, I. M. Ternov, Radiation from relativistic electrons, 1986).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FINE_STRUCTURE = 7.2973525693e-3
"""α (CODATA 2018)."""

LEAST, MOST = 1e-8, 1e4
"""Values of Υ between which the means are tabulated; below, they are classical."""

_STEP = 0.25
"""Of the trapezoidal rules in t and in ln y, which then err by less than 1e-15."""


def quantum_means(upsilon: Array) -> tuple[Array, Array, Array]:
    """Number of photons, mean of u and mean of u² at each Υ, over the classical ones."""
    logarithm, rows = _table()
    place = np.log(np.clip(upsilon, LEAST, MOST))
    number, loss, square = (np.exp(np.interp(place, logarithm, np.log(row))) for row in rows)
    return number, loss, square


@cache
def _table() -> tuple[Array, Array]:
    logarithm = np.linspace(math.log(LEAST), math.log(MOST), 1401)
    return logarithm, exact_means(np.exp(logarithm))


def exact_means(upsilon: Array) -> Array:
    """(3, n): the same three ratios by integrating over y.

    Bessel functions are integrals over t > 0 of exp(-y cosh t): K2/3(y) of it times cosh(2t/3), and
    ∫_y^∞ K5/3 of it times cosh(5t/3)/cosh t.
    """
    t = np.arange(0.0, 64.0, _STEP)
    weight = np.full(t.size, _STEP)
    weight[0] /= 2
    logarithm = np.arange(-55.0, 6.0, _STEP)
    y = np.exp(logarithm)
    decay = np.exp(-np.minimum(y[:, None] * np.cosh(t), 745.0)) * weight
    k23 = decay @ np.cosh(2 * t / 3)
    beyond = decay @ (np.cosh(5 * t / 3) / np.cosh(t))
    xi = 1.5 * np.atleast_1d(upsilon)[:, None]
    u = xi * y / (1 + xi * y)
    # Both sides carry the factor ξ, and du/dy = ξ/(1 + ξy)².
    rate = (beyond + u * u * (1 + xi * y) * k23) / (1 + xi * y) ** 2 * y * _STEP
    classical = (
        5 * math.pi / 3,
        8 * math.pi / (9 * math.sqrt(3)),
        4 / 3 * math.gamma(17 / 6) * math.gamma(7 / 6),
    )
    means = [(rate * (u / xi) ** n).sum(axis=1) / value for n, value in enumerate(classical)]
    return np.array(means)


def photons_between(upsilon: Array, edges: Array) -> Array:
    """(n, m - 1): photons that take a share of the energy between neighbouring ones of the m
    ``edges``, which rise from above 0 to 1 at most, at each of n values of Υ, over the classical
    number of all.
    """
    nodes, weights = np.polynomial.legendre.leggauss(6)
    low, width = np.log(edges[:-1, None]), np.diff(np.log(edges))[:, None]
    u = np.exp(low + (nodes + 1) / 2 * width)
    logarithm, beyond, k23 = _bessel_table()
    found = []
    for xi in 1.5 * np.atleast_1d(upsilon):
        place = np.log(u / (xi * (1 - u)))
        # Towards y = 0 both are powers of it, and the ends of the table go on.
        bracket = np.exp(np.interp(place, logarithm, beyond))
        bracket += u * u / (1 - u) * np.exp(np.interp(place, logarithm, k23))
        found.append((u * bracket * weights).sum(axis=1) * width[:, 0] / 2 / xi)
    return np.array(found) / (5 * math.pi / 3)


@cache
def _bessel_table() -> tuple[Array, Array, Array]:
    """ln y, and there the logarithms of ∫_y^∞ K5/3 and of K2/3(y)."""
    t = np.arange(0.0, 64.0, _STEP)
    weight = np.full(t.size, _STEP)
    weight[0] /= 2
    logarithm = np.arange(-55.0, 6.5, 0.01)
    # Without exp(-y), which would leave nothing of large y.
    y = np.exp(logarithm)[:, None]
    decay = np.exp(-np.minimum(y * (np.cosh(t) - 1), 745.0)) * weight
    k23 = np.log(decay @ np.cosh(2 * t / 3)) - y[:, 0]
    return logarithm, np.log(decay @ (np.cosh(5 * t / 3) / np.cosh(t))) - y[:, 0], k23


def photons_above(upsilon: Array, share: float) -> Array:
    """Photons that take more than this share of the energy, over the classical number of all."""
    t = np.arange(0.0, 32.0, _STEP)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    found = []
    for xi in 1.5 * np.atleast_1d(upsilon):
        low = share / (xi * (1 - share))
        high = low + 45.0
        logarithm = math.log(low) + (nodes + 1) / 2 * math.log(high / low)
        y = np.exp(logarithm)
        decay = np.exp(-np.minimum(y[:, None] * np.cosh(t), 745.0)) * _STEP
        decay[:, 0] /= 2
        k23 = decay @ np.cosh(2 * t / 3)
        beyond = decay @ (np.cosh(5 * t / 3) / np.cosh(t))
        u = xi * y / (1 + xi * y)
        rate = (beyond + u * u * (1 + xi * y) * k23) / (1 + xi * y) ** 2
        integral = (rate * y * weights).sum() * math.log(high / low) / 2
        found.append(integral / (5 * math.pi / 3))
    return np.array(found)

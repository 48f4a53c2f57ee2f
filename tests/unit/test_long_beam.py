"""The potential of a long beam, plane by plane, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise._core as core

Floats = NDArray[np.float64]

SIZES = 1.0, 0.6
PIPE = 20.0


def planes(h: tuple[float, float], shape: Floats, line: Floats) -> Floats:
    """The potential of charge of a shape across, with a line density in cells of 2 m."""
    charge = line[:, None, None] * 2.0 * shape / shape.sum()
    found: Floats = core.solve_long_beam(charge, (*h, 2.0), PIPE)
    return found


def gaussian(rho2: tuple[Floats, Floats]) -> Floats:
    """U of a Gaussian, -ln r far away, by the heat equation: with σ² + t in the place of σ²,
    dU/dt = -exp(-x²/2(σx² + t) - y²/2(σy² + t))/(2 sqrt((σx² + t)(σy² + t))) up to where the charge
    is a large round one, U = (γ - ln(2 s²))/2 - r²/4s².
    """
    points, weights = np.polynomial.legendre.leggauss(200)
    end = math.log(1e8)
    total = np.zeros(np.broadcast(*rho2).shape)
    for p, w in zip((points + 1) / 2 * (end + 8) - 8, weights / 2 * (end + 8), strict=True):
        a, b = SIZES[0] ** 2 + math.exp(p), SIZES[1] ** 2 + math.exp(p)
        total += w * math.exp(p) * np.exp(-rho2[0] / 2 / a - rho2[1] / 2 / b) / 2 / math.sqrt(a * b)
    # From t = 0 to exp(-8) the integrand is that at the beginning.
    first = np.exp(-rho2[0] / 2 / SIZES[0] ** 2 - rho2[1] / 2 / SIZES[1] ** 2)
    total += math.exp(-8) * first / 2 / (SIZES[0] * SIZES[1])
    return np.asarray(total + (np.euler_gamma - math.log(2e8)) / 2)


def test_the_potential_of_a_gaussian_converges_as_the_square_of_the_cells() -> None:
    line = np.array([0.5, 0.0, 2.0])
    errors = []
    for n in (17, 33, 65):
        h = (10 * SIZES[0] / (n - 1), 10 * SIZES[1] / (n - 1))
        step = [(np.arange(n) - (n - 1) / 2) * size for size in h]
        rho2 = step[0][:, None] ** 2, step[1][None, :] ** 2
        shape = np.exp(-rho2[0] / 2 / SIZES[0] ** 2 - rho2[1] / 2 / SIZES[1] ** 2)
        found = planes(h, shape, line)
        expected = 2 * line[:, None, None] * (gaussian(rho2) + math.log(PIPE))
        errors.append(np.abs(found - expected).max() / expected.max())
        assert not found[1].any()
    assert errors[0] < 0.01
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.1)


def test_on_the_axis_of_a_uniform_beam_stands_the_geometry_factor() -> None:
    n, radius = 101, 1.0
    h = 2.4 / (n - 1)
    x = (np.arange(n) - (n - 1) / 2) * h
    # The share of each cell within the circle, from 8 by 8 points.
    fine = (np.arange(8) - 3.5) / 8 * h
    rho2 = (x[:, None, None, None] + fine[:, None]) ** 2 + (x[:, None, None] + fine) ** 2
    shape = (rho2 < radius**2).mean(axis=(2, 3))
    found = planes((h, h), shape, np.ones(1))
    factor = 1 + 2 * math.log(PIPE / radius)
    assert found[0, n // 2, n // 2] == pytest.approx(factor, rel=2 * h**2)
    # Outside it is that of a line.
    assert found[0, 0, n // 2] == pytest.approx(2 * math.log(PIPE / 1.2), rel=h**2)

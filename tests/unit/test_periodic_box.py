"""The field of charges in a box that is periodic along z, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import k0

import phasewise._core as core

Floats = NDArray[np.float64]


def periodic(charge: Floats, h: tuple[float, float, float], green: str = "integrated") -> Floats:
    found: Floats = core.solve_open_box(charge, h, green, 1, True)
    return found


def test_the_green_function_is_its_sum_over_the_spectrum() -> None:
    # (2/L) (-ln(ρ/L) + 2 Σ K0(kρ) cos kz), k = 2πm/L.
    nodes, h = (10, 9, 12), (1.0, 0.8, 0.5)
    charge = np.zeros((nodes[2], nodes[0], nodes[1]))
    charge[3, 0, 0] = 1.0
    found = periodic(charge, h, "point")
    period = nodes[2] * h[2]
    k = 2 * math.pi / period * np.arange(1, 60)
    for plane, i, j in ((3, 2, 0), (9, 3, 0), (0, 0, 4), (11, 9, 8), (5, 1, 2)):
        rho, z = math.hypot(i * h[0], j * h[1]), (plane - 3) * h[2]
        expected = -math.log(rho / period) + 2 * (k0(k * rho) * np.cos(k * z)).sum()
        # The first term that the sum over distant periods leaves out, twice.
        assert found[plane, i, j] == pytest.approx(2 / period * expected, abs=5e-6 / period)


def error_of_wave(nodes: int) -> float:
    """Largest error of the potential of a round Gaussian beam whose line density is a wave."""
    period, across = 6.0, 2 * nodes + 1
    h = (10 / (across - 1), 10 / (across - 1), period / nodes)
    step = [(np.arange(n) - (n - 1) / 2) * size for n, size in zip((across,) * 2, h, strict=False)]
    rho2 = step[0][:, None] ** 2 + step[1] ** 2
    wave = np.cos(2 * math.pi / nodes * np.arange(nodes))
    beam = np.exp(-rho2 / 2)
    charge = wave[:, None, None] * beam / beam.sum() * h[2]
    found = periodic(charge, h)
    # u = 2 ∫ dt exp(-k²t - ρ²/(2 + 4t))/(1 + 2t): the heat equation, for a line density of 1.
    points, weights = np.polynomial.laguerre.laggauss(60)
    k2 = (2 * math.pi / period) ** 2
    t = points / k2
    parts = np.exp(-rho2[..., None] / (2 + 4 * t)) / (1 + 2 * t)
    expected = 2 / k2 * (parts @ weights) * wave[:, None, None]
    return float(np.abs(found - expected).max() / expected.max())


def test_the_potential_of_a_wave_converges_as_the_square_of_the_cells() -> None:
    errors = [error_of_wave(n) for n in (8, 16, 32)]
    # Averages over cells, (kh)²/24 along z with kh = 0.79 at first, and h²/24 of ∇² = 2 across.
    assert errors[0] < 0.06
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.15)


def test_a_coasting_beam_has_the_field_of_a_line() -> None:
    n, h = 48, (0.25, 0.25, 3.0)
    x = (np.arange(n) - (n - 1) / 2) * h[0]
    beam = np.exp(-0.5 * (x[:, None] ** 2 + x**2))
    found = periodic(np.broadcast_to(beam / beam.sum() * h[2], (8, n, n)).copy(), h)
    assert np.allclose(found, found[0], rtol=0, atol=1e-12)
    # Bassetti and Erskine's field of a round beam, 2 (1 - exp(-ρ²/2))/ρ.
    slope = -(found[0, 2:, n // 2] - found[0, :-2, n // 2]) / (2 * h[0])
    rho2 = x[1:-1] ** 2 + x[n // 2] ** 2
    expected = 2 * (1 - np.exp(-rho2 / 2)) / rho2 * x[1:-1]
    # Differences err by h²/6 of the third derivative, averages over cells by h²/24 of ∇²E; both are
    # below 1 where they add up.
    assert slope == pytest.approx(expected, abs=(1 / 6 + 1 / 24) * h[0] ** 2)


def test_a_long_period_leaves_a_bunch_alone() -> None:
    h = (0.6, 0.6, 0.6)
    z, x, y = np.meshgrid(
        *[(np.arange(n) - (n - 1) / 2) * 0.6 for n in (64, 16, 16)], indexing="ij"
    )
    bunch = np.exp(-0.5 * (x * x + y * y + z * z))
    charge = bunch / bunch.sum()
    difference = periodic(charge, h) - core.solve_open_box(charge, h)
    # The other bunches' potential is that of the first moments of their field, and a constant:
    # 2ζ(3)/L³ (z² - ρ²/2); the next term, ζ(5) 2/L⁵ of the fourth order, is (4/L)² of it.
    zeta, period = 1.2020569, 64 * 0.6
    near = (np.abs(z) < 4) & (np.hypot(x, y) < 4)
    expected = 2 * zeta / period**3 * (z**2 - (x**2 + y**2) / 2)
    left = (difference - expected)[near]
    assert np.ptp(left) < 0.05 * np.ptp(expected[near])
    assert np.ptp(difference[near]) < 2e-3


def test_threads_do_not_change_a_bit() -> None:
    charge = np.random.default_rng(13).normal(size=(20, 12, 14))
    first = periodic(charge, (1.0, 1.1, 2.0))
    for threads in (2, 3):
        again = core.solve_open_box(charge, (1.0, 1.1, 2.0), "integrated", threads, True)
        assert np.array_equal(first, again)

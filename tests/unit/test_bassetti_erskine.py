"""The field of a two-dimensional Gaussian charge against the direct integral and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise._core as core
from tests.sentences import refused

Floats = NDArray[np.float64]
RATIOS = [0.02, 0.3, 0.8999, 0.9001, 0.999999, 1.0, 1.0001, 1.2, 5.0]
GAUSS = np.polynomial.legendre.leggauss(400)


def field(x: float, y: float, sigma_x: float, sigma_y: float) -> Floats:
    """Ex, Ey, ∂u/∂σx², ∂u/∂σy² at one point."""
    return np.asarray(core.gaussian_field(np.array([x]), np.array([y]), sigma_x, sigma_y)[:, 0])


def direct_integral(x: float, y: float, sigma_x: float, sigma_y: float) -> Floats:
    """Ex, Ey as ∫∫ ρ(r - s) s/s² d²s in polar coordinates around (x, y).

    The rule in the angle converges geometrically, since the integrand is periodic and analytic, and
    so does Gauss's in the distance, which ends where the exponent is below -50.
    """
    angle = np.arange(800) * (2 * np.pi / 800)
    node, weight = GAUSS
    reach = np.hypot(x, y) + 10 * max(sigma_x, sigma_y)
    s = 0.5 * reach * (node + 1)
    u = (x - s[:, None] * np.cos(angle)) / sigma_x
    v = (y - s[:, None] * np.sin(angle)) / sigma_y
    density = np.exp(np.maximum(-0.5 * (u**2 + v**2), -80)) / (2 * np.pi * sigma_x * sigma_y)
    ray = 0.5 * reach * (weight @ density) * (2 * np.pi / angle.size)
    return np.array([ray @ np.cos(angle), ray @ np.sin(angle)])


@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.95, 1.0, 1.05, 3.0])
def test_the_field_equals_the_direct_integral_of_the_charge(ratio: float) -> None:
    for x, y in [(0.3, 0.1), (1.5, 0.0), (0.0, 1.2), (2.0, -1.0), (-0.7, 3.0), (-6.0, -5.0)]:
        exact = direct_integral(x, y * ratio, 1.0, ratio)
        # Both rules have converged to rounding, of some 1e5 terms of the size of the result.
        error = np.abs(field(x, y * ratio, 1.0, ratio)[:2] - exact).max()
        assert error < 1e-11 * np.hypot(*exact)


@pytest.mark.parametrize("ratio", RATIOS)
def test_a_small_amplitude_has_the_slope_of_theory(ratio: float) -> None:
    sx, sy = 1e-4, 1e-4 * ratio
    amplitude = 1e-4  # of σ: the next term of the series is smaller by its square
    ex = field(amplitude * sx, 0.0, sx, sy)[0]
    ey = field(0.0, amplitude * sy, sx, sy)[1]
    assert ex / (amplitude * sx) == pytest.approx(1 / (sx * (sx + sy)), rel=1e-7)
    assert ey / (amplitude * sy) == pytest.approx(1 / (sy * (sx + sy)), rel=1e-7)


def test_a_round_beam_has_the_closed_form() -> None:
    for r in (1e-3, 0.5, 1.0, 3.0, 8.0, 100.0):
        x, y = 0.6 * r, 0.8 * r
        strength = -np.expm1(-(r**2) / 2) / r**2
        assert field(x, y, 1.0, 1.0)[:2] == pytest.approx([x * strength, y * strength], rel=1e-13)


@pytest.mark.parametrize("ratio", RATIOS)
def test_far_away_the_charge_is_a_line(ratio: float) -> None:
    for x, y in [(1e4, 0.0), (0.0, 1e4), (-6e3, 8e3)]:
        # The quadrupole's share is |σx² - σy²|/r².
        ex, ey, _, _ = field(x, y, 1.0, ratio)
        assert np.allclose([ex, ey], np.array([x, y]) / 1e8, atol=1e-4 * 30e-8, rtol=0)


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_field_mirrors_with_its_charge(ratio: float) -> None:
    ex, ey, pxx, pyy = field(1.3, 0.4, 1.0, ratio)
    assert np.array_equal(field(-1.3, 0.4, 1.0, ratio), [-ex, ey, pxx, pyy])
    assert np.array_equal(field(1.3, -0.4, 1.0, ratio), [ex, -ey, pxx, pyy])
    assert np.array_equal(field(0.4, 1.3, ratio, 1.0), [ey, ex, pyy, pxx])


@pytest.mark.parametrize("switch", [0.9, 1.0, 1 / 0.9])
def test_the_forms_meet_where_they_switch(switch: float) -> None:
    x, y = np.random.default_rng(1).uniform(-5, 5, (2, 200))
    below = core.gaussian_field(x, y, 1.0, switch * (1 - 1e-13))
    above = core.gaussian_field(x, y, 1.0, switch * (1 + 1e-13))
    # The sizes differ by 2e-13, and the Faddeeva form loses 1/(1 - 0.9²) = 5 units of 1e-16.
    assert np.abs(below - above).max() < 1e-12


@pytest.mark.parametrize("ratio", RATIOS)
def test_size_derivatives_of_the_potential_obey_the_heat_equation(ratio: float) -> None:
    h = 1e-4
    for x, y in [(0.2, 0.3), (1.7, 0.1), (0.5, 2.5), (4.0, 3.0)]:
        u, v, hv = x, y * ratio, h * ratio
        _, _, pxx, pyy = field(u, v, 1.0, ratio)
        dex = (field(u + h, v, 1.0, ratio)[0] - field(u - h, v, 1.0, ratio)[0]) / (2 * h)
        dey = (field(u, v + hv, 1.0, ratio)[1] - field(u, v - hv, 1.0, ratio)[1]) / (2 * hv)
        # Central differences err by h² f'''/6 and by 1e-16/h: together below 1e-7 of the scale.
        scale = 1 / ratio
        assert pxx == pytest.approx(-0.5 * dex, abs=1e-7 * scale)
        assert pyy == pytest.approx(-0.5 * dey, abs=1e-7 * scale)


@pytest.mark.parametrize("ratio", RATIOS)
def test_size_derivatives_add_up_to_the_charge(ratio: float) -> None:
    for x, y in [(0.0, 0.0), (0.2, 0.3), (1.7, 0.1), (0.5, 2.5)]:
        _, _, pxx, pyy = field(x, y * ratio, 1.0, ratio)
        density = np.exp(-0.5 * (x**2 + y**2)) / ratio  # 2π times the charge density
        # The terms that cancel are at most 1/ratio, with some 10 roundings of 1e-16.
        assert pxx + pyy == pytest.approx(-0.5 * density, abs=1e-14 / ratio)


def test_a_lost_particle_gives_nan() -> None:
    for ratio in (0.5, 1.0):
        assert np.all(np.isnan(field(np.nan, np.nan, 1.0, ratio)))


def test_a_size_of_zero_is_refused() -> None:
    with refused("gaussian_field", "sizes", "0 m", by=ValueError):
        field(1.0, 1.0, 0.0, 1.0)

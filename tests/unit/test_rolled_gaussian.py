"""The field and the potential of a Gaussian charge that is turned against the axes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import exp1

import phasewise._core as core
from tests.physics.gaussian import Floats, gaussian_field


def covariance(ratio: float, roll: float) -> Floats:
    """Of sizes 1 and `ratio`, turned by `roll` rad."""
    axes = np.array([[np.cos(roll), -np.sin(roll)], [np.sin(roll), np.cos(roll)]])
    return np.asarray(axes @ np.diag([1.0, ratio**2]) @ axes.T)


def places(charge: Floats) -> Floats:
    """(2, 60) points, half of them within the charge and half of them around it."""
    points = np.random.default_rng(1).normal(size=(2, 60))
    points[:, :30] = np.linalg.cholesky(charge) @ points[:, :30]
    points[:, 30:] *= 5
    return points


def values(points: Floats, charge: Floats) -> Floats:
    """(6, n): Ex, Ey, ∂u/∂σxx, ∂u/∂σyy, ∂u/∂σxy, u."""
    given = (np.ascontiguousarray(row) for row in points)
    return np.asarray(core.rolled_gaussian(*given, charge[0, 0], charge[0, 1], charge[1, 1]))


SHAPES = [(1.0, 0.0), (0.95, 0.7), (0.5, -1.2), (0.1, 2.0), (0.01, 0.005), (0.01, 0.02)]
TALL = [(0.01, np.pi / 2 - 0.005), (0.2, np.pi / 4)]


@pytest.mark.parametrize(("ratio", "roll"), [*SHAPES, *TALL])
def test_the_field_is_that_of_the_quadrature_whatever_the_roll(ratio: float, roll: float) -> None:
    charge = covariance(ratio, roll)
    points = places(charge)
    expected = gaussian_field(points, charge)
    # The smaller variance is a difference, exact to rounding over ratio²: 1e-12; both fields to
    # 1e-13 of the largest.
    error = np.abs(values(points, charge)[:2] - expected).max()
    assert error < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize(("ratio", "roll"), SHAPES)
def test_the_field_is_the_slope_of_the_potential(ratio: float, roll: float) -> None:
    charge = covariance(ratio, roll)
    points = places(charge)
    step = 0.02 * ratio
    for axis in range(2):
        shift = np.zeros((2, 1))
        shift[axis] = step
        u = [values(points + k * shift, charge)[5] for k in (-2, -1, 1, 2)]
        slope = (8 * (u[2] - u[1]) - (u[3] - u[0])) / (12 * step)
        # The differences err by h⁴/30 of the fourth derivative of E, 0.02⁴/30 = 5e-9 of it within
        # one size; the potential's 2e-7 counts as 1.5·2e-7/h = 1.5e-5/ratio.
        assert np.abs(slope + values(points, charge)[axis]).max() < 1.5e-5 / ratio


@pytest.mark.parametrize(("ratio", "roll"), [*SHAPES, *TALL])
def test_the_derivatives_by_the_covariance_are_those_of_the_heat_equation(
    ratio: float, roll: float
) -> None:
    charge = covariance(ratio, roll)
    points = places(charge)
    step = 1e-3 * ratio
    moved = {
        axis: [values(points + np.eye(2)[:, [axis]] * k * step, charge)[:2] for k in (-1, 1)]
        for axis in range(2)
    }
    # -∂Ei/∂j = ∂²u/∂i∂j by central differences
    slopes = {axis: (pair[0] - pair[1]) / (2 * step) for axis, pair in moved.items()}
    expected = np.array([0.5 * slopes[0][0], 0.5 * slopes[1][1], slopes[0][1]])
    # h²/6 of the third derivative: 1e-6/6 of the second per size squared, with a factor below 5.
    error = np.abs(values(points, charge)[2:5] - expected).max()
    assert error < 1e-6 * np.abs(expected).max()


def test_the_potential_of_a_round_charge_has_the_closed_form() -> None:
    r = np.geomspace(1e-2, 100, 40)
    u = values(np.array([0.6 * r, 0.8 * r]), np.eye(2))[5]
    # -ln r - ½ E1(r²/2); the rule is good to 2e-7.
    assert u == pytest.approx(-np.log(r) - 0.5 * exp1(0.5 * r**2), abs=2e-7)


@pytest.mark.parametrize(("ratio", "roll"), [*SHAPES, *TALL])
def test_the_edge_of_a_mesh_tells_charge_centroid_and_covariance(ratio: float, roll: float) -> None:
    charge = covariance(ratio, roll)
    sizes = np.sqrt(np.diag(charge))
    centre, half = (sizes * [0.3, -0.2])[:, None], 7 * sizes
    axes = [np.linspace(-h, h, n) for h, n in zip(half, (128, 96), strict=True)]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij")).reshape(2, -1)
    u = 5.0 * values(nodes - centre, charge)[5].reshape(128, 96)
    box = (-half[0], half[0], -half[1], half[1])
    found = core.edge_charge(u, box)
    # The five-point Laplacian errs by h²/12 of the fourth derivatives, at a distance R = 6σ of
    # the charge (h/R)²/2 = (14/95/6)²/2 = 3e-4 of it for each moment in units of R.
    error, size = 3e-4, 6 * sizes
    assert found[0] == pytest.approx(5.0, rel=error)
    assert np.abs(np.array(found[1:3]) - centre[:, 0]).max() < error * size.max()
    difference = charge[0, 0] - charge[1, 1]
    assert found[3] == pytest.approx(difference, abs=error * size.max() ** 2)
    assert found[4] == pytest.approx(charge[0, 1], abs=error * size.max() * size.min())

"""The field of charges in a box that is open on all sides, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise._core as core

Floats = NDArray[np.float64]

UNIT = (1.0, 1.0, 1.0)


def axes(nodes: tuple[int, int, int], h: tuple[float, float, float]) -> tuple[Floats, ...]:
    """Places z, x, y of the nodes, as grids [z][x][y], about the middle of the mesh."""
    x, y, z = ((np.arange(n) - (n - 1) / 2) * step for n, step in zip(nodes, h, strict=True))
    found: tuple[Floats, ...] = np.meshgrid(z, x, y, indexing="ij")
    return found


def test_the_green_function_is_the_average_of_a_cell() -> None:
    # Gauss's rule of 12 points a direction is exact to rounding where 1/r is smooth.
    points, weights = np.polynomial.legendre.leggauss(12)
    h = (1.0, 0.7, 2.5)
    for cells in ((3, 0, 0), (0, 4, 0), (2, 3, 1), (0, 0, 2)):
        x, y, z = (
            step * (at + points / 2).reshape(shape)
            for step, at, shape in zip(h, cells, ((-1, 1, 1), (1, -1, 1), (1, 1, -1)), strict=True)
        )
        mean = np.einsum("i,j,k,ijk", *[weights / 2] * 3, 1 / np.sqrt(x * x + y * y + z * z))
        assert core.integrated_box_green(cells, h) == pytest.approx(mean, rel=1e-11)


def test_the_average_over_a_cube_about_its_middle_is_known() -> None:
    # 2.3800774
    expected = 3 * math.log((math.sqrt(3) + 1) / (math.sqrt(3) - 1)) - math.pi / 2
    assert core.integrated_box_green((0, 0, 0), UNIT) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("green", ["integrated", "point"])
def test_the_potential_is_the_sum_over_all_charges(green: str) -> None:
    nodes, h = (9, 8, 11), (1.0, 0.8, 1.5)
    charge = np.zeros((nodes[2], nodes[0], nodes[1]))
    random = np.random.default_rng(3)
    charge[:] = random.normal(size=charge.shape)
    found = core.solve_open_box(charge, h, green)
    for at in ((0, 0, 0), (5, 3, 7), (10, 8, 7)):
        expected = 0.0
        for index in np.ndindex(charge.shape):
            dz, dx, dy = (abs(a - b) for a, b in zip(at, index, strict=True))
            if green == "integrated" or dx == dy == dz == 0:
                value = core.integrated_box_green((dx, dy, dz), h)
            else:
                value = 1 / math.hypot(dx * h[0], dy * h[1], dz * h[2])
            expected += charge[index] * value
        # Sums of some thousand terms of order 1.
        assert found[at] == pytest.approx(expected, abs=1e-12)


def error_of_gaussian(nodes: int, sigma: tuple[float, float, float], green: str) -> float:
    """Largest error of the potential, relative to its largest value, of a Gaussian ellipsoid."""
    h = tuple(10 * s / (nodes - 1) for s in sigma)
    z, x, y = axes((nodes, nodes, nodes), h)  # type: ignore[arg-type]
    density = np.exp(-0.5 * ((x / sigma[0]) ** 2 + (y / sigma[1]) ** 2 + (z / sigma[2]) ** 2))
    charge = density / density.sum()
    found = core.solve_open_box(charge, h, green)
    # u = 1/√π ∫ dq Π exp(-x²/(2σ² + q))/√(2σ² + q) over q > 0: Kellogg, "Foundations of Potential
    # Theory" (1929), for a Gaussian.
    expected = np.zeros(z.shape)
    points, weights = np.polynomial.legendre.leggauss(80)
    largest = max(sigma) ** 2
    for p, w in zip((points + 1) / 2, weights / 2, strict=True):
        q = largest * (p / (1 - p)) ** 2
        slope = largest * 2 * p / (1 - p) ** 3
        parts = [
            np.exp(-(u**2) / (2 * s**2 + q)) / np.sqrt(2 * s**2 + q)
            for u, s in zip((x, y, z), sigma, strict=True)
        ]
        expected += w * slope * parts[0] * parts[1] * parts[2]
    expected /= np.sqrt(np.pi)
    return float(np.abs(found - expected).max() / expected.max())


@pytest.mark.parametrize("sigma", [(1.0, 1.0, 1.0), (1.0, 0.6, 3.0)])
def test_the_potential_of_a_gaussian_converges_as_the_square_of_the_cells(
    sigma: tuple[float, float, float],
) -> None:
    errors = [error_of_gaussian(n, sigma, "integrated") for n in (17, 33, 65)]
    # The cell's average of the charge errs by h²/24 of its curvature, h = 10/16 rms at first.
    assert errors[0] < 0.02
    first, second = np.log2(np.array(errors[:-1]) / errors[1:])
    # The next term, of fourth order, is a quarter as large at 5/16 rms as at 10/16.
    assert second == pytest.approx(2, abs=0.1) and abs(second - 2) < 0.5 * abs(first - 2) + 0.02


def test_a_long_bunch_on_long_cells_needs_the_integrated_green_function() -> None:
    sigma = (1.0, 1.0, 30.0)
    integrated, point = (error_of_gaussian(33, sigma, green) for green in ("integrated", "point"))
    assert integrated < 0.02 and point > 3 * integrated


def test_the_field_of_a_uniform_ball_grows_linearly_within_it() -> None:
    # E = r/R³ of a unit charge, on 1e6 particles of a lattice: the steps of its surface are h/4.
    radius, nodes = 1.0, (40, 40, 40)
    h = (2.6 / 39,) * 3
    step = np.linspace(-1, 1, 126)
    x, y, z = (u.ravel() for u in np.meshgrid(step, step, step, indexing="ij"))
    inside = x * x + y * y + z * z < radius**2
    places = np.array([x[inside], y[inside], z[inside]])
    origin = (-1.3,) * 3
    charge = core.deposit_in_box(places, origin, h, nodes) / places.shape[1]
    potential = core.solve_open_box(charge, h)
    probe = np.array([[0.3, 0.0, -0.5], [0.1, 0.6, 0.2], [-0.2, 0.3, 0.1]])
    field = core.gather_in_box(potential, np.ascontiguousarray(probe), origin, h)
    # Of second order in h = 1/15 of R in a field without curvature: the surface's share.
    assert field == pytest.approx(probe, abs=4e-3)


def test_charge_is_deposited_to_the_last_bit_in_any_order() -> None:
    random = np.random.default_rng(5)
    places = random.uniform(1.0, 9.0, size=(3, 5000))
    nodes = (12, 11, 13)
    charge = core.deposit_in_box(places, (0, 0, 0), UNIT, nodes, 2.0**-36)
    shuffled = np.ascontiguousarray(places[:, random.permutation(5000)])
    assert np.array_equal(charge, core.deposit_in_box(shuffled, (0, 0, 0), UNIT, nodes, 2.0**-36))
    assert charge.sum() == 5000.0
    # Nothing but the cell's eight nodes.
    one = core.deposit_in_box(np.array([[2.25], [3.5], [4.125]]), (0, 0, 0), UNIT, nodes)
    expected = np.einsum("i,j,k->ijk", [0.875, 0.125], [0.75, 0.25], [0.5, 0.5])
    assert one[4:6, 2:4, 3:5] == pytest.approx(expected, abs=1e-11)
    assert np.count_nonzero(one) == 8


def test_differences_at_nodes_or_for_each_particle_give_the_same_bits() -> None:
    random = np.random.default_rng(11)
    potential, h = random.normal(size=(13, 12, 11)), (0.7, 1.0, 3.0)
    # Some places lie outside, or near the edge.
    places = random.uniform(-1.0, 14.0, size=(3, 3000)) * np.array(h)[:, None]
    found = [
        core.gather_in_box(potential, places, (0, 0, 0), h, at_nodes=way) for way in (False, True)
    ]
    assert np.array_equal(*found) and np.count_nonzero(found[0]) > 1000
    # The gradient of a polynomial of second order, of which differences are exact.
    z, x, y = np.meshgrid(
        *(np.arange(n) * d for n, d in zip((13, 12, 11), (3, 0.7, 1), strict=True)), indexing="ij"
    )
    inside = random.uniform(1.0, 9.0, size=(3, 100)) * np.array(h)[:, None]
    found = core.gather_in_box(x * y + y * z - 2 * x * z, inside, (0, 0, 0), h, at_nodes=True)
    u, v, w = inside
    assert found == pytest.approx(-np.array([v - 2 * w, u + w, v - 2 * u]), rel=1e-12)


def test_a_particle_near_the_edge_counts_as_outside() -> None:
    nodes = (8, 8, 8)
    for place in ([0.9, 4, 4], [4, 6.1, 4], [4, 4, -1], [4, 4, 100], [np.nan, 4, 4]):
        where = np.array([place]).T
        assert core.deposit_in_box(where, (0, 0, 0), UNIT, nodes).sum() == 0
        field = core.gather_in_box(np.ones((8, 8, 8)), where, (0, 0, 0), UNIT)
        assert not field.any()


def test_the_gathered_field_is_the_interpolated_difference() -> None:
    random = np.random.default_rng(7)
    u = random.normal(size=(9, 8, 10))
    h, origin = (0.5, 0.7, 2.0), (1.0, -2.0, 3.0)
    at = np.array([1.0 + 3.3 * 0.5, -2.0 + 4.6 * 0.7, 3.0 + 5.9 * 2.0])
    found = core.gather_in_box(u, at[:, None], origin, h)[:, 0]
    gradient = [np.gradient(u, h[k], axis=axis) for k, axis in ((0, 1), (1, 2), (2, 0))]
    for component, g in zip(found, gradient, strict=True):
        cell = g[5:7, 3:5, 4:6]
        expected = -np.einsum("i,j,k,ijk", [0.1, 0.9], [0.7, 0.3], [0.4, 0.6], cell)
        assert component == pytest.approx(expected, rel=1e-10)


def test_charges_exchange_momentum_and_do_not_act_on_themselves() -> None:
    random = np.random.default_rng(11)
    places = random.normal(size=(3, 400)) * [[1.0], [0.7], [2.0]]
    h, nodes = (0.6, 0.5, 1.3), (24, 24, 24)
    origin = tuple(-step * 11.5 for step in h)
    charge = core.deposit_in_box(places, origin, h, nodes)
    assert charge.sum() == 400
    field = core.gather_in_box(core.solve_open_box(charge, h), places, origin, h)
    # Sums of 400 forces of order 100, each with the rounding of the transforms.
    assert np.abs(field.sum(axis=1)).max() < 1e-9
    alone = core.deposit_in_box(places[:, :1].copy(), origin, h, nodes)
    own = core.gather_in_box(core.solve_open_box(alone, h), places[:, :1].copy(), origin, h)
    assert np.abs(own).max() < 1e-12


def test_threads_do_not_change_a_bit() -> None:
    charge = np.random.default_rng(13).normal(size=(20, 12, 14))
    first = core.solve_open_box(charge, (1.0, 1.1, 2.0), "integrated", 1)
    for threads in (2, 3):
        again = core.solve_open_box(charge, (1.0, 1.1, 2.0), "integrated", threads)
        assert np.array_equal(first, again)

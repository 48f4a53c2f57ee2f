"""The mesh field: deposit, integrated Green function, Poisson solver, gather."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise._core as core

Floats = NDArray[np.float64]

HALF_WIDTH = 6.0  # rms, as the reference figures
PROBE = 3.5


def gaussian_mesh(n: int, aspect: float) -> tuple[tuple[float, float, float, float], Floats]:
    """Box and charge of a noise-free Gaussian with σx = 1, σy = 1/aspect sampled on n × n nodes."""
    sx, sy = 1.0, 1.0 / aspect
    box = (-HALF_WIDTH * sx, HALF_WIDTH * sx, -HALF_WIDTH * sy, HALF_WIDTH * sy)
    u = np.linspace(-HALF_WIDTH, HALF_WIDTH, n)
    line = np.exp(-0.5 * u**2)
    charge = np.outer(line, line)
    return box, charge / charge.sum()


def by_parts(charge: Floats, hx: float, hy: float, shift: tuple[int, int], parts: int) -> Floats:
    """The potential of one mesh that is divided over processes."""
    shifts = [[value] for value in shift]
    found: Floats = core.poisson_by_parts(charge[np.newaxis], hx, hy, *shifts, parts)[0]
    return found


def field_error(n: int, aspect: float) -> float:
    """Largest error of the mesh field over the largest field, at probes within ±3.5σ."""
    box, charge = gaussian_mesh(n, aspect)
    hx, hy = (box[1] - box[0]) / (n - 1), (box[3] - box[2]) / (n - 1)
    potential = core.solve_poisson(charge, hx, hy)
    random = np.random.default_rng(3)
    x, y = random.uniform(-PROBE, PROBE, (2, 20_000)) * np.array([[1.0], [1.0 / aspect]])
    ex, ey = core.gather(potential, box, x, y)
    exact = np.array([core.gaussian_field(x, y, 1.0, 1.0 / aspect)[k] for k in (0, 1)])
    error = np.hypot(ex - exact[0], ey - exact[1])
    return float(error.max() / np.hypot(*exact).max())


# Reference figures (another code, same box and probes); ours may differ by how the sampled
# Gaussian represents the charge (h²/24 of its second derivative against h²/12 of cloud in cell),
# which can only lower them.
@pytest.mark.parametrize(
    ("aspect", "reference"),
    [
        (1.0, (1.5e-2, 3.8e-3, 9.5e-4)),
        (30.0, (1.7e-2, 4.4e-3, 1.1e-3)),
        (100.0, (1.7e-2, 4.4e-3, 1.1e-3)),
    ],
)
def test_the_field_of_a_gaussian_is_as_accurate_as_the_reference_and_of_second_order(
    aspect: float, reference: tuple[float, ...]
) -> None:
    errors = [field_error(n, aspect) for n in (64, 128, 256)]
    for error, bound in zip(errors, reference, strict=True):
        assert error < 1.05 * bound
    # (127/63)² = 4.06 and (255/127)² = 4.03 for order 2; probes are random, hence 15 %
    for coarse, fine in itertools.pairwise(errors):
        assert coarse / fine == pytest.approx(4.05, rel=0.15)


def test_the_integrated_green_function_is_the_mean_of_the_logarithm_over_the_cell() -> None:
    nodes, weights = np.polynomial.legendre.leggauss(400)
    hx, hy = 1.3, 0.02
    for x, y in [(2.6, 0.02), (0.0, 0.06), (3.9, 0.0), (1.3, -0.02)]:
        u = x + 0.5 * hx * nodes[:, None]
        v = y + 0.5 * hy * nodes[None, :]
        mean = -0.25 * 0.5 * np.einsum("i,j,ij", weights, weights, np.log(u**2 + v**2))
        # Gauss with 400 points on an integrand whose nearest singularity lies 0.05/0.65 half widths
        # off the line converges as exp(-800 · 0.077)
        assert core.integrated_green(x, y, hx, hy) == pytest.approx(mean, abs=1e-11)


def test_the_self_cell_of_the_green_function_has_its_closed_form() -> None:
    # mean of -ln r over a square of side 1 about its centre: 3/2 - π/4 + ln(2)/2
    closed = 1.5 - np.pi / 4 + 0.5 * np.log(2.0)
    assert core.integrated_green(0.0, 0.0, 1.0, 1.0) == pytest.approx(closed, rel=1e-14)


def test_a_shifted_window_sees_the_field_of_a_distant_gaussian() -> None:
    # round, 10 σ apart, 128²: 2e-4 in the reference
    n = 128
    box, charge = gaussian_mesh(n, 1.0)
    h = (box[1] - box[0]) / (n - 1)
    shift = round(10.0 / h)
    potential = core.solve_poisson(charge, h, h, shift, 0)
    target = (box[0] + shift * h, box[1] + shift * h, box[2], box[3])
    random = np.random.default_rng(5)
    x, y = random.uniform(-PROBE, PROBE, (2, 5000))
    x = x + shift * h
    ex, ey = core.gather(potential, target, x, y)
    exact = [core.gaussian_field(x, y, 1.0, 1.0)[k] for k in (0, 1)]
    error = np.hypot(ex - exact[0], ey - exact[1]).max() / np.hypot(*exact).max()
    assert error < 2.5e-4


def test_windows_that_overlap_give_the_potential_of_the_larger_mesh() -> None:
    # the same mesh seen through a window moved by whole cells: the same nodes, the same values
    random = np.random.default_rng(1)
    charge = np.zeros((48, 40))
    charge[8:24, 10:30] = random.uniform(size=(16, 20))
    whole = core.solve_poisson(charge, 1.0, 0.5)
    moved = core.solve_poisson(charge, 1.0, 0.5, 7, -3)
    # u is of the order of the total charge times ln(size): rounding of a transform of 1e4 points
    bound = 1e-13 * charge.sum() * np.log(48)
    assert np.abs(whole[7:, : 40 - 3] - moved[: 48 - 7, 3:]).max() < 10 * bound


@pytest.mark.parametrize("shape", [(64, 64), (96, 96), (256, 64)])
@pytest.mark.parametrize("shift", [(0, 0), (5, 0), (-7, 70)])
def test_the_potential_has_the_same_bits_however_the_mesh_is_divided(
    shape: tuple[int, int], shift: tuple[int, int]
) -> None:
    charge = np.random.default_rng(8).uniform(size=shape)
    whole = core.solve_poisson(charge, 1.1e-5, 0.7e-6, *shift)
    for parts in (1, 2, 3, 5, 7, 16):
        divided = by_parts(charge, 1.1e-5, 0.7e-6, shift, parts)
        assert divided.tobytes() == whole.tobytes(), parts


def test_a_mesh_may_be_divided_over_more_processes_than_it_has_rows() -> None:
    charge = np.random.default_rng(9).uniform(size=(6, 4))
    whole = core.solve_poisson(charge, 1.0, 0.5, 1, -2)
    assert by_parts(charge, 1.0, 0.5, (1, -2), 17).tobytes() == whole.tobytes()


def test_the_potential_of_a_mesh_is_the_sum_of_the_integrated_green_function() -> None:
    # in full and by definition, on windows that are the same, overlap, touch and are far apart
    random = np.random.default_rng(10)
    nx, ny, hx, hy = 7, 6, 1.3, 0.02
    charge = random.uniform(size=(nx, ny))
    for shift in [(0, 0), (3, -2), (0, 5), (7, 6), (-40, 0), (12, -300)]:
        direct = np.zeros((nx, ny))
        for i, j, k, m in itertools.product(range(nx), range(ny), range(nx), range(ny)):
            x, y = (shift[0] + i - k) * hx, (shift[1] + j - m) * hy
            direct[i, j] += charge[k, m] * core.integrated_green(x, y, hx, hy)
        potential = core.solve_poisson(charge, hx, hy, *shift)
        # second differences of an antiderivative of the order of xy ln(r²), here at most 6e3 cells
        # (15 terms of it rounded at 1e-16 each), summed with weights of at most 1 over 42 nodes
        assert np.abs(potential - direct).max() < 42 * 15 * 1e-16 * 6e3 * np.log(1e5)


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
def test_deposited_charge_is_conserved_exactly(weighting: str) -> None:
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, 100_000))
    charge, outside = core.deposit(x, y, (-3.0, 3.0, -3.0, 3.0), 33, 47, weighting)
    assert outside > 0
    assert charge.sum() == 100_000 - outside


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
def test_the_charge_grid_does_not_depend_on_the_order_of_the_particles(weighting: str) -> None:
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, 50_000))
    box = (-5.0, 5.0, -5.0, 5.0)
    first, _ = core.deposit(x, y, box, 64, 64, weighting)
    order = random.permutation(x.size)
    second, _ = core.deposit(x[order], y[order], box, 64, 64, weighting)
    assert np.array_equal(first, second)


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
def test_deposit_keeps_the_first_moment(weighting: str) -> None:
    # both weightings reproduce linear functions; rounding to the quantum 2^(17-52) is below 1e-9
    random = np.random.default_rng(4)
    x, y = random.uniform(-2.0, 2.0, size=(2, 70_000))
    charge, _ = core.deposit(x, y, (-3.0, 3.0, -3.0, 3.0), 31, 31, weighting)
    nodes = np.linspace(-3.0, 3.0, 31)
    assert charge.sum(axis=1) @ nodes == pytest.approx(x.sum(), abs=1e-9 * x.size)
    assert charge.sum(axis=0) @ nodes == pytest.approx(y.sum(), abs=1e-9 * x.size)


def test_quadratic_gather_is_the_gradient_of_one_smooth_potential() -> None:
    # the work around a closed path of the interpolated field vanishes: the kick is symplectic
    random = np.random.default_rng(6)
    potential = random.normal(size=(20, 20))
    box = (0.0, 19.0, 0.0, 19.0)
    angle = np.linspace(0.0, 2 * np.pi, 200_001)
    x, y = 9.3 + 4.1 * np.cos(angle), 9.7 + 4.1 * np.sin(angle)
    ex, ey = core.gather(potential, box, x, y, "tsc")
    mid_x, mid_y = 0.5 * (ex[1:] + ex[:-1]), 0.5 * (ey[1:] + ey[:-1])
    work = mid_x @ np.diff(x) + mid_y @ np.diff(y)
    length = np.hypot(np.diff(x), np.diff(y)).sum()
    # trapezoidal rule with a continuous, piecewise smooth field: error step² × kinks ~ 1e-7
    assert abs(work) < 1e-6 * length


def test_mirrored_charge_gives_the_mirrored_potential() -> None:
    random = np.random.default_rng(7)
    charge = random.uniform(size=(32, 24))
    straight = core.solve_poisson(charge, 1.0, 1.0)
    mirrored = core.solve_poisson(charge[::-1, :].copy(), 1.0, 1.0)
    assert np.abs(straight[::-1, :] - mirrored).max() < 1e-11 * charge.sum()


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
@pytest.mark.parametrize(("ny", "levels"), [(40, (1, 0)), (40, (3, 1)), (41, (1, 0)), (41, (4, 0))])
def test_a_charge_on_a_finer_level_is_that_of_a_coarser_one(
    ny: int, levels: tuple[int, int], weighting: str
) -> None:
    fine, coarse = levels
    box = (-1.0, 1.0, -1.0, 1.0)
    random = np.random.default_rng(5)
    # Well inside of the finest mesh.
    x, y = random.uniform(-0.8, 0.8, 1000), random.uniform(-0.8, 0.8, 1000) * 0.5**fine
    taken = core.coarsened_charge(x, y, box, 12, ny, weighting, fine, coarse)
    laid = core.coarsened_charge(x, y, box, 12, ny, weighting, coarse, coarse)
    # Each of the weights is rounded to the charge quantum, 2^-42 for 1024 particles.
    assert taken == pytest.approx(laid, abs=1000 * 2**-42)
    assert taken.sum() == pytest.approx(1000, abs=1e-9)

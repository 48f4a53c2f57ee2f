"""The elliptic solver of an ocean against direct solvers, and the methods against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.ocean_surface import depths, operator, right_side, sparse

pytest.importorskip("phasewise._core", reason="the core is not built")
from phasewise.workloads.ocean import NinePoint

METHODS = ("pcg", "chrongear", "pipelined", "pcsi")
PRECONDITIONERS = ("none", "diagonal", "evp")


class Sea:
    """A surface, its right-hand side and its direct solution."""

    def __init__(self, nx: int, ny: int, timestep: float) -> None:
        from scipy.sparse.linalg import spsolve

        self.coefficients, self.sea = operator(depths(nx, ny), timestep)
        self.surface = NinePoint(self.coefficients, self.sea, periodic_x=True)
        self.b = right_side(self.sea)
        self.matrix = sparse(self.coefficients)
        self.x = spsolve(self.matrix.tocsc(), self.b.ravel()).reshape(ny, nx)

    def error(self, x: Any) -> float:
        """The largest difference from the direct solution, over its largest value."""
        return float(np.abs(x - self.x).max() / np.abs(self.x).max())


@pytest.fixture(scope="module")
def x1() -> Sea:
    return Sea(320, 384, 1800.0)


@pytest.fixture(scope="module")
def small() -> Sea:
    return Sea(40, 36, 20000.0)


@pytest.mark.parametrize("preconditioner", ["diagonal", "evp"])
def test_the_surface_of_x1_is_that_of_a_direct_solver(x1: Sea, preconditioner: str) -> None:
    found = {
        method: x1.surface.solve(x1.b, solver=method, preconditioner=preconditioner)
        for method in METHODS
    }
    # A residual of 1e-13 times the condition number, below 1e4, and rounding of as much.
    assert {method: one for method, one in found.items() if x1.error(one.solution) > 1e-9} == {}
    assert all(one.residual <= 1e-13 for one in found.values())
    assert all((one.solution[~x1.sea] == 0).all() for one in found.values())


def test_exact_blocks_take_at_most_two_fifths_of_the_iterations(x1: Sea) -> None:
    for method in ("pcg", "pcsi"):
        diagonal, evp = (
            x1.surface.solve(x1.b, solver=method, preconditioner=name).iterations
            for name in ("diagonal", "evp")
        )
        assert evp <= 0.4 * diagonal


@pytest.mark.parametrize("preconditioner", PRECONDITIONERS)
def test_all_methods_solve_a_small_sea(small: Sea, preconditioner: str) -> None:
    for method in METHODS:
        found = small.surface.solve(small.b, solver=method, preconditioner=preconditioner)
        assert small.error(found.solution) < 1e-9, method
        left = np.linalg.norm(small.matrix @ found.solution.ravel() - small.b.ravel())
        # Recurrences and rounding leave less than ten times what was asked for.
        assert left < 1e-12 * np.linalg.norm(small.b), method


@pytest.mark.parametrize("preconditioner", PRECONDITIONERS)
@pytest.mark.parametrize("method", ["chrongear", "pipelined"])
def test_one_sum_an_iteration_gives_the_iterations_of_two(
    x1: Sea, method: str, preconditioner: str
) -> None:
    def residuals(solver: str) -> Any:
        found = x1.surface.solve(x1.b, solver=solver, preconditioner=preconditioner, iterations=51)
        return dict(zip(found.at.tolist(), found.residuals.tolist(), strict=True))

    two, one = residuals("pcg"), residuals(method)
    # In exact arithmetic they are the same.
    for iteration in range(51):
        assert one[iteration] == pytest.approx(two[iteration], rel=1e-8), iteration


@pytest.mark.parametrize(("preconditioner", "tiles"), [("diagonal", None), ("evp", (10, 12))])
def test_the_bounds_of_pcsi_hold_all_eigenvalues(
    small: Sea, preconditioner: str, tiles: tuple[int, int] | None
) -> None:
    from scipy.linalg import eigh

    wet = small.sea.ravel()
    dense = small.matrix.toarray()[np.ix_(wet, wet)]
    inner = np.diag(np.diag(dense))
    if tiles is not None:
        inner = sparse(small.coefficients, tiles).toarray()[np.ix_(wet, wet)]
    values = eigh(dense, inner, eigvals_only=True)
    found = small.surface.solve(small.b, preconditioner=preconditioner)
    assert found.bounds[0] <= values[0]
    assert values[-1] <= found.bounds[1]
    # Bounds that are far off would cost iterations.
    assert found.bounds[0] > 0.5 * values[0]
    assert found.bounds[1] < 1.5 * values[-1]


@pytest.mark.parametrize("preconditioner", PRECONDITIONERS)
@pytest.mark.parametrize("iterations", [1, 2, 5, 10, 20])
def test_pcsi_lies_within_the_bound_of_chebyshev(
    small: Sea, preconditioner: str, iterations: int
) -> None:
    found = small.surface.solve(small.b, preconditioner=preconditioner, iterations=iterations)
    low, high = found.bounds
    root = np.sqrt(high / low)
    rate = (root - 1) / (root + 1)
    bound = 2 * rate**iterations / (1 + rate ** (2 * iterations))

    def energy(x: Any) -> float:
        return float(np.sqrt(x.ravel() @ (small.matrix @ x.ravel())))

    # Errors are a polynomial of the preconditioned operator times the first one, which begins at
    # zero: in the norm of the energy the largest value of the polynomial bounds them (Saad,
    # Iterative Methods for Sparse Linear Systems, 6.11). Rounding is far below, at 1e-13.
    assert energy(found.solution - small.x) <= bound * energy(small.x)


def test_a_check_comes_when_the_residual_has_probably_fallen_far_enough(small: Sea) -> None:
    often = small.surface.solve(small.b, tolerance=1e-10, check_every=1)
    rarely = small.surface.solve(small.b, tolerance=1e-10, check_every=30)
    # Not later than a third of check_every after the first iteration that would do, and one that
    # finds too much is followed by another a third later.
    assert rarely.residuals[-1] <= 1e-10
    assert often.iterations <= rarely.iterations <= often.iterations + 10
    assert (np.diff(rarely.at) >= 10).all()


def test_evp_solves_its_blocks_as_a_direct_solver_does(x1: Sea) -> None:
    from scipy.sparse.linalg import spsolve

    exact = spsolve(sparse(x1.coefficients, (10, 12)).tocsc(), x1.b.ravel()).reshape(x1.b.shape)
    found = x1.surface.precondition(x1.b)
    assert np.abs(found - exact).max() < 1e-8 * np.abs(exact).max()


def test_a_first_guess_that_solves_takes_no_iteration(small: Sea) -> None:
    found = small.surface.solve(small.b, small.x, tolerance=1e-11)
    assert found.iterations == 0
    assert small.error(found.solution) < 1e-12


def test_nothing_gives_nothing(small: Sea) -> None:
    for method in METHODS:
        found = small.surface.solve(np.zeros_like(small.b), solver=method)
        assert found.iterations == 0
        assert (found.solution == 0).all()
        assert found.residual == 0

"""The operator of an ocean's free surface on a sphere with coasts, as the core makes it."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from benchmarks.ocean_surface import right_side, sparse
from phasewise.driver import Floats, load_core
from phasewise.study import Study
from phasewise.workloads.ocean import NinePoint
from phasewise.workloads.ocean.driver import map_of
from phasewise.workloads.ocean.model import model_of
from tests.physics.ocean import GLOBE, Sea

GRAVITY, RADIUS = 9.80616, 6.37122e6


class Surface:
    """Coarse continents of a seed, and what the core makes of them."""

    def __init__(self) -> None:
        keys = {"grid": [60, 48, 6], "timestep": 7200.0, "viscosity": 1e4, "diffusivity": 1e3}
        study = Study.from_dict({"workload": "ocean", "timesteps": 1, "seed": 3, "ocean": keys})
        self.model = model_of(study)
        text = study.parameters()
        found = cast(Any, load_core()).ocean_operator(text)
        self.coefficients: dict[str, Floats] = {
            name: np.asarray(array, np.float64) for name, array in found.items()
        }
        levels = map_of(text, 1).levels
        below = np.concatenate([[0.0], np.cumsum(self.model.thicknesses)])
        self.depth, self.sea = below[levels], levels > 0
        self.matrix = sparse(self.coefficients)

    def energy(self, x: Floats) -> float:
        """∫ η²/(g θ² Δt²) + ∫ H |∇η|² of a surface, cell by cell and corner by corner."""
        ny, nx = x.shape
        south, north = np.deg2rad(self.model.latitudes)
        edges = np.linspace(south, north, ny + 1)
        step_x, step_y = 2 * np.pi / nx, edges[1] - edges[0]
        middle = 0.5 * (edges[1:] + edges[:-1])
        area = RADIUS**2 * step_x * step_y * np.cos(middle)[:, None]
        scale = GRAVITY * (self.model.implicitness * self.model.timestep) ** 2
        total = float((area / scale * x**2).sum())
        for j in range(ny - 1):
            dx, dy = RADIUS * np.cos(edges[j + 1]) * step_x, RADIUS * step_y
            for i in range(nx):
                four = np.ix_([j, j + 1], [i, (i + 1) % nx])
                (a, b), (c, d) = x[four]
                slope = (0.5 * (b - a + d - c) / dx) ** 2 + 0.5**2 * ((c - a + d - b) / dy) ** 2
                total += float(self.depth[four].min() * slope * dx * dy)
        return total


@pytest.fixture(scope="module")
def surface() -> Surface:
    return Surface()


def test_the_operator_is_the_energy_of_a_surface(surface: Surface) -> None:
    random = np.random.default_rng(5)
    for _ in range(3):
        x = np.where(surface.sea, random.normal(size=surface.sea.shape), 0.0)
        own = float(x.ravel() @ (surface.matrix @ x.ravel()))
        # Rounding of some 1e4 terms.
        assert own == pytest.approx(surface.energy(x), rel=1e-12)
    assert 0.3 < surface.sea.mean() < 0.9  # there are coasts


@pytest.mark.parametrize("preconditioner", ["none", "diagonal", "evp"])
def test_the_surface_is_that_of_a_direct_solver(surface: Surface, preconditioner: str) -> None:
    from scipy.sparse.linalg import spsolve

    b = right_side(surface.sea)
    wet = np.flatnonzero(surface.sea)
    exact = spsolve(surface.matrix[wet][:, wet].tocsc(), b.ravel()[wet])
    solver = NinePoint(surface.coefficients, surface.sea, periodic_x=True)
    for method in ("pcg", "chrongear", "pipelined", "pcsi"):
        found = solver.solve(b, solver=method, preconditioner=preconditioner, evp_block=(8, 8))
        # A residual of 1e-13 times the condition number, below 1e4.
        error = np.abs(found.solution.ravel()[wet] - exact).max()
        assert error < 1e-9 * np.abs(exact).max(), method


@pytest.mark.parametrize("solver", ["pcg", "pcsi"])
@pytest.mark.parametrize("preconditioner", ["diagonal", "evp"])
def test_a_plan_expects_about_as_many_iterations_as_a_solve_takes(
    solver: str, preconditioner: str
) -> None:
    grid = {"grid": [60, 48, 6], "viscosity": 1e4, "diffusivity": 1e3}
    sea = Sea({**GLOBE, **grid, "solver": solver, "preconditioner": preconditioner})
    taken = int(sea.step(3)["iterations"])
    # The estimate knows the narrowest cells and the deepest sea alone, and was measured on x1.
    assert taken / 1.6 < sea.model.expected_iterations < 1.6 * taken

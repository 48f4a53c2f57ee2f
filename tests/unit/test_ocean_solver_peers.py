"""What the benchmarks of an ocean compare; neither PETSc nor Veros is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks import veros_peer
from benchmarks.ocean_solver_peer import ALIKE, ITERATIONS, OWN, check_surface
from benchmarks.ocean_surface import depths, operator, right_side, sparse
from phasewise.errors import RunError
from tests.sentences import refused

pytest.importorskip("phasewise._core", reason="the core is not built")
from phasewise.workloads.ocean import NinePoint


def conjugate_gradients(matrix: Any, b: Any, iterations: int) -> Any:
    """x after so many iterations with the diagonal, from zero."""
    inverse = 1 / matrix.diagonal()
    x, r = np.zeros_like(b), b.copy()
    z = p = inverse * r
    for _ in range(iterations):
        along = matrix @ p
        step = (r @ z) / (p @ along)
        before = r @ z
        x, r = x + step * p, r - step * along
        z = inverse * r
        p = z + (r @ z) / before * p
    return x


def test_equal_iterations_of_one_method_give_one_surface() -> None:
    coefficients, sea = operator(depths(320, 384), 1800.0)
    b = right_side(sea)
    wet = np.flatnonzero(sea)
    surface = NinePoint(coefficients, sea, periodic_x=True)
    mine = surface.solve(b, **OWN[ALIKE[0]], iterations=ITERATIONS).solution.ravel()[wet]
    matrix = sparse(coefficients)[wet][:, wet].tocsr()
    plain, less = (
        conjugate_gradients(matrix, b.ravel()[wet], count) for count in (ITERATIONS, ITERATIONS - 1)
    )
    check_surface(ALIKE[0], mine, "plain", plain)
    for other in (less, np.full_like(less, np.nan)):
        with refused(ALIKE[0], "differs", "plain", by=RunError):
            check_surface(ALIKE[0], mine, "plain", other)


class Run:
    """Steps of 6 s on a clock of its own, of which the solver has 1.5 s in kernels and 0.5 s in
    phases.
    """

    def __init__(self) -> None:
        self.now = 100.0

    def start(self, _parameters: str, _threads: int) -> Run:
        return self

    def perf_counter(self) -> float:
        return self.now

    def step(self) -> None:
        self.now += 6.0

    def kernels(self) -> list[dict[str, Any]]:
        share = (self.now - 100.0) / 6.0
        return [
            {"name": "solve_tiles", "seconds": 1.5 * share},
            {"name": "tracers", "seconds": 2.0 * share},
        ]

    def phases(self) -> list[dict[str, Any]]:
        share = (self.now - 100.0) / 6.0
        return [
            {"name": "solver_halo", "seconds": 0.5 * share},
            {"name": "solve_tiles", "seconds": 1.5 * share},
            {"name": "tracer_boundary", "seconds": 1.0 * share},
        ]


def test_a_timestep_beside_veros_is_a_whole_one_without_its_solve(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = Run()
    monkeypatch.setattr(veros_peer, "load_core", lambda: run)
    monkeypatch.setattr(veros_peer, "time", run)
    own = veros_peer.Own(veros_peer.study([32, 24, 6], "upwind"))
    assert own.turn(3) == pytest.approx({"timestep": 6.0, "solve": 2.0})


def test_the_solver_of_a_timestep_has_its_kernels() -> None:
    own = veros_peer.Own(veros_peer.study([32, 24, 6], "centred"))
    found = own.turn(2)
    assert 0 < found["solve"] < found["timestep"]

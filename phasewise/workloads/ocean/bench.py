"""`phasewise bench ocean`: timesteps of an ocean and solves of its free surface, with each kernel
against the machine's measured roof. Cases are the grids of the source (POP), of which the largest
has the solver alone, and every solver with every preconditioner on one grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.driver import Core, Run
from phasewise.mpi.ranks import collectively
from phasewise.mpi.working import at
from phasewise.output import number_of, print_table
from phasewise.report.benching import Bench, show_kernels
from phasewise.runs.timing import WARM_UP_TURNS, measure
from phasewise.study import Study
from phasewise.study.laboratory import rate_of
from phasewise.study.reading import apply_override
from phasewise.workloads.ocean.communication import OceanCommunication
from phasewise.workloads.ocean.grid import TENTH, X1, X4TENTHS
from phasewise.workloads.ocean.kernels import OF_SOLVER
from phasewise.workloads.ocean.model import model_of
from phasewise.workloads.ocean.table import CHRONGEAR, DIAGONAL, EVP, PCG, PCSI, PIPELINED

CASES: dict[str, dict[str, Any]] = {
    X1: {"grid": X1},
    X4TENTHS: {"grid": X4TENTHS, "baroclinic": False},
    TENTH: {"grid": TENTH, "baroclinic": False, "solver": CHRONGEAR, "preconditioner": DIAGONAL,
            "iterations": 50},
}  # fmt: skip
"""The keys of each case; at a tenth of a degree a fixed number of iterations is timed."""
COMPARED = tuple(
    (solver, preconditioner)
    for preconditioner in (DIAGONAL, EVP)
    for solver in (PCG, CHRONGEAR, PIPELINED, PCSI)
)
SOLVERS = "solvers"
TIMESTEPS = {X1: 5, X4TENTHS: 5, TENTH: 3, SOLVERS: 3}
"""Timesteps that are timed, unless --turns gives it."""
MOST_TIMESTEPS = 100_000


def case_tables(case: str, **own: Any) -> dict[str, Any]:
    """The study of a case."""
    return {
        "title": f"benchmark {case}",
        "workload": "ocean",
        "timesteps": MOST_TIMESTEPS,
        "ocean": {**CASES[case], **own},
        "communication": {},
    }


def _study(tables: dict[str, Any], overrides: Sequence[str], ranks: int) -> Study:
    for override in overrides:
        apply_override(tables, override)
    study = Study.from_dict(tables)
    study.check_ranks(ranks)
    return study


def _seconds_of_solve(found: dict[str, Any], timesteps: int) -> float:
    """Those of the solver's kernels on rank 0, and of its phases."""
    kernels = sum(one["seconds"] for one in found["kernels"] if one["name"] in OF_SOLVER)
    phases = sum(one["seconds"] for one in found["phases"] if one["name"] in OF_SOLVER)
    return float(kernels + phases / (timesteps + WARM_UP_TURNS))


class OceanBench(Bench):
    """Its benchmark."""

    CASES = (*CASES, SOLVERS)

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> dict[str, Any]:
        """Time a case on the ranks of this run; collective."""
        count = turns or TIMESTEPS[case]
        if case != SOLVERS:
            return self._point(core, case, case_tables(case), overrides, threads, count)
        points: list[dict[str, Any]] = []
        for done, (solver, preconditioner) in enumerate(COMPARED):
            at("point", done, len(COMPARED), f"{solver} with {preconditioner}")
            roof = points[0]["roof"] if points else None
            tables = case_tables(X4TENTHS, solver=solver, preconditioner=preconditioner)
            found = self._point(core, X4TENTHS, tables, overrides, threads, count, roof)
            points.append(found)
        return {"case": case, "ranks": core.size(), "threads": threads, "points": points}

    def _point(
        self,
        core: Core,
        case: str,
        tables: dict[str, Any],
        overrides: Sequence[str],
        threads: int,
        turns: int,
        roof: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        study = collectively(core, lambda: _study(tables, overrides, core.size()))
        model, ways = model_of(study), study.communication
        assert isinstance(ways, OceanCommunication)

        def figures(run: Run, seconds: float) -> dict[str, Any]:
            record = run.record()
            return {
                "iterations": int(record["iterations"]),
                "residual": float(record["residual"]),
                "simulated_years_per_day": rate_of(study)[0] / seconds,
            }

        found = measure(core, study, threads, turns, figures, roof)
        solve = _seconds_of_solve(found, turns)
        return {
            "case": case,
            "grid": list(model.size) if model.baroclinic else list(model.size[:2]),
            "solver": model.solver,
            "preconditioner": model.preconditioner,
            "kernel": ways.kernel,
            **found,
            "seconds_per_solve": solve,
            "seconds_per_iteration": solve / max(1, found["iterations"]),
        }

    def rates(self, result: dict[str, Any]) -> dict[str, float]:
        """Simulated years a day, of each point."""
        return {
            f"simulated years a day, {point['solver']} with {point['preconditioner']}": point[
                "simulated_years_per_day"
            ]
            for point in result.get("points", [result])
        }

    def show(self, result: dict[str, Any]) -> None:
        """Print a measurement as tables."""
        self.show_points([result])
        if "points" in result:
            return
        dearest_first = sorted(result["kernels"], key=lambda one: -one["seconds"])
        show_kernels(dearest_first, "timestep")

    def show_points(self, results: Sequence[dict[str, Any]]) -> None:
        """Print several measurements in one table."""
        rows = [
            [one["case"], " × ".join(map(str, one["grid"])), one["solver"], one["preconditioner"],
             one["kernel"], f"{number_of(one['ranks'], 'rank')} × {one['threads']}",
             f"{1e3 * one['seconds_per_timestep']:.2f}", str(one["iterations"]),
             f"{1e3 * one['seconds_per_solve']:.2f}", f"{1e3 * one['seconds_per_iteration']:.3f}",
             f"{one['simulated_years_per_day']:.3g}"]
            for result in results
            for one in result.get("points", [result])
        ]  # fmt: skip
        heads = [
            "", "grid", "solver", "preconditioner", "kernel", "ranks × threads", "ms a timestep",
            "iterations", "ms a solve", "ms an iteration", "simulated years a day",
        ]  # fmt: skip
        print_table("timesteps of an ocean, and solves of its surface", heads, rows)

"""`phasewise bench atmosphere`: timesteps of columns on the grids of T42 and T85, with each kernel
against the machine's measured roof, and every scheme of balance on the smaller grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.driver import Core, Run
from phasewise.mpi.ranks import collectively
from phasewise.mpi.working import at
from phasewise.output import print_table
from phasewise.report.benching import Bench, show_kernels
from phasewise.runs.timing import measure
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.workloads.atmosphere.communication import BALANCES, AtmosphereCommunication
from phasewise.workloads.atmosphere.model import model_of

T42, T85, SCHEMES = "t42", "t85", "schemes"
GRIDS = {T42: (64, 128), T85: (128, 256)}
"""Latitudes and longitudes of each case."""
TIMESTEPS = {T42: 10, T85: 3, SCHEMES: 6}
"""Timesteps that are timed, unless --turns gives it."""


def case_tables(case: str, **ways: Any) -> dict[str, Any]:
    """The study of a case."""
    return {
        "title": f"benchmark {case}",
        "workload": "atmosphere",
        "timesteps": 100_000,
        "atmosphere": {"grid": list(GRIDS[case])},
        "communication": ways,
    }


def _study(tables: dict[str, Any], overrides: Sequence[str], ranks: int) -> Study:
    for override in overrides:
        apply_override(tables, override)
    study = Study.from_dict(tables)
    study.check_ranks(ranks)
    return study


class AtmosphereBench(Bench):
    """Its benchmark."""

    CASES = (*GRIDS, SCHEMES)

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> dict[str, Any]:
        """Time a case on the ranks of this run; collective."""
        count = turns or TIMESTEPS[case]
        if case != SCHEMES:
            return _point(core, case, case_tables(case), overrides, threads, count)
        points: list[dict[str, Any]] = []
        for done, balance in enumerate(BALANCES):
            at("point", done, len(BALANCES), balance)
            roof = points[0]["roof"] if points else None
            tables = case_tables(T42, balance=balance)
            points.append(_point(core, T42, tables, overrides, threads, count, roof))
        return {"case": case, "ranks": core.size(), "threads": threads, "points": points}

    def rates(self, result: dict[str, Any]) -> dict[str, float]:
        """Columns a second, of each point."""
        return {
            f"columns a second, balance = {point['balance']}": point["columns_per_second"]
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
            [one["case"], " × ".join(map(str, one["grid"])), one["kernel"],
             f"{one['ranks']} × {one['threads']}",
             one["balance"], f"{1e3 * one['seconds_per_timestep']:.2f}",
             f"{one['columns_per_second']:.3g}",
             f"{one['load_before']:.3f}", f"{one['load_after']:.3f}", str(one["moved"])]
            for result in results
            for one in result.get("points", [result])
        ]  # fmt: skip
        heads = [
            "", "grid", "kernel", "ranks × threads", "balance", "ms a timestep",
            "columns/s", "load", "after", "moved",
        ]  # fmt: skip
        print_table("columns of an atmosphere", heads, rows)


def _point(
    core: Core,
    case: str,
    tables: dict[str, Any],
    overrides: Sequence[str],
    threads: int,
    turns: int,
    roof: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """What a study takes; collective."""
    study = collectively(core, lambda: _study(tables, overrides, core.size()))
    model, ways = model_of(study), study.communication
    assert isinstance(ways, AtmosphereCommunication)

    def figures(run: Run, seconds: float) -> dict[str, Any]:
        record = run.record()
        return {
            "columns_per_second": model.columns / seconds,
            "load_before": float(record["load_before"]),
            "load_after": float(record["load_after"]),
            "moved": int(record["moved"]),
        }

    found = measure(core, study, threads, turns, figures, roof)
    return {
        "case": case,
        "grid": list(model.grid),
        "levels": model.levels,
        "balance": ways.balance,
        "kernel": ways.kernel,
        "chunk": ways.chunk,
        **found,
    }

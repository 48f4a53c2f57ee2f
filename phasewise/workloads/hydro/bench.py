"""`phasewise bench hydro`: timesteps of gas dynamics, with each kernel against the machine's
measured roof. Cases are the blast wave of the source (EVH1) on three grids, the blast waves of
Woodward and Colella in two dimensions, and an explosion in a cube.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.driver import Core, Run
from phasewise.mpi.ranks import collectively
from phasewise.output import number_of, print_table
from phasewise.report.benching import Bench, show_kernels
from phasewise.runs.timing import measure
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.workloads.hydro.communication import HydroCommunication
from phasewise.workloads.hydro.model import model_of
from phasewise.workloads.hydro.problems import BLASTS, EVH1, SEDOV

GRIDS = {
    "evh1-512": (EVH1, [512, 512]),
    "evh1-256": (EVH1, [256, 256]),
    "evh1-128": (EVH1, [128, 128]),
    "blast-waves": (BLASTS, [400, 64]),
    "cube": (SEDOV, [64, 64, 64]),
}
"""Problem and zones of each case."""
TIMESTEPS = 10
"""Timesteps that are timed, unless --turns gives it."""


def case_tables(case: str) -> dict[str, Any]:
    """The study of a case, which no time ends."""
    problem, zones = GRIDS[case]
    return {
        "title": f"benchmark {case}",
        "workload": "hydro",
        "timesteps": 100_000,
        "hydro": {"problem": problem, "zones": list(zones), "until": 0.0},
        "communication": {},
    }


def _study(case: str, overrides: Sequence[str], ranks: int) -> Study:
    tables = case_tables(case)
    for override in overrides:
        apply_override(tables, override)
    study = Study.from_dict(tables)
    study.check_ranks(ranks)
    return study


class HydroBench(Bench):
    """Its benchmark."""

    CASES = tuple(GRIDS)

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> dict[str, Any]:
        """Time a case on the ranks of this run; collective."""
        study = collectively(core, lambda: _study(case, overrides, core.size()))
        model, ways = model_of(study), study.communication
        assert isinstance(ways, HydroCommunication)

        def figures(run: Run, seconds: float) -> dict[str, Any]:
            sweeps = model.zone_count * len(model.zones)
            return {
                "ns_per_zone_sweep": 1e9 * seconds / sweeps,
                "newton_steps": float(run.record()["newton_steps"]),
            }

        found = measure(core, study, threads, turns or TIMESTEPS, figures)
        return {
            "case": case,
            "zones": list(model.zones),
            "riemann": model.riemann,
            "kernel": ways.kernel,
            "batch": ways.batch,
            **found,
        }

    def show(self, result: dict[str, Any]) -> None:
        """Print a measurement as tables."""
        self.show_points([result])
        dearest_first = sorted(result["kernels"], key=lambda one: -one["seconds"])
        show_kernels(dearest_first, "timestep")

    def show_points(self, results: Sequence[dict[str, Any]]) -> None:
        """Print several measurements in one table."""
        rows = [
            [one["case"], " × ".join(map(str, one["zones"])), one["kernel"], str(one["batch"]),
             one["riemann"], f"{one['newton_steps']:.2f}",
             f"{number_of(one['ranks'], 'rank')} × {one['threads']}",
             f"{1e3 * one['seconds_per_timestep']:.3f}", f"{one['ns_per_zone_sweep']:.1f}"]
            for one in results
        ]  # fmt: skip
        heads = [
            "", "zones", "kernel", "batch", "riemann", "Newton steps", "ranks × threads",
            "ms a timestep", "ns a zone and sweep",
        ]  # fmt: skip
        print_table("gas dynamics by sweeps", heads, rows)

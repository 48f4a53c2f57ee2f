"""`phasewise bench qcd`: the hopping matrix and conjugate gradients on this machine, and the four
figures by which the source judges one. The number of iterations is fixed, and the links are random.
Cases that make configurations are in bench_updates.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from phasewise.driver import Core, Run
from phasewise.errors import StudyError
from phasewise.mpi.ranks import collectively
from phasewise.output import console, print_table
from phasewise.report.benching import Bench, show_kernels
from phasewise.runs.timing import WARM_UP_TURNS, measure
from phasewise.study import Study
from phasewise.study.laboratory import grid_on
from phasewise.study.reading import apply_override
from phasewise.workloads.qcd import bench_updates
from phasewise.workloads.qcd.communication import check_process_grid
from phasewise.workloads.qcd.four_figures import (
    EXPLAINED,
    HALO,
    HEADS,
    HOPPING_FLOPS,
    SUM,
    convention,
    figure_texts,
    four_figures,
    iteration_flops,
    volume_texts,
)
from phasewise.workloads.qcd.model import model_of

SIZES = {
    "small": (8, 8, 8, 16),
    "cache": (4, 4, 4, 8),
    "medium": (16, 16, 16, 32),
    "seed": (24, 24, 24, 48),
}
"""Sites along x, y, z and t. Those of `cache` are a rank's, and the ranks stand along t."""
ITERATIONS = 100
TURNS = 3
"""Number of solves that are timed, unless --turns gives it."""


CLOVER = 1.923076923
"""c_sw of the case `seed`, the source's."""
KAPPA, CLOVER_KAPPA = 0.2, 0.14
"""With these the residual falls by some nine digits in ITERATIONS iterations, and stays above the
smallest numbers of single precision.
"""


def measured_figures(found: Mapping[str, Any], flops: float, cores: int) -> dict[str, float]:
    """The source's four figures of rank 0, from the flops of a solve."""
    turns = int(found["solves"]) + WARM_UP_TURNS

    def of_a_solve(start: str, key: str) -> float:
        own = (phase for phase in found["phases"] if phase["name"].startswith(start))
        return sum(float(phase[key]) for phase in own) / turns

    inside, sums = of_a_solve(HALO, "seconds"), of_a_solve(SUM, "seconds")
    moved = 2 * of_a_solve(HALO, "bytes")
    return four_figures(flops, cores, found["seconds_per_solve"], inside, moved, sums)


def _study(case: str, overrides: Sequence[str], ranks: int) -> Study:
    x, y, z, t = SIZES[case]
    size = [x, y, z, t * ranks if case == "cache" else t]
    tables: dict[str, Any] = {
        "workload": "qcd",
        "solves": 1,
        "lattice": {"size": size},
        "gauge": {"start": "hot"},
        "quarks": {"kappa": KAPPA},
        "solver": {"iterations": ITERATIONS},
        "communication": {},
    }
    if case == "seed":
        tables["quarks"] = {"kappa": CLOVER_KAPPA, "clover": CLOVER}
    for override in overrides:
        apply_override(tables, override)
    study = Study.from_dict(tables)
    if model_of(study).solver.iterations is None:
        raise StudyError("bench qcd times a fixed number of solver.iterations: give no others")
    if model_of(study).solver.method != "cg":
        raise StudyError(
            'bench qcd counts the flops of conjugate gradients: leave solver.method = "cg"'
        )
    check_process_grid(model_of(study), study.communication, ranks)
    return study


class QcdBench(Bench):
    """Its benchmark."""

    CASES = (*SIZES, *bench_updates.CASES)
    PRECISION = "solver.precision"
    """The key that --precision sets."""

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> dict[str, Any]:
        """Time a case on the ranks of this run; collective."""
        if case in bench_updates.CASES:
            return bench_updates.measured(core, case, overrides, threads, turns)
        study = collectively(core, lambda: _study(case, overrides, core.size()))
        model = model_of(study)
        iterations, cores = model.solver.most * model.right_sides, core.size() * threads
        flops = iteration_flops(model)

        def figures(_run: Run, seconds: float) -> dict[str, Any]:
            iteration = seconds / iterations
            rate = flops * model.sites / 2 / iteration
            return {
                "seconds_per_iteration": iteration,
                "solver": {
                    "gigaflops_per_core": rate / cores / 1e9,
                    "ns_per_site": 1e9 * iteration * cores / model.sites,
                    "flops_per_site": flops,
                },
            }

        found = measure(core, study, threads, turns or TURNS, figures)
        kernels = {kernel["name"]: kernel for kernel in found["kernels"]}
        double = model.solver.precision == "double"
        hopping = kernels["hopping" if double else "hopping_single"]
        found["hopping"] = {
            "gigaflops_per_core": HOPPING_FLOPS
            * hopping["items"]
            / hopping["seconds"]
            / threads
            / 1e9,
            "ns_per_site": 1e9 * hopping["seconds"] * threads / hopping["items"],
            "roof_share": hopping["roof_share"],
            "flops_per_site": HOPPING_FLOPS,
        }
        # The hopping matrix has a roof; the solver's share is that part of its time.
        share = hopping["seconds"] / found["seconds_per_solve"]
        found["solver"]["roof_share"] = hopping["roof_share"] * share
        found["four_figures"] = measured_figures(found, flops * model.sites / 2 * iterations, cores)
        return {
            "case": case,
            "lattice": list(model.lattice.size),
            "process_grid": grid_on(study, core.size()),
            "precision": model.solver.precision,
            **found,
        }

    def show(self, result: dict[str, Any]) -> None:
        """Print a measurement as tables."""
        if result["case"] in bench_updates.CASES:
            bench_updates.show(result)
            return
        size = "×".join(map(str, result["lattice"]))
        cores = result["ranks"] * result["threads"]
        sites = math.prod(result["lattice"])
        rows = [
            [name, f"{own['gigaflops_per_core']:.2f}", f"{own['ns_per_site']:.2f}",
             f"{100 * own['roof_share']:.0f}", str(own["flops_per_site"])]
            for name, own in (("hopping matrix", result["hopping"]), ("solver", result["solver"]))
        ]  # fmt: skip
        heads = ["", "Gflop/s a core", "ns a site", "% of roof", "flops a site"]
        print_table(f"{size}, {sites} sites on {cores} cores, {result['precision']}", heads, rows)
        show_figures([result], f"process grid {result['process_grid']}")
        show_kernels((one for one in result["kernels"] if one["seconds"] > 0), "solve")

    def show_points(self, results: Sequence[dict[str, Any]]) -> None:
        """Print measurements of several cases or numbers of ranks as tables."""
        updates = [point for point in results if point["case"] in bench_updates.CASES]
        if updates:
            bench_updates.show_points(updates)
        results = [point for point in results if point["case"] not in bench_updates.CASES]
        if not results:
            return
        heads = [
            "case", "lattice", "ranks × threads", "process grid", "Gflop/s a core: hopping matrix",
            "% of roof", "solver",
        ]  # fmt: skip
        rows = [
            [point["case"], "×".join(map(str, point["lattice"])),
             f"{point['ranks']} × {point['threads']}", point["process_grid"],
             f"{point['hopping']['gigaflops_per_core']:.2f}",
             f"{100 * point['hopping']['roof_share']:.0f}",
             f"{point['solver']['gigaflops_per_core']:.2f}"]
            for point in results
        ]  # fmt: skip
        print_table(f"{results[0]['precision']} precision", heads, rows)
        show_figures(results, "the source's four figures")

    def rates(self, result: dict[str, Any]) -> dict[str, float]:
        """Solves or trajectories per second."""
        if result["case"] in bench_updates.CASES:
            return {"trajectories per second": 1.0 / result["seconds_per_trajectory"]}
        return super().rates(result)


def show_figures(results: Sequence[dict[str, Any]], title: str) -> None:
    """Print the source's four figures of measurements against cores and volume."""
    print_table(title, list(HEADS), [_figures_row(result) for result in results])
    flops = dict.fromkeys(result["solver"]["flops_per_site"] for result in results)
    lines = [EXPLAINED, *map(convention, flops)]
    console().print(".\n".join(lines) + ".", soft_wrap=True)


def _figures_row(result: dict[str, Any]) -> list[str]:
    size, cores = result["lattice"], result["ranks"] * result["threads"]
    return [*volume_texts(size, cores), *figure_texts(result["four_figures"])]

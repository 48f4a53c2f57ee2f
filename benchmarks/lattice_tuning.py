"""How much slower than the best is what `phasewise tune` chooses for a solve of lattice QCD.

    .venv/bin/python -m benchmarks.lattice_tuning --cache DIR --machines altix,jaguar

On each machine process grids × layouts × protocols × spinors × overlap are simulated on 64 ranks:
the process grids of least surface, and as many again spread over all others, which the tuner may
not even look at. Then the tuner chooses with its model and at most eight simulations. Times are of
a whole solve of few iterations; the reference is a simulator, not hardware.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from phasewise.errors import PhasewiseError
from phasewise.machines import Machine, load_machine
from phasewise.options import count
from phasewise.output import message, print_json, print_table
from phasewise.reproduction.telling import Telling
from phasewise.simulated.many import simulate_many
from phasewise.study import Study
from phasewise.tuning.candidates import PlainCandidate
from phasewise.tuning.choice import tune
from phasewise.tuning.search import Problem
from phasewise.tuning.verification import simulation_task
from phasewise.workloads.lattice.communication import SPINORS, grid_of
from phasewise.workloads.lattice.grids import fitting_grids, surface_ratio
from phasewise.workloads.lattice.tuning import unlike_layouts

SIZE = (16, 16, 16, 32)
RANKS = 64
ITERATIONS = 2
GRIDS = 8
"""Process grids of least surface that are simulated, and of others."""
PROTOCOLS = ("irecv-isend", "sendrecv", "post-start", "put")
"""One of each sort: at once, in pairs, and one-sided by two sides and by one."""
VERIFIED = 8


def solve() -> Study:
    """A solve of few iterations."""
    return Study.from_dict(
        {
            "workload": "lattice",
            "title": "tuned",
            "solves": 1,
            "lattice": {"size": list(SIZE)},
            "quarks": {"kappa": 0.12},
            "solver": {"iterations": ITERATIONS},
        }
    )


def swept(machine: Machine) -> list[PlainCandidate]:
    """What is simulated."""
    every = fitting_grids(SIZE, RANKS)
    grids = sorted(every, key=lambda grid: (surface_ratio(SIZE, grid), grid))
    others = grids[GRIDS :: max(1, (len(grids) - GRIDS) // GRIDS)][:GRIDS]
    values = {
        "process_grid": [grid_of(grid) for grid in [*grids[:GRIDS], *others]],
        "layout": unlike_layouts(RANKS, machine),
        "halo": PROTOCOLS,
        "spinors": SPINORS,
        "overlap": (False, True),
    }
    return [
        PlainCandidate(tuple(zip(values, one, strict=True))) for one in product(*values.values())
    ]


def regret(name: str, cache: Path, workers: int) -> dict[str, Any]:
    """One line of the table; StudyError or RunError if something cannot be simulated."""
    machine, study = load_machine(name), solve()
    every = swept(machine)
    tasks = [simulation_task(study, machine, RANKS, one) for one in every]
    found = simulate_many(tasks, cache, workers, Telling(f"simulations of {name}"))
    seconds = [float(summary["turn_seconds"]) for summary in found]
    choice = tune(Problem(study, machine, RANKS), VERIFIED, cache).choice
    assert choice.verified is not None
    best = min(seconds)
    return {
        "machine": name,
        "ranks": RANKS,
        "simulated": len(every),
        "best_seconds": best,
        "median_seconds": statistics.median(seconds),
        "worst_seconds": max(seconds),
        "best": every[seconds.index(best)].communication(),
        "choice": choice.candidate.communication(),
        "choice_seconds": choice.verified,
        "regret": choice.verified / best - 1,
    }


def show(rows: Sequence[dict[str, Any]]) -> None:
    """The rows as a table; times in ms."""
    times = ("best", "median", "worst", "choice")
    table = [
        [
            row["machine"],
            str(row["simulated"]),
            *(f"{1e3 * row[f'{name}_seconds']:.4g}" for name in times),
            f"{100 * row['regret']:+.1f} %",
            " ".join(str(value) for value in row["best"].values()),
            " ".join(str(value) for value in row["choice"].values()),
        ]
        for row in rows
    ]
    title = f"a solve on {RANKS} simulated ranks, in ms: a simulator, not hardware"
    heads = ["machine", "ways", *times, "regret", "the best", "the choice"]
    print_table(title, heads, table)


def main(words: Sequence[str]) -> int:
    """Simulate all, let the tuner choose, and print the regret; the exit status."""
    parser = argparse.ArgumentParser(description="The tuner's choice of a lattice's exchanges.")
    parser.add_argument("--cache", type=Path, required=True, metavar="DIR", help="simulations")
    parser.add_argument("--machines", default="altix,jaguar", metavar="M,M,…")
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="processes")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    try:
        rows = [regret(one, options.cache, options.workers) for one in options.machines.split(",")]
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    if options.json:
        print_json({"reference": "simulator", "rows": rows})
    else:
        show(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

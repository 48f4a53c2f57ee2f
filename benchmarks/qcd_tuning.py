"""How much slower than the best choice that of `phasewise tune` is for a solve of lattice QCD.

    .venv/bin/python -m benchmarks.qcd_tuning --cache DIR --machines altix,jaguar

On each machine a solve on 64 ranks is simulated in two stages: first on every process grid that
divides the lattice into even extents, in every distinct layout, by one protocol of each kind, with
half spinors, with and without overlap; then on the fastest grids and layouts, by every protocol
that a tuner compares, with both kinds of spinors, with and without overlap. Then the tuner chooses
with its model and at most eight simulations. Times are those of a whole solve of few iterations;
the reference is a simulator, not hardware.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
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
from phasewise.workload.grids import grid_of
from phasewise.workload.protocols import comparable
from phasewise.workloads.qcd.communication import SPINORS
from phasewise.workloads.qcd.grids import fitting_grids
from phasewise.workloads.qcd.tuning import unlike_layouts

SIZE = (16, 16, 16, 32)
RANKS = 64
ITERATIONS = 2
PROTOCOLS = ("irecv-isend", "put")
"""Protocols of the first stage: a two-sided and a one-sided one."""
PLACES = 6
"""How many process grids with a layout the second stage takes: the fastest of the first one."""
VERIFIED = 8


def solve() -> Study:
    """A solve of few iterations."""
    return Study.from_dict(
        {
            "workload": "qcd",
            "title": "tuned",
            "solves": 1,
            "lattice": {"size": list(SIZE)},
            "quarks": {"kappa": 0.12},
            "solver": {"iterations": ITERATIONS},
        }
    )


def first_stage(machine: Machine) -> list[PlainCandidate]:
    """Every process grid in every distinct layout, each with few ways to exchange."""
    return _ways(
        {
            "process_grid": [grid_of(*grid) for grid in fitting_grids(SIZE, RANKS)],
            "layout": unlike_layouts(RANKS, machine),
            "halo": PROTOCOLS,
            "spinors": SPINORS[:1],
            "overlap": (False, True),
        }
    )


def second_stage(found: Mapping[PlainCandidate, float]) -> list[PlainCandidate]:
    """The fastest grids and layouts of the first stage, each with all other ways to exchange."""
    ranked = sorted(found, key=lambda one: found[one])
    places = list(dict.fromkeys(one.place for one in ranked))[:PLACES]
    every = [
        one
        for grid, layout in places
        for one in _ways(
            {
                "process_grid": [grid],
                "layout": [layout],
                "halo": comparable(),
                "spinors": SPINORS,
                "overlap": (False, True),
            }
        )
    ]
    return [one for one in every if one not in found]


def _ways(values: Mapping[str, Iterable[Any]]) -> list[PlainCandidate]:
    return [
        PlainCandidate(tuple(zip(values, one, strict=True))) for one in product(*values.values())
    ]


def sweep(study: Study, machine: Machine, cache: Path, workers: int) -> dict[PlainCandidate, float]:
    """Seconds of a solve for every candidate of both stages."""

    def seconds_of(ways: Sequence[PlainCandidate]) -> dict[PlainCandidate, float]:
        tasks = [simulation_task(study, machine, RANKS, one) for one in ways]
        tell = Telling(f"simulations of {machine.name}")
        simulated = simulate_many(tasks, cache, workers, tell)
        times = (float(summary["turn_seconds"]) for summary in simulated)
        return dict(zip(ways, times, strict=True))

    first = seconds_of(first_stage(machine))
    return first | seconds_of(second_stage(first))


def regret(name: str, cache: Path, workers: int) -> dict[str, Any]:
    """One line of the table; StudyError or RunError if something cannot be simulated."""
    machine, study = load_machine(name), solve()
    found = sweep(study, machine, cache, workers)
    choice = tune(Problem(study, machine, RANKS), VERIFIED, cache).choice
    assert choice.verified is not None
    best = min(found, key=lambda one: found[one])
    return {
        "machine": name,
        "ranks": RANKS,
        "simulated": len(found),
        "best_seconds": found[best],
        "median_seconds": statistics.median(found.values()),
        "worst_seconds": max(found.values()),
        "best": best.communication(),
        "choice": choice.candidate.communication(),
        "choice_seconds": choice.verified,
        "regret": choice.verified / found[best] - 1,
    }


def show(rows: Sequence[dict[str, Any]]) -> None:
    """Print the rows as a table; times are in ms."""
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
    """Simulate all, let the tuner choose, print the regret; return the exit status."""
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

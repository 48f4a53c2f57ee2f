"""Solves of lattice QCD in many ways on the ranks of this run; rank 0 prints a hash of each."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np

from phasewise.driver import load_core
from phasewise.study import Study
from phasewise.workload.grids import grid_of
from phasewise.workload.protocols import available
from phasewise.workloads.qcd.communication import LAYOUTS, SUMS, THREAD
from phasewise.workloads.qcd.grids import fitting_grids
from tests.mpi.pairwise import Choice, cover, written

SIZE = (12, 8, 8, 8)
RANKS = (1, 2, 3, 4, 12, 16)
GRIDS = 5
"""Process grids of a number of ranks that are compared, spread over all."""

SOLVERS: dict[str, dict[str, Any]] = {
    "cg": {"iterations": 3},
    "mixed": {"iterations": 4, "precision": "mixed"},
    "bicgstab": {"iterations": 2, "method": "bicgstab"},
}
"""Each has results of its own."""
CLOVER = {"cg": 0.0, "mixed": 0.0, "bicgstab": 1.1}
"""With a clover term most of the time goes into making it."""

FIELD = "full plain derived"
"""Spinors, kernel and blocks: derived blocks need the others. fast-12: with two rows of a link."""
FACES = (
    *(f"{spinors} {kernel} {blocks}" for spinors in ("half", "full")
      for kernel in ("fast", "fast-12", "plain") for blocks in ("packed", "runs")),
    FIELD,
)  # fmt: skip
OVERLAPS: dict[str, bool | str] = {"no": False, "yes": True, "thread": THREAD}


def keys() -> dict[str, tuple[str, ...]]:
    """What differs between the ways of this build."""
    return {
        "ranks": tuple(map(str, RANKS)),
        "halo": available(),
        "faces": FACES,
        "grid": tuple(map(str, range(GRIDS))),
        "overlap": tuple(OVERLAPS),
        "layout": LAYOUTS,
        "solver": tuple(SOLVERS),
        "threads": ("1", "2", "3"),
    }


def ways(ranks: int) -> list[Choice]:
    """Those of a cover of all pairs of values that run on so many ranks."""
    return [choice for choice in cover(keys()) if int(choice["ranks"]) == ranks]


def grid(ranks: int, number: int) -> str:
    """The process grid of this number, of those spread over all that fit."""
    every = list(fitting_grids(SIZE, ranks))
    return grid_of(*every[number * len(every) // GRIDS])


def communication(choice: Choice) -> dict[str, Any]:
    """The study's table of a way."""
    spinors, kernel, blocks = choice["faces"].split()
    kernel, _, link_reals = kernel.partition("-")
    return {
        "process_grid": grid(int(choice["ranks"]), int(choice["grid"])),
        "spinors": spinors, "kernel": kernel, "blocks": blocks,
        "link_reals": int(link_reals or 18),
        "halo": choice["halo"], "layout": choice["layout"], "sums": SUMS[0],
        "overlap": OVERLAPS[choice["overlap"]],
    }  # fmt: skip


def study(solver: str, own: dict[str, Any]) -> Study:
    """A solve in a random field."""
    return Study.from_dict(
        {
            "workload": "qcd",
            "solves": 1,
            "lattice": {"size": list(SIZE)},
            "gauge": {"start": "hot"},
            "quarks": {"kappa": 0.12, "clover": CLOVER[solver], "phases": [0, 0, 0, 1]},
            "solver": SOLVERS[solver],
            "communication": own,
        }
    )


def fingerprint(of: Study, threads: int) -> str:
    """A hash of all that a solve records."""
    run = load_core().start(of.parameters(), threads)
    run.step()
    record, found = run.record(), hashlib.sha256()
    assert np.isfinite(np.asarray(record["residuals"])).any()
    for name in sorted(record):
        found.update(np.ascontiguousarray(record[name]).tobytes())
    return found.hexdigest()


def main() -> None:
    """Every way of these ranks; on one rank the default with each solver besides."""
    core = load_core()
    found: dict[str, str] = {}
    if core.size() == 1:
        found = {solver: fingerprint(study(solver, {}), 1) for solver in SOLVERS}
    for choice in ways(core.size()):
        name = written(choice)
        if core.rank() == 0:
            print(name, file=sys.stderr, flush=True)
        own = study(choice["solver"], communication(choice))
        found[name] = fingerprint(own, int(choice["threads"]))
    if core.rank() == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main()

"""What the source lacked, on its machines: the overheads of other ways to communicate,
predicted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from phasewise.machines import load_machine
from phasewise.report.tables import Table
from phasewise.workload.grids import grid_of
from phasewise.workloads.qcd.grids import fitting_grids, surface_ratio
from phasewise.workloads.qcd.reproduction.published import Column, columns
from phasewise.workloads.qcd.reproduction.runs import (
    SEEDS_WAY,
    Exchange,
    Run,
    Way,
    predicted,
)

COLUMNS = (
    ("altix-4700", 2, 256),
    ("altix-4700", 2, 512),
    ("altix-4700", 2, 1024),
    ("altix-4700", 2, 2048),
    ("altix-dense", 3, 512),
    ("altix-dense", 3, 1024),
    ("xt4", 6, 512),
    ("p690", 6, 512),
)
"""Machine, table and cores of the columns that are shown; of Table 6, both lattices."""
QUICK_CORES = 512
"""Most cores with --quick."""

HALF: Way = {"spinors": "half"}
OVERLAP: Way = {"halo": "irecv-isend", "overlap": True}
BRICKS: Way = {"layout": "bricks"}

WAYS: Mapping[str, Way] = {
    "the source's": {},
    "half spinors": HALF,
    "overlap": OVERLAP,
    "bricks": BRICKS,
    "these three": {**HALF, **OVERLAP, **BRICKS},
}
"""Keys of [communication] that each way changes of the source's, by the heads of the table."""
GRIDS = 8
"""Number of grids of least surface among which the best is sought."""


def find_overheads(quick: bool, workers: int) -> list[dict[str, Any]]:
    """A record for each column: its overheads by way, and the best grid with its overhead."""
    own = [column for column in columns() if _is_shown(column, quick)]
    runs = {
        (column, f"way {way}"): _run(column, change)
        for column in own
        for way, change in WAYS.items()
    }
    runs |= {
        (column, grid): _run(column, {"process_grid": grid})
        for column in own
        for grid in best_grids(column)
    }
    found = dict(zip(runs, predicted(list(runs.values()), workers), strict=True))
    return [_record(column, found) for column in own]


def _is_shown(column: Column, quick: bool) -> bool:
    named = (column.machine, column.table, column.cores) in COLUMNS
    return named and (column.cores <= QUICK_CORES or not quick)


def best_grids(column: Column) -> list[str]:
    """The process grids of least surface for a column."""
    size = column.size
    every = sorted(
        fitting_grids(size, column.cores), key=lambda grid: (surface_ratio(size, grid), grid)
    )
    return [grid_of(*grid) for grid in every[:GRIDS]]


def _run(column: Column, change: Way) -> Run:
    """A run of a column with some keys changed. Layout `bricks` has to know how many ranks a node
    has.
    """
    nodes = {"node_size": load_machine(column.machine).node_ranks}
    return Run(column, {**SEEDS_WAY, **nodes, **change})


def _record(column: Column, found: Mapping[tuple[Column, str], Exchange]) -> dict[str, Any]:
    own = {grid: found[column, grid].overhead for grid in best_grids(column)}
    best = min(own, key=lambda grid: own[grid])
    return {
        "machine": column.machine,
        "size": list(column.size),
        "cores": column.cores,
        "measured": column.overhead,
        "overhead": {way: found[column, f"way {way}"].overhead for way in WAYS},
        "best_grid": best,
        "best_grid_overhead": own[best],
    }


def table(records: Sequence[Mapping[str, Any]]) -> Table:
    """A row for each column."""
    heads = ("overhead [%]", "cores", "measured", *WAYS, "best grid", "")
    rows = tuple(
        (
            f"{one['machine']}, {'×'.join(map(str, one['size']))}",
            str(one["cores"]),
            f"{100 * one['measured']:.0f}",
            *(f"{100 * share:.1f}" for share in one["overhead"].values()),
            f"{100 * one['best_grid_overhead']:.1f}",
            one["best_grid"],
        )
        for one in records
    )
    note = (
        "Predicted by model contention from the machines' files. Beside the source's way: two of "
        "the four spin components; all faces exchanged at once while inner sites are computed; a "
        "node's ranks placed as the brick of least surface; the best, by this model, of the "
        f"{GRIDS} grids of least surface."
    )
    return Table("What the source lacked", heads, rows, note)

"""The paper on BQCD on the SGI Altix, for `phasewise reproduce`."""

from __future__ import annotations

from pathlib import Path

from phasewise.report.tables import Table
from phasewise.reproduction.source import Chapter
from phasewise.workloads.lattice.grids import least_surface, surface_ratio
from phasewise.workloads.lattice.reproduction.published import SOURCE as CHAPTER_OF
from phasewise.workloads.lattice.reproduction.published import columns
from phasewise.workloads.lattice.reproduction.tables import claims, message_bytes

__all__ = ["CHAPTER_OF", "chapter"]


def chapter(_out: Path, _quick: bool, _workers: int) -> Chapter:
    """What its tables say, by arithmetic alone."""
    return Chapter("Its tables", tuple(claims()), (_table(),))


def _table() -> Table:
    rows = tuple(
        (
            column.machine,
            "×".join(map(str, column.size)),
            str(column.cores),
            "×".join(map(str, least_surface(column.size, column.cores))),
            f"{surface_ratio(column.size, least_surface(column.size, column.cores)):.3f}",
            f"{1e3 * column.iteration_seconds:.3g}",
            f"{100 * column.overhead:.0f}",
            f"{message_bytes(column) / 1e6:.3g}",
            f"{message_bytes(column) / (column.overhead * column.iteration_seconds) / 1e6:.0f}",
            f"{column.bandwidth / 1e6:.0f}",
        )
        for column in columns()
    )
    heads = (
        "machine", "lattice", "cores", "grid", "surface / volume", "iteration [ms]", "overhead [%]",
        "MB a process", "MB/s, from these", "MB/s, the source's",
    )  # fmt: skip
    note = "Grids are those of least surface; messages hold whole spinors and count both ways."
    return Table("Columns of Tables 2, 3 and 6", heads, rows, note)

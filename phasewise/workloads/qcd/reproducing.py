"""The paper on BQCD on the SGI Altix, for `phasewise reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phasewise.report.tables import Table
from phasewise.reproduction.reproducing import Reproducing
from phasewise.reproduction.source import Chapter
from phasewise.workloads.qcd.grids import least_surface, surface_ratio
from phasewise.workloads.qcd.reproduction import (
    beyond,
    overheads,
    pictures,
    puts,
    tables,
    threads,
)
from phasewise.workloads.qcd.reproduction.overheads import Overheads
from phasewise.workloads.qcd.reproduction.published import SOURCE, columns

SIMULATIONS = "simulations"
"""The folder in which simulations are kept."""


class QcdReproducing(Reproducing):
    """Its chapter of the source."""

    CHAPTER_OF = SOURCE

    def chapter(self, out: Path, quick: bool, workers: int) -> Chapter:
        """Check what its tables say: by arithmetic, on simulated machines, and on this machine."""
        threaded = threads.claim(quick)  # first, while nothing else runs
        found = overheads.find_overheads(quick, out / SIMULATIONS, workers)
        lacked = beyond.find_overheads(quick, workers)
        claims = (
            *tables.claims(), threaded, *overheads.claims(found), puts.claim(quick, workers),
        )  # fmt: skip
        record = {"columns": _record(found), "lacked": lacked}
        shown = (_arithmetic(), _overheads(found), beyond.table(lacked))
        figures = pictures.make_figures(found.found, out)
        return Chapter("Its tables", claims, shown, figures, record)


def _arithmetic() -> Table:
    rows = tuple(
        (
            column.machine,
            "×".join(map(str, column.size)),
            str(column.cores),
            "×".join(map(str, least_surface(column.size, column.cores))),
            f"{surface_ratio(column.size, least_surface(column.size, column.cores)):.3f}",
            f"{1e3 * column.iteration_seconds:.3g}",
            f"{100 * column.overhead:.0f}",
            f"{tables.message_bytes(column) / 1e6:.3g}",
            f"{tables.bandwidth(column) / 1e6:.0f}",
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


def _overheads(found: Overheads) -> Table:
    rows = tuple(
        (
            one["machine"],
            "×".join(map(str, one["size"])),
            str(one["cores"]),
            f"{one['measured']['overall_gigaflops']:.0f}",
            f"{one['overall_gigaflops']:.0f}",
            f"{100 * one['measured']['overhead']:.0f}",
            f"{100 * one['overhead']:.1f}",
            one["how"],
        )
        for one in _record(found)
    )
    heads = (
        "machine", "lattice", "cores", "Gflop/s, the source's", "Gflop/s",
        "overhead [%], the source's", "overhead [%]", "reference",
    )  # fmt: skip
    note = (
        "7728 flops an iteration and even site, as the source counts. Compute columns went in; the "
        "reference is a simulator."
    )
    return Table("Overheads of its way", heads, rows, note)


def _record(found: Overheads) -> list[dict[str, Any]]:
    """Each column, as the source measured it and as it is here."""
    return [
        {
            "machine": column.machine,
            "size": list(column.size),
            "cores": column.cores,
            "overall_gigaflops": found.found[column].overall / 1e9,
            "overhead": found.found[column].overhead,
            "how": "simulated" if column in found.simulated else "predicted",
            "measured": {
                "overall_gigaflops": column.overall / 1e9,
                "compute_megaflops_per_core": column.compute / 1e6,
                "exchange_megabytes_per_second": column.bandwidth / 1e6,
                "overhead": column.overhead,
            },
        }
        for column in columns()
    ]

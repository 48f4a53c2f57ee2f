"""COMMTEST's chapter of the slides on the Cray X1, for `phasewise reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phasewise.machines.turn_tables import model_error
from phasewise.machines.turn_times import columns
from phasewise.models.simulated_ranks import MODEL
from phasewise.output import alike
from phasewise.report.tables import Table
from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.reproduction.reproducing import Reproducing
from phasewise.reproduction.source import Chapter
from phasewise.workloads.commtest.bench import LENGTHS
from phasewise.workloads.commtest.reproduction.claims import check_claims
from phasewise.workloads.commtest.reproduction.pictures import SIMULATED, label_of, make_figures
from phasewise.workloads.commtest.reproduction.times import (
    QUICK_LENGTHS,
    Times,
    simulated_times,
)


class CommtestReproducing(Reproducing):
    """Its chapter of the source."""

    CHAPTER_OF = CRAY_X1

    def chapter(self, out: Path, quick: bool, workers: int) -> Chapter:
        """Simulate, and draw into `out`; workers: simulations at the same time."""
        times = simulated_times(QUICK_LENGTHS if quick else LENGTHS, workers)
        return Chapter(
            "COMMTEST",
            check_claims(times),
            (_table(times),),
            make_figures(times, out),
            {"curves": _curves(times)},
        )


def _table(times: Times) -> Table:
    lengths = [n for n in next(iter(times.values())) if n in QUICK_LENGTHS]
    rows = tuple(
        (label_of(curve), *(alike(1e-6 * points[n].bandwidth)[0] for n in lengths))
        for curve, points in times.items()
    )
    heads = ("MB/s of a pair, by bytes", *map(str, lengths))
    return Table("COMMTEST", heads, rows, f"{SIMULATED}; {_model_error(times)}.")


def _model_error(times: Times) -> str:
    found = [point.time for points in times.values() for point in points.values()]
    pairs = ((time.predicted, time.seconds) for time in found if time.predicted)
    return model_error(MODEL, pairs)


def _curves(times: Times) -> list[dict[str, Any]]:
    return [
        {
            "machine": curve.machine,
            "ranks": curve.ranks,
            "operator": curve.operator,
            "protocol": curve.protocol,
            "pairs": curve.pairs,
            "bytes": list(points),
            **columns([point.time for point in points.values()]),
            "bandwidth": [point.bandwidth for point in points.values()],
        }
        for curve, points in times.items()
    ]

"""HALO's chapter of the slides on the Cray X1, for `phasewise reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phasewise.report.tables import Table
from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.reproduction.reproducing import Reproducing
from phasewise.reproduction.source import Chapter
from phasewise.workloads.halo.reproduction.claims import check_claims
from phasewise.workloads.halo.reproduction.pictures import SIMULATED, label_of, make_figures
from phasewise.workloads.halo.reproduction.times import (
    QUICK_WORDS,
    RANKS,
    WORDS,
    Times,
    simulated_times,
)

SIMULATIONS = "simulations"
"""The folder in which simulations are kept."""


class HaloReproducing(Reproducing):
    """Its chapter of the source."""

    CHAPTER_OF = CRAY_X1

    def chapter(self, out: Path, quick: bool, workers: int) -> Chapter:
        """Simulate, and draw into `out`; workers: simulations at the same time."""
        times = simulated_times(QUICK_WORDS if quick else WORDS, out / SIMULATIONS, workers)
        return Chapter(
            "HALO",
            check_claims(times),
            (_table(times),),
            make_figures(times, out),
            {"curves": _curves(times)},
        )


def _table(times: Times) -> Table:
    words = sorted(next(iter(times.values())))
    rows = tuple(
        (label_of(curve), *(f"{1e6 * seconds[n]:.4g}" if n in seconds else "–" for n in words))
        for curve, seconds in times.items()
        if curve.ranks == RANKS
    )
    heads = ("µs an exchange, by words", *(str(n) for n in words))
    return Table(f"HALO on {RANKS} ranks", heads, rows, f"{SIMULATED}.")


def _curves(times: Times) -> list[dict[str, Any]]:
    return [
        {
            "machine": curve.machine,
            "protocol": curve.protocol,
            "ranks": curve.ranks,
            "apart": curve.apart,
            "words": list(seconds),
            "seconds": list(seconds.values()),
        }
        for curve, seconds in times.items()
    ]

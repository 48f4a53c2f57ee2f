"""EVH1's chapter of the slides on the Cray X1, for `phasewise reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.reproduction.reproducing import Reproducing
from phasewise.reproduction.source import Chapter
from phasewise.workloads.hydro.reproduction.claims import check_claims
from phasewise.workloads.hydro.reproduction.listings import LISTINGS
from phasewise.workloads.hydro.reproduction.pictures import make_figures, make_table
from phasewise.workloads.hydro.reproduction.times import FULL, QUICK, Times, predict_all


class HydroReproducing(Reproducing):
    """Its chapter of the source."""

    CHAPTER_OF = CRAY_X1

    def chapter(self, out: Path, quick: bool, workers: int) -> Chapter:
        """Predict, and draw into `out`; workers: predictions at the same time."""
        times, compared = predict_all(QUICK if quick else FULL, workers)
        return Chapter(
            "EVH1",
            check_claims(times, compared),
            (make_table(times),),
            (LISTINGS.make(out, quick), *make_figures(times, out)),
            {"timesteps": _points(times)},
        )


def _points(times: Times) -> list[dict[str, Any]]:
    """What `reproduce --json` has of the chapter."""
    return [
        {
            "machine": way.machine,
            "zones": way.zones,
            "ranks": way.ranks,
            "order": way.order,
            "transpose": way.transpose,
            "seconds": {"plain": time.seconds, "fast": time.fast},
            "communication_seconds": time.communicating,
        }
        for way, time in times.items()
    ]

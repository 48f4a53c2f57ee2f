"""CAM's chapter of the slides on the Cray X1, for `phasewise reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.reproduction.reproducing import Reproducing
from phasewise.reproduction.source import Chapter
from phasewise.workloads.atmosphere.reproduction.charts import make_charts, simulate_pair
from phasewise.workloads.atmosphere.reproduction.claims import check_claims
from phasewise.workloads.atmosphere.reproduction.pictures import make_figures, make_table
from phasewise.workloads.atmosphere.reproduction.times import FULL, QUICK, Times, predict_all


class AtmosphereReproducing(Reproducing):
    """Its chapter of the source."""

    CHAPTER_OF = CRAY_X1

    def chapter(self, out: Path, quick: bool, workers: int) -> Chapter:
        """Predict, then simulate, and draw into `out`; workers: of these at the same time."""
        times = predict_all(QUICK if quick else FULL, workers)
        folders = simulate_pair(out, workers)
        return Chapter(
            "CAM",
            check_claims(times),
            (make_table(times),),
            (*make_figures(times, out), *make_charts(folders, out)),
            {"timesteps": _points(times)},
        )


def _points(times: Times) -> list[dict[str, Any]]:
    """What `reproduce --json` has of the chapter."""
    return [
        {
            "machine": way.machine,
            "ranks": way.ranks,
            "balance": way.balance,
            "bandwidth_over_own": way.factor,
            "seconds": time.seconds,
            "communication_seconds": time.communicating,
            "moving_seconds": time.moving,
            "load": time.load,
            "bytes": time.sent,
        }
        for way, time in times.items()
    ]

"""POP's chapter of the slides on the Cray X1, for `phasewise reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.reproduction.reproducing import Reproducing
from phasewise.reproduction.source import Chapter
from phasewise.workloads.ocean.reproduction.charts import make_charts, simulate_stages
from phasewise.workloads.ocean.reproduction.claims import check_claims
from phasewise.workloads.ocean.reproduction.listings import LISTINGS
from phasewise.workloads.ocean.reproduction.pictures import make_figures, make_table
from phasewise.workloads.ocean.reproduction.times import FULL, QUICK, Times, predict_all


class OceanReproducing(Reproducing):
    """Its chapter of the source."""

    CHAPTER_OF = CRAY_X1

    def chapter(self, out: Path, quick: bool, workers: int) -> Chapter:
        """Predict, then simulate, and draw into `out`; workers: of these at the same time."""
        times = predict_all(QUICK if quick else FULL, workers)
        charted = simulate_stages(times, quick, out, workers)
        return Chapter(
            "POP",
            check_claims(times),
            (make_table(times),),
            (LISTINGS.make(out, quick), *make_figures(times, out), *make_charts(charted, out)),
            {"timesteps": _points(times)},
        )


def _points(times: Times) -> list[dict[str, Any]]:
    """What `reproduce --json` has of the chapter."""
    return [
        {
            "machine": way.machine,
            "stage": way.stage,
            "grid": way.grid,
            "ranks": way.ranks,
            "process_grid": time.process_grid,
            "communication": dict(way.changes),
            "seconds": time.seconds,
            "communication_seconds": time.communicating,
            "communication_share": time.share,
            "simulated_years_per_day": time.years,
        }
        for way, time in times.items()
    ]

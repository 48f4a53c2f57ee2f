"""PSTSWM's chapter of the slides on the Cray X1, for `phasewise reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phasewise.driver import load_core
from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.reproduction.reproducing import Reproducing
from phasewise.reproduction.source import Chapter
from phasewise.workloads.sphere.reproduction.charts import make_charts
from phasewise.workloads.sphere.reproduction.claims import check_claims
from phasewise.workloads.sphere.reproduction.listings import LISTINGS
from phasewise.workloads.sphere.reproduction.measured import Measured, Timings, measure
from phasewise.workloads.sphere.reproduction.pictures import make_figures
from phasewise.workloads.sphere.reproduction.simulated import Simulated, simulate_all
from phasewise.workloads.sphere.reproduction.tables import make_tables
from phasewise.workloads.sphere.reproduction.variants import FULL, QUICK


class SphereReproducing(Reproducing):
    """Its chapter of the source."""

    CHAPTER_OF = CRAY_X1

    def chapter(self, out: Path, quick: bool, workers: int) -> Chapter:
        """Measure, one variant after another, then simulate, and draw into `out`; workers:
        simulations at the same time.
        """
        extent = QUICK if quick else FULL
        measured = measure(load_core(), extent)
        simulated = simulate_all(extent, out, workers)
        figures = (
            LISTINGS.make(out, quick),
            *make_figures(measured, simulated, out),
            *make_charts(simulated, out),
        )
        return Chapter(
            "PSTSWM",
            check_claims(measured, simulated),
            make_tables(measured),
            figures,
            _record(measured, simulated),
        )


def _record(measured: Measured, simulated: Simulated) -> dict[str, Any]:
    """What `reproduce --json` has of the chapter."""
    return {
        "versions": _points(measured.versions),
        "levels": _points(measured.levels),
        "together": dict(measured.together),
        "machines": {
            name: [
                {"truncation": v.truncation, "levels": v.levels, "kernel": v.kernel, "gigaflops": r}
                for v, r in rates.items()
            ]
            for name, rates in simulated.rates.items()
        },
        "algorithms": [
            {"legendre": way.legendre, "sums": way.sums, "slow": way.slow, "seconds": seconds}
            for way, seconds in simulated.seconds.items()
        ],
        "slow_load": dict(simulated.loads),
    }


def _points(timings: Timings) -> list[dict[str, Any]]:
    return [
        {
            "truncation": variant.truncation,
            "levels": variant.levels,
            "kernel": variant.kernel,
            "padding": variant.padding,
            "seconds": list(timing.seconds),
            "gigaflops": timing.gigaflops.median,
            "fft_peak_share": list(timing.fourier),
            "legendre_peak_share": list(timing.legendre),
        }
        for variant, timing in timings.items()
    ]

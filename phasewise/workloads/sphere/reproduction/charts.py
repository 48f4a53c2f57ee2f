"""Task charts and charts of busy, overhead and idle of both algorithms with the slow rank, one
below the other as `phasewise report --beside` makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from phasewise.report.figure import Drawing, Figure, Missing, make_figure
from phasewise.report.reported_run import ReportedRun
from phasewise.report.timeline import draw_states, draw_tasks
from phasewise.workloads.sphere.reproduction.simulated import Simulated
from phasewise.workloads.sphere.reproduction.variants import ALGORITHMS, SLOW

Draw = Callable[[ReportedRun], Drawing | Missing]
SLIDE = "Performance Impact of Load Imbalance"
CHARTS: Mapping[str, tuple[str, Draw]] = {
    "sphere-tasks": ("task", draw_tasks),
    "sphere-states": ("busy, overhead and idle", draw_states),
}
"""By name: what it shows, and what draws it."""


def make_charts(simulated: Simulated, out: Path) -> tuple[Figure, ...]:
    """The pairs of charts; PNG files go into `out`."""
    above, below = (simulated.charts[name] for name in ALGORITHMS)
    run = ReportedRun(above, beside=below)
    try:
        return tuple(
            make_figure(name, f"{SLIDE} ({words})", partial(_drawn, run, draw), out)
            for name, (words, draw) in CHARTS.items()
        )
    finally:
        run.close()


def _drawn(run: ReportedRun, draw: Draw) -> Drawing | Missing:
    drawing = draw(run)
    if isinstance(drawing, Missing):
        return drawing
    ((rank, times),) = SLOW.items()
    caption = (
        f"With rank {rank} slow by {times:g}: above with a transpose, below with sums along a "
        f"ring. {drawing.caption}"
    )
    return replace(drawing, caption=caption)

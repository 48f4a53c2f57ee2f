"""A picture of a study on several machines: rate against ranks, and the share of communication."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from phasewise.models.platforms import BOUND, PlatformPoint, rate_unit, rate_words
from phasewise.report.figure import Drawing
from phasewise.report.predictions import COLOURS, logarithmic, rank_axis
from phasewise.report.style import INK, MUTED, new_picture


def draw_platforms(points: Sequence[PlatformPoint], title: str) -> Drawing:
    """A line of rates for each machine, on logarithmic axes, and beside it the share of
    communication.
    """
    unit = points[0].study.workload.unit
    canvas, axes = new_picture(1, 2, 3.9, width_ratios=(1, 1))
    rates, shares = axes[0]
    names = list(dict.fromkeys(point.machine for point in points))
    for index, name in enumerate(names):
        own = [point for point in points if point.machine == name]
        ranks = [point.prediction.ranks for point in own]
        look = {"color": COLOURS[index % len(COLOURS)], "markersize": 3, "label": name}
        rates.plot(ranks, [point.rate for point in own], "o-", **look)
        shares.plot(ranks, [100 * point.communication_share for point in own], "o-", **look)
    rates.set_title(f"rate [{rate_unit(points[0].study)}]")
    logarithmic(rates)
    shares.set_title(f"communication [% of {unit.indefinite}]")
    shares.axhline(100 * BOUND, color=MUTED, linewidth=1)
    shares.set_ylim(0, 100)
    every = sorted({point.prediction.ranks for point in points})
    for axis in (rates, shares):
        _finish(axis, every, len(names))
    canvas.suptitle(f"{title}\npredicted", x=0.01, ha="left", fontsize=9, color=INK)
    return Drawing(
        canvas,
        f"Predicted {rate_words(points[0].study)} against the number of ranks, with the best "
        "process grid, and the share of communication; the line is at a half.",
    )


def _finish(axis: Axes, ranks: Sequence[int], machines: int) -> None:
    rank_axis(axis, ranks)
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=min(machines, 3))

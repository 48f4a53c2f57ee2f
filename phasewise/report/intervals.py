"""A picture of predicted times with their intervals, a line for each, and what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from phasewise.report.figure import Drawing
from phasewise.report.palette import SERIES
from phasewise.report.style import INK, MUTED, new_picture, scale

WIDE = 20.0
"""Times that differ by more than this factor stand on a logarithmic axis."""
LINE = 0.28
"""Inches of a line."""
PREDICTED, ACTUAL = SERIES[0], SERIES[1]


@dataclass(frozen=True)
class Timed:
    """A predicted time [s] with the ends of its interval, and the actual one where it is known.

    marked: the line is the one that the answer is about.
    """

    label: str
    predicted: float
    low: float
    high: float
    actual: float | None = None
    marked: bool = False


def draw_intervals(
    lines: Sequence[Timed],
    what: str,
    actual: str = "measured",
    note: str = "",
    which: str = "chosen",
) -> Drawing:
    """The times, one below the other. what: what takes them; actual: how the actual ones are
    called; note: what the caption adds; which: what the marked line is.
    """
    canvas, axes = new_picture(1, 1, 1.1 + LINE * len(lines))
    axis: Axes = axes[0, 0]
    ends = [end for one in lines for end in (one.low, one.high, one.actual or one.predicted)]
    factor, unit = scale(ends, "s")
    at = -np.arange(len(lines))
    for place, one in zip(at, lines, strict=True):
        width = 7.0 if one.marked else 5.0
        axis.hlines(
            place, one.low * factor, one.high * factor, color=PREDICTED, alpha=0.35, linewidth=width
        )
        axis.plot(one.predicted * factor, place, "o", color=PREDICTED, markersize=5)
        if one.actual is not None:
            axis.plot(one.actual * factor, place, "D", color=ACTUAL, markersize=5)
    axis.set_yticks(at, [one.label for one in lines])
    for text, one in zip(axis.get_yticklabels(), lines, strict=True):
        text.set_fontweight("bold" if one.marked else "normal")
    axis.set_ylim(-len(lines) + 0.4, 0.6)
    axis.grid(False, axis="y")
    if min(ends) > 0 and max(ends) / min(ends) > WIDE:
        axis.set_xscale("log")
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_xlabel(f"time of {what} [{unit}]", color=INK)
    axis.tick_params(axis="y", color=MUTED, length=0)
    known = any(one.actual is not None for one in lines)
    _legend(axis, actual if known else "")
    marked = f"; the {which} one is bold" if any(one.marked for one in lines) else ""
    beside = f", and the {actual} time" if known else ""
    caption = f"Predicted time of {what} with its 90 % interval{beside}{marked}."
    return Drawing(canvas, f"{caption} {note}".strip())


def _legend(axis: Axes, actual: str) -> None:
    handles = [
        Line2D([], [], color=PREDICTED, marker="o", markersize=5, linestyle="", label="predicted"),
        Line2D([], [], color=PREDICTED, linewidth=5, alpha=0.35, label="90 % interval"),
    ]
    if actual:
        own = Line2D([], [], color=ACTUAL, marker="D", markersize=5, linestyle="", label=actual)
        handles.append(own)
    axis.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(handles))

"""The curves of a bench of messages as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.output import number_of
from phasewise.report.curve_table import Curve, kind_of, label_of, sizes_of
from phasewise.report.figure import Drawing
from phasewise.report.palette import SERIES
from phasewise.report.style import log_ticks, new_picture

ROW_INCHES = 2.9
STYLES = ("-", "--", ":")
"""Styles of lines, for more curves than there are colours."""


def draw_curves(result: Mapping[str, Any]) -> Drawing:
    """Times and bandwidths over sizes, a row for each operator between the same pairs."""
    curves: Sequence[Curve] = result["curves"]
    kinds = list(dict.fromkeys(kind_of(curve) for curve in curves))
    canvas, axes = new_picture(len(kinds), 2, 0.9 + ROW_INCHES * len(kinds))
    colours = _looks(curves)
    for row, kind in zip(axes, kinds, strict=True):
        own = [curve for curve in curves if kind_of(curve) == kind]
        _draw(row[0], own, "seconds", 1e6, "time [µs]", colours)
        _draw(row[1], own, "bandwidth", 1e-6, "bandwidth [MB/s]", colours)
        row[0].set_title(kind)
        row[0].legend(ncols=2 if len(own) > 4 else 1)
    where = f"simulated on {result['machine']}" if "machine" in result else "measured"
    caption = (
        f"Time and bandwidth over size on {number_of(result['ranks'], 'rank')}, {where}. The time "
        "is the median, and the band its 95 % confidence interval."
    )
    return Drawing(canvas, caption)


def _looks(curves: Sequence[Curve]) -> dict[str, tuple[str, str]]:
    """Colour and style of the line of each label: the same in all panels."""
    looks = ((colour, style) for style in cycle(STYLES) for colour in SERIES)
    return dict(zip(dict.fromkeys(map(label_of, curves)), looks, strict=False))


def _draw(
    axis: Axes,
    curves: Sequence[Curve],
    what: str,
    factor: float,
    label: str,
    looks: Mapping[str, tuple[str, str]],
) -> None:
    sizes = sizes_of(curves[0])
    for curve in curves:
        name = label_of(curve)
        colour, style = looks[name]
        at, values = np.array(curve[sizes]), factor * np.array(curve[what])
        marker = "." if len(at) < 2 else ""
        axis.plot(at, values, style, marker=marker, color=colour, label=name)
        if what == "seconds" and "low" in curve:
            low, high = (factor * np.array(curve[bound]) for bound in ("low", "high"))
            axis.fill_between(at, low, high, color=colour, alpha=0.15, linewidth=0)
    axis.set(xscale="log", yscale="log", xlabel=f"size [{sizes}]", ylabel=label)
    log_ticks(axis, "x")
    log_ticks(axis, "y")

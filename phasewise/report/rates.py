"""A picture of the rates that a benchmark measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.report.benched_curves import draw_curves
from phasewise.report.figure import Drawing
from phasewise.report.palette import SERIES
from phasewise.report.style import new_picture, scale

MOST_BARS = 30
LINE = 0.26
"""Inches of a bar."""


def draw_rates(rates: Mapping[str, float], result: Mapping[str, Any]) -> Drawing:
    """Times against sizes, where a measurement has curves; else a bar for each rate."""
    curves = [curve for curve in result.get("curves", ()) if _sizes(curve)]
    if curves:
        return draw_curves(result)
    if "curves" in result:
        times = {name: 1.0 / rate for name, rate in rates.items()}
        return _bars(times, "s", "time", "Times that were measured; shorter is faster.")
    return _bars(rates, "", "rate", "Rates that were measured; longer is faster.")


def draw_shares(shares: Mapping[str, float]) -> Drawing:
    """A bar for each rate that copies have at once, as a share of that of one alone."""
    percent = {name: 100.0 * share for name, share in shares.items()}
    caption = "The rate of a copy beside others over that of one alone; 100 % is undisturbed."
    return _bars(percent, "%", "share", caption)


def _sizes(curve: Mapping[str, Any]) -> list[float]:
    sizes = curve.get("words", curve.get("bytes"))
    return list(sizes) if isinstance(sizes, list) and len(sizes) > 1 else []


def _bars(values: Mapping[str, float], unit: str, name: str, caption: str) -> Drawing:
    shown = dict(list(values.items())[:MOST_BARS])
    canvas, axes = new_picture(1, 1, 1.0 + LINE * len(shown))
    axis: Axes = axes[0, 0]
    factor, unit = (1.0, unit) if unit == "%" else scale(list(shown.values()), unit)
    at = -np.arange(len(shown))
    axis.barh(at, [value * factor for value in shown.values()], 0.6, color=SERIES[0])
    axis.set_yticks(at, list(shown))
    if unit == "%":
        axis.set_xlim(0.0, max(100.0, *shown.values()))
    axis.grid(False, axis="y")
    axis.set_xlabel(f"{name} [{unit}]" if unit else name)
    return Drawing(canvas, caption)

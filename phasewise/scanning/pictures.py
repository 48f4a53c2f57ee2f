"""Pictures of a scan: lines with error bars over seeds, heat maps, samples, convergence."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, MaxNLocator

from phasewise.report.style import (
    MUTED,
    legend_above,
    new_picture,
    picture_style,
    scale_by_ten,
    superscript,
    unit_text,
    whole_ticks,
)
from phasewise.scanning.convergence import Convergence
from phasewise.scanning.results import Floats, Mean, ScanResults
from phasewise.tables.keys import show

VALUES, MEAN, LIMIT = "#2f74d0", "#2c9a63", "#8a63c9"
"""Colours of points, of their mean and of the limit that they approach."""

RESOLUTION = 150
MOST_LINES = 6
"""Most values of a second key that are drawn as lines of their own."""
DODGE = 0.006
"""Distance between the lines of a picture, as a share of its width."""
MOST_TICKS, FEW_TICKS = 12, 4
"""Most values of a key that become ticks, in the only panel and in one of several."""
CLOSEST = 0.06
"""Least distance of two labels of an axis, as a share of the distance between the outermost
values.
"""
USUAL = (0.01, 100.0)
"""Sizes of results that need no power of ten."""
BARS: dict[str, Any] = {"marker": "o", "markersize": 4, "capsize": 3, "elinewidth": 1}


def draw_result(results: ScanResults, name: str, label: str) -> dict[str, Canvas]:
    """The pictures of a result, by the end of the name of each one's file."""
    factor, label = _scaled(results.column(name), label)
    means, keys = _in_unit(results.means(name), factor), list(results.definition.keys)
    sampled = any(axis.sampled for axis in results.definition.axes)
    with picture_style():
        if not keys:
            return {"": _seeds(results, name, factor, label)}
        if sampled or len(keys) > 2:
            found = {"": _samples(means, keys, label)}
            if len(keys) == 2 and all(_numeric(means, key) for key in keys):
                found["-map"] = _scattered(means, keys, label)
            return found
        if len(keys) == 1:
            return {"": _lines(means, keys[0], None, label)}
        along, each = keys if _count(means, keys[1]) <= _count(means, keys[0]) else keys[::-1]
        found = {"-map": _heat_map(means, keys, label)}
        if _count(means, each) <= MOST_LINES:
            found[""] = _lines(means, along, each, label)
        return found


def _scaled(values: Floats, label: str) -> tuple[float, str]:
    """A factor that brings a result to order 1, and its label with that power of ten in its unit;
    a result of usual size keeps its label.
    """
    name, _, unit = unit_text(label).partition(" [")
    factor, scaled = scale_by_ten(values, unit.removesuffix("]"))
    if USUAL[0] <= 1 / factor <= USUAL[1]:
        return 1.0, unit_text(label)
    return factor, f"{name} [{scaled.strip()}]"


def _in_unit(means: list[Mean], factor: float) -> list[Mean]:
    return [replace(m, mean=m.mean * factor, error=m.error * factor) for m in means]


def _lines(means: list[Mean], along: str, each: str | None, label: str) -> Canvas:
    canvas, axes = new_picture(1, 1, 4.2)
    place: Axes = axes[0, 0]
    values = _distinct(means, each) if each else [None]
    colours = (
        [VALUES] if len(values) == 1 else colormaps["viridis"](np.linspace(0, 0.9, len(values)))
    )
    every = _places(means, along, means)
    # Error bars of several lines stand side by side.
    shifts = DODGE * (every.max() - every.min()) * (np.arange(len(values)) - (len(values) - 1) / 2)
    for value, colour, shift in zip(values, colours, shifts, strict=True):
        own = [m for m in means if each is None or m.values[each] == value]
        x = _places(means, along, own) + shift
        y = [m.mean for m in own]
        rank = np.argsort(x)
        error = _errors([own[index] for index in rank])
        place.errorbar(
            x[rank], np.array(y)[rank], error, color=colour,
            label=None if each is None else f"{each} = {show(value)}", **BARS,
        )  # fmt: skip
    _name_axis(place, means, along)
    place.set_ylabel(label)
    place.set_title(_seeds_of(means))
    if each is not None:
        place.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return canvas


def _heat_map(means: list[Mean], keys: list[str], label: str) -> Canvas:
    """The mean over the seeds in colour; a point without result is left out."""
    canvas, axes = new_picture(1, 1, 4.8)
    place: Axes = axes[0, 0]
    columns, rows = (sorted(set(_places(means, key, means).tolist())) for key in keys)
    field = np.full((len(rows), len(columns)), np.nan)
    xs, ys = (_places(means, key, means) for key in keys)
    for x, y, mean in zip(xs, ys, means, strict=True):
        field[rows.index(y), columns.index(x)] = mean.mean
    mesh = place.pcolormesh(columns, rows, np.ma.masked_invalid(field), shading="nearest")
    _colour_bar(canvas, mesh, place, label)
    place.grid(visible=False)
    place.set_facecolor("#dddddd")
    _name_axis(place, means, keys[0])
    _name_axis(place, means, keys[1], "y")
    lost = int(np.isnan(field).sum())
    missing = f"; grey: no result ({lost})" if lost else ""
    place.set_title(f"{_seeds_of(means, '')}{missing}")
    return canvas


def _scattered(means: list[Mean], keys: list[str], label: str) -> Canvas:
    """Samples of two keys, with the result in colour."""
    canvas, axes = new_picture(1, 1, 4.8)
    place: Axes = axes[0, 0]
    x, y = (_places(means, key, means) for key in keys)
    dots = place.scatter(x, y, c=[m.mean for m in means], s=28)
    _colour_bar(canvas, dots, place, label)
    _name_axis(place, means, keys[0], sampled=True)
    _name_axis(place, means, keys[1], "y", sampled=True)
    place.set_title(_seeds_of(means))
    return canvas


def _samples(means: list[Mean], keys: list[str], label: str) -> Canvas:
    """The result against each key, for all values of the others."""
    columns = min(3, len(keys))
    rows = -(-len(keys) // columns)
    canvas, axes = new_picture(rows, columns, 0.6 + 3.2 * rows, sharey=True)
    error = _errors(means)
    for place, key in zip(axes.flat, keys, strict=False):
        x = _places(means, key, means)
        place.errorbar(x, [m.mean for m in means], error, color=VALUES, linestyle="", **BARS)
        _name_axis(place, means, key, sampled=True)
    for place in list(axes.flat)[len(keys) :]:
        place.set_axis_off()
    for place in axes[:, 0]:
        place.set_ylabel(label)
    axes[0, 0].set_title(_seeds_of(means))
    return canvas


def _seeds(results: ScanResults, name: str, factor: float, label: str) -> Canvas:
    """An ensemble: the result of each seed, their mean and its standard error."""
    canvas, axes = new_picture(1, 1, 4.2)
    place: Axes = axes[0, 0]
    (mean,) = _in_unit(results.means(name), factor)
    seeds = [point.seed for point in results.points]
    place.plot(seeds, results.column(name) * factor, "o", color=VALUES, markersize=4)
    place.axhline(mean.mean, color=MEAN, label="mean")
    if math.isfinite(mean.error):
        span = (mean.mean - mean.error, mean.mean + mean.error)
        place.axhspan(*span, color=MEAN, alpha=0.2, linewidth=0, label="± standard error")
    whole_ticks(place.xaxis)
    place.set_xlabel("seed")
    place.set_ylabel(label)
    legend_above(place)
    return canvas


def draw_convergence(
    found: list[Convergence], labels: dict[str, str], held: dict[str, Any]
) -> Canvas:
    """How far results are from their limits, a panel for each."""
    with picture_style():
        columns = min(2, len(found))
        rows = -(-len(found) // columns)
        canvas, axes = new_picture(rows, columns, 0.8 + 3.2 * rows)
        for place, one in zip(axes.flat, found, strict=False):
            _draw_limit(place, one, labels[one.result])
        for place in list(axes.flat)[len(found) :]:
            place.set_axis_off()
        where = ", ".join(f"{key} = {show(value)}" for key, value in held.items())
        if where:
            canvas.suptitle(f"at {where}", fontsize=9.5, x=0.02, ha="left")
    return canvas


def _draw_limit(place: Axes, one: Convergence, label: str) -> None:
    """How far a result is from its limit, in %, over 1/N, with c N^-p through the finest N."""
    x, y = 1 / np.array(one.sizes), 100 * np.array(one.deviations)
    error = 100 * np.nan_to_num(np.array(one.deviation_errors))
    place.errorbar(x, y, error, color=VALUES, linestyle="", **BARS)
    finest = f"limit; {one.sizes[-1]:.6g} is off by {100 * one.bound:.2g} % at most"
    place.errorbar(
        0.0, 0.0, 100 * one.rest, color=LIMIT, marker="D", markersize=5, capsize=3, label=finest
    )
    place.set_ylim(place.get_ylim())  # those of the values, however far the curve goes
    fine = np.linspace(0.0, x[0], 200)
    curve = y[-1] * (fine / x[-1]) ** one.order
    name = f"∝ N{superscript(-round(one.order))}" if one.order == round(one.order) else "its curve"
    place.plot(fine, curve, color=MUTED, linestyle="--", linewidth=0.9, label=name)
    place.set_xticks([0.0, *x], ["∞", *(f"{size:.6g}" for size in one.sizes)])
    place.set_xlabel(one.key)
    place.set_ylabel("distance from the limit [%]")
    place.set_title(unit_text(label.partition(" [")[0]))
    place.legend()


def _colour_bar(canvas: Canvas, drawn: Any, place: Axes, label: str) -> None:
    bar = canvas.colorbar(drawn, ax=place)
    bar.set_label(label)
    bar.outline.set_visible(False)


def _errors(means: list[Mean]) -> Floats | None:
    """The standard errors, 0 where there is none; None if there is none at all."""
    found = np.array([mean.error for mean in means])
    return np.nan_to_num(found) if np.isfinite(found).any() else None


def _distinct(means: list[Mean], key: str) -> list[Any]:
    found: list[Any] = []
    for mean in means:
        if mean.values[key] not in found:
            found.append(mean.values[key])
    return found


def _count(means: list[Mean], key: str) -> int:
    return len(_distinct(means, key))


def _numeric(means: list[Mean], key: str) -> bool:
    return all(
        isinstance(m.values[key], int | float) and not isinstance(m.values[key], bool)
        for m in means
    )


def _places(means: list[Mean], key: str, own: list[Mean]) -> Floats:
    """Where the values of a key stand on an axis: a number at its value, other values one after
    another.
    """
    if _numeric(means, key):
        return np.array([m.values[key] for m in own], dtype=np.float64)
    order = _distinct(means, key)
    return np.array([order.index(m.values[key]) for m in own], dtype=np.float64)


def _name_axis(
    place: Axes, means: list[Mean], key: str, which: str = "x", sampled: bool = False
) -> None:
    """Name an axis; its ticks are the values of the key if these are few, and not sampled."""
    axis = place.xaxis if which == "x" else place.yaxis
    axis.set_label_text(key)
    values = _distinct(means, key)
    if not _numeric(means, key):
        axis.set_ticks(range(len(values)), [show(value) for value in values])
    elif len(values) <= (FEW_TICKS if sampled else MOST_TICKS):
        axis.set_ticks(sorted(values), _apart(sorted(values)))
    elif all(isinstance(value, int) for value in values):
        whole_ticks(axis)
    else:
        axis.set_major_locator(MaxNLocator(FEW_TICKS))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}"))


def _apart(values: list[float]) -> list[str]:
    """The labels of ascending values; empty where a label would touch the one before."""
    room = CLOSEST * (values[-1] - values[0])
    labels, last = [], -math.inf
    for value in values:
        shown = value - last >= room
        labels.append(f"{value:.6g}" if shown else "")
        last = value if shown else last
    return labels


def _seeds_of(means: list[Mean], error: str = " ± standard error") -> str:
    most = max(m.count for m in means)
    return f"mean of {most} seeds{error}" if most > 1 else "one seed"

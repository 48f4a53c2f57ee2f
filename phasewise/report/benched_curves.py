"""The curves of a bench of messages, seconds over sizes, as a CSV file and as a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.errors import RunError
from phasewise.output import number_of
from phasewise.report.figure import Drawing
from phasewise.report.palette import SERIES
from phasewise.report.style import log_ticks, new_picture
from phasewise.runs.disk import disk_reason, replace_text

Curve = Mapping[str, Any]

HEAD = ("reference", "machine", "ranks", "convention")
KEYS = ("benchmark", "operator", "protocol", "messages", "packet", "pairs", "window")
COLUMNS = (
    "seconds", "low", "high", "quickest", "noisy", "predicted", "bandwidth", "message_rate",
    "hidden",
)  # fmt: skip
ROW_INCHES = 2.9
STYLES = ("-", "--", ":")
"""Styles of lines, for more curves than there are colours."""


def sizes_of(curve: Curve) -> str:
    """The name of a curve's sizes: words or bytes."""
    return "words" if "words" in curve else "bytes"


def table_of(result: Mapping[str, Any]) -> list[list[Any]]:
    """A head and a row for each size of each curve, with the columns that the bench has; bandwidth
    in B/s, times in s.
    """
    curves: Sequence[Curve] = result["curves"]
    head = [name for name in HEAD if name in result]
    keys = [name for name in KEYS if any(curve.get(name) is not None for curve in curves)]
    columns = [name for name in COLUMNS if any(name in curve for curve in curves)]
    sizes = sizes_of(curves[0])
    rows: list[list[Any]] = [[*head, *keys, sizes, *columns]]
    for curve in curves:
        start = [*(result[name] for name in head), *(curve.get(name, "") for name in keys)]
        for at, size in enumerate(curve[sizes]):
            values = [curve[name][at] if name in curve else "" for name in columns]
            rows.append([*start, size, *values])
    return rows


def write_csv(result: Mapping[str, Any], path: str | Path) -> None:
    """Write the table of a bench; RunError if it cannot be written."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table_of(result))
    try:
        replace_text(Path(path), text.getvalue())
    except OSError as error:
        raise RunError(f"{path} cannot be written ({disk_reason(error)})") from error


def draw_curves(result: Mapping[str, Any]) -> Drawing:
    """Times and bandwidths over sizes, a row for each operator between the same pairs."""
    curves: Sequence[Curve] = result["curves"]
    kinds = list(dict.fromkeys(_kind(curve) for curve in curves))
    canvas, axes = new_picture(len(kinds), 2, 0.9 + ROW_INCHES * len(kinds))
    colours = _looks(curves)
    for row, kind in zip(axes, kinds, strict=True):
        own = [curve for curve in curves if _kind(curve) == kind]
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


def _kind(curve: Curve) -> str:
    pairs = f" between {curve['pairs']}" if curve.get("pairs") else ""
    return f"{curve.get('benchmark') or curve['operator']}{pairs}"


def label_of(curve: Curve) -> str:
    """The protocol or algorithm of a curve, with the size of its packets."""
    packet = f", {curve['packet']} B" if curve.get("packet") else ""
    return f"{curve['protocol']}{packet}"


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

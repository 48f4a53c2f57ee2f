"""Panels that show snapshots of a field, with the same axes and the same colours in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure as Canvas
from matplotlib.image import AxesImage, PcolorImage
from matplotlib.ticker import MaxNLocator

from phasewise.report.fields import Coordinate, Field, Snapshot, limits, window
from phasewise.report.style import INK, scale, scale_by_ten, unit_text

PREFIXED = ("m", "s")
"""Units of axes that take a prefix, such as µm; others stand as they are."""
FLATTEST, TALLEST = 0.25, 1.5
"""Smallest and largest height of a panel over its width."""


def colour_map(field: Field) -> Colormap:
    """The colours of a field's values."""
    return mpl.colormaps["RdBu_r" if field.diverging else field.colours]


class Panels:
    """What the panels of several snapshots share: the units and ends of their axes, the colours."""

    def __init__(self, field: Field, snapshots: Sequence[Snapshot]) -> None:
        self._field = field
        x, y = window(snapshots)
        self._x_factor, self._x_label = _named(field.axes[0], x)
        self._y_factor, self._y_label = _named(field.axes[1], y)
        self._x = (x[0] * self._x_factor, x[1] * self._x_factor)
        self._y = (y[0] * self._y_factor, y[1] * self._y_factor)
        low, high = limits(snapshots, field.diverging)
        self._factor, unit = _readable(max(abs(low), abs(high)), unit_text(field.unit))
        self._norm = Normalize(low * self._factor, high * self._factor)
        self._map = colour_map(field)
        self._quantity = f"{field.quantity} [{unit.strip()}]" if unit.strip() else field.quantity

    @property
    def shape(self) -> float:
        """The height of a panel over its width."""
        if not self._field.same_scale:
            return 1.0
        width, height = (abs(ends[1] - ends[0]) for ends in (self._x, self._y))
        return float(np.clip(height / width, FLATTEST, TALLEST)) if width else 1.0

    def prepare(self, axis: Axes) -> None:
        """Give a panel its axes."""
        axis.set_xlim(*self._x)
        axis.set_ylim(*self._y)
        axis.set_xlabel(self._x_label)
        axis.set_ylabel(self._y_label)
        axis.set_aspect("equal" if self._field.same_scale else "auto")
        axis.grid(False)
        for along in (axis.xaxis, axis.yaxis):
            along.set_major_locator(MaxNLocator(5))

    def show(self, axis: Axes, snapshot: Snapshot) -> Any:
        """Draw a snapshot in a panel; the image, or the mesh, that shows it."""
        edges = snapshot.x * self._x_factor, snapshot.y * self._y_factor
        if snapshot.x.ndim == 2:
            edges = edges[0].T, edges[1].T
        values = np.ma.masked_invalid(snapshot.values.T * self._factor)
        shown = axis.pcolorfast(*edges, values, norm=self._norm, cmap=self._map)
        if isinstance(shown, AxesImage):
            if not isinstance(shown, PcolorImage):
                shown.set_interpolation("nearest")
        else:
            shown.set_rasterized(True)
        return shown

    def bar(self, canvas: Canvas, axes: Sequence[Axes]) -> None:
        """Draw the scale of the colours beside the panels."""
        shown = ScalarMappable(self._norm, self._map)
        bar = canvas.colorbar(shown, ax=list(axes), fraction=0.05, pad=0.02)
        bar.outline.set_visible(False)
        bar.ax.tick_params(color=INK)
        bar.set_label(self._quantity)


def _named(along: Coordinate, ends: tuple[float, float]) -> tuple[float, str]:
    """The factor that brings an axis to the unit in which it is shown, and its label."""
    factor, unit = scale(ends, along.unit) if along.unit in PREFIXED else (1.0, along.unit)
    return factor, f"{along.label} [{unit_text(unit)}]" if unit else along.label


def _readable(largest: float, unit: str) -> tuple[float, str]:
    """The factor and the unit in which values up to `largest` have few digits."""
    return (1.0, unit) if 1e-2 <= largest < 1e4 else scale_by_ten([largest], unit)


def when(unit: str, turn: int, snapshot: Snapshot) -> str:
    """When a snapshot was taken, in words."""
    return snapshot.time or f"{unit} {turn}"

"""Fields: quantities in two dimensions of which a run has snapshots.

A workload declares them (`Reporting.FIELDS`); the report draws them and makes films of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from phasewise.analysis.spectrum import Floats
from phasewise.report.figure import Missing

MOST_CELLS = 320
"""Most cells along an axis of a picture; of more, each one drawn is the mean of a block."""

T = TypeVar("T")


@dataclass(frozen=True)
class Coordinate:
    """An axis of a field: its label, and its unit, empty for a number without one."""

    label: str
    unit: str = ""


@dataclass(frozen=True)
class Snapshot:
    """A field at one time: values (nx, ny) in cells, NaN where there is none, and their edges.

    The edges are x (nx+1,) and y (ny+1,), or the corners of the cells, x and y (nx+1, ny+1), where
    cells are no rectangles, as on a map of a sphere. `time` says when it was taken, where the
    number of the turn does not.
    """

    x: Floats
    y: Floats
    values: Floats
    time: str = ""

    def __post_init__(self) -> None:
        nx, ny = self.values.shape
        edges = (self.x.shape, self.y.shape)
        if edges not in (((nx + 1,), (ny + 1,)), ((nx + 1, ny + 1),) * 2):
            raise ValueError(
                f"{nx} x {ny} values need edges ({nx + 1},) and ({ny + 1},) or corners "
                f"({nx + 1}, {ny + 1}), but have {edges[0]} and {edges[1]}"
            )


@dataclass(frozen=True)
class Field:
    """A quantity in two dimensions of which a run may have snapshots."""

    name: str
    """What the report's files and `results.plot` call it, in small letters with hyphens."""
    title: str
    quantity: str
    """What the colours show."""
    unit: str
    """The unit of the values, such as m^-2; empty for numbers."""
    axes: tuple[Coordinate, Coordinate]
    turns: Callable[[Any], Sequence[int] | Missing]
    """The turns of a run that have a snapshot, in order, or what the study must contain to have
    some. The run is the workload's `Reporting.REPORTED`.
    """
    snapshot: Callable[[Any, int], Snapshot]
    """The snapshot of a run at one of these turns."""
    note: Callable[[Any], str] = lambda _run: ""
    """A sentence for the caption."""
    diverging: bool = False
    """Whether the colours diverge around zero, as suits a vorticity or a deviation."""
    colours: str = "viridis"
    """Matplotlib's name of the colours where they do not diverge."""
    same_scale: bool = False
    """Whether a length is drawn equally long along both axes, as suits a map."""


def spread(items: Sequence[T], most: int) -> list[T]:
    """At most this many of the items, evenly spread, the first and the last among them."""
    count = min(len(items), most)
    return [items[round(place)] for place in np.linspace(0, len(items) - 1, count)]


def taken(field: Field, run: Any, turns: Sequence[int]) -> list[Snapshot]:
    """The snapshots of a run at these turns, as coarse as pictures show them."""
    return [coarser(field.snapshot(run, turn)) for turn in turns]


def coarser(snapshot: Snapshot) -> Snapshot:
    """A snapshot of at most MOST_CELLS cells each way, means of the values in blocks of cells."""
    values = snapshot.values
    nx, ny = (-(-cells // MOST_CELLS) for cells in values.shape)
    if nx == ny == 1:
        return snapshot
    first, second = np.arange(0, values.shape[0], nx), np.arange(0, values.shape[1], ny)
    known = np.isfinite(values)

    def summed(cells: Floats) -> Floats:
        blocks = np.add.reduceat(np.add.reduceat(cells, first, axis=0), second, axis=1)
        return np.asarray(blocks, dtype=np.float64)

    counts = summed(known.astype(np.float64))
    sums = summed(np.where(known, values, 0.0))
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    along_x, along_y = np.append(first, values.shape[0]), np.append(second, values.shape[1])
    if snapshot.x.ndim == 1:
        return Snapshot(snapshot.x[along_x], snapshot.y[along_y], means, snapshot.time)
    corners = np.ix_(along_x, along_y)
    return Snapshot(snapshot.x[corners], snapshot.y[corners], means, snapshot.time)


def limits(snapshots: Sequence[Snapshot], diverging: bool) -> tuple[float, float]:
    """The values at both ends of the colours that all snapshots share."""
    known = [s.values[np.isfinite(s.values)] for s in snapshots]
    found = np.concatenate(known)
    if not found.size:
        return 0.0, 1.0
    low, high = float(found.min()), float(found.max())
    if diverging:
        high = max(-low, high)
        low = -high
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def window(snapshots: Sequence[Snapshot]) -> tuple[tuple[float, float], tuple[float, float]]:
    """The stretches of x and y that hold the cells of all snapshots."""
    x, y = (
        (min(float(np.min(edges)) for edges in along), max(float(np.max(edges)) for edges in along))
        for along in ([s.x for s in snapshots], [s.y for s in snapshots])
    )
    return x, y

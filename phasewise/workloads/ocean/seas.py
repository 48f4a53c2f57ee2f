"""Seas of a mask: cells of water that are reached from each other through corners, which are sea
where all four of their cells are. Nothing flows to a cell that has no such corner.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
MOST_NAMED = 3
"""Most seas that a sentence names."""


def seas_of(water: Flags, periodic_x: bool, periodic_y: bool) -> Integers:
    """The number of each cell's sea, from 1 on by falling size, 0 on land and where nothing flows.
    [j][i].
    """
    from scipy.ndimage import label

    corners = _corners(water, periodic_x, periodic_y)
    # Corners that have a cell in common are neighbours, also over a diagonal.
    numbers, count = label(corners, structure=np.ones((3, 3)))
    parents = np.arange(count + 1)
    if periodic_x:
        _join_around(parents, numbers[:, 0], numbers[:, -1], periodic_y)
    if periodic_y:
        _join_around(parents, numbers[0], numbers[-1], periodic_x)
    roots = np.array([_root(parents, number) for number in range(count + 1)])[numbers]
    found = np.maximum(roots, _before(roots, 1, periodic_x))
    found = np.maximum(found, _before(found, 0, periodic_y))
    return _by_size(np.where(water, found, 0).astype(np.int64))


def _corners(water: Flags, periodic_x: bool, periodic_y: bool) -> Flags:
    """Whether the corner in the north-east of each cell is sea."""
    along = water & _before(water[:, ::-1], 1, periodic_x)[:, ::-1]
    return np.asarray(along & _before(along[::-1], 0, periodic_y)[::-1])


def _before(values: Any, axis: int, periodic: bool) -> Any:
    """The values one cell before along an axis; 0 beyond a wall."""
    moved = np.roll(values, 1, axis)
    if not periodic:
        moved[(0, slice(None)) if axis == 0 else (slice(None), 0)] = 0
    return moved


def _join_around(parents: Any, first: Any, last: Any, around: bool) -> None:
    """Join the seas on two opposite edges of a periodic axis, over diagonals too; around: whether
    the edges themselves are periodic.
    """
    for shift in (-1, 0, 1):
        moved = np.roll(last, shift)
        if shift and not around:
            moved[0 if shift > 0 else -1] = 0
        for one, other in zip(first, moved, strict=True):
            if one and other:
                _join(parents, int(one), int(other))


def _root(parents: Any, number: int) -> int:
    while parents[number] != number:
        number = int(parents[number])
    return number


def _join(parents: Any, one: int, other: int) -> None:
    first, second = _root(parents, one), _root(parents, other)
    parents[max(first, second)] = min(first, second)


def _by_size(numbers: Integers) -> Integers:
    """The same seas, numbered by falling size."""
    counts = np.bincount(numbers.ravel())
    counts[0] = 0
    order = np.argsort(-counts, kind="stable")
    ranks = np.zeros(len(counts), dtype=np.int64)
    ranks[order] = np.arange(1, len(counts) + 1)
    ranks[counts == 0] = 0
    return np.asarray(ranks[numbers])


def sizes_of(numbers: Integers) -> list[int]:
    """Cells of each sea, the largest first."""
    return [int(count) for count in np.bincount(numbers.ravel())[1:]]


def a_cell_of(numbers: Integers, sea: int) -> tuple[int, int]:
    """i and j of a sea's cell next to its middle."""
    rows, columns = np.nonzero(numbers == sea)
    apart = (rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2
    at = int(np.argmin(apart))
    return int(columns[at]), int(rows[at])

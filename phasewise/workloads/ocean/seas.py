"""Seas of a mask: cells of water that are reached from each other over their sides."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
MOST_NAMED = 3
"""Most seas that a sentence names."""


def seas_of(water: NDArray[np.bool_], periodic_x: bool, periodic_y: bool) -> Integers:
    """The number of each cell's sea, from 1 on by falling size, 0 on land. [j][i]."""
    from scipy.ndimage import label

    numbers, count = label(water)
    found = np.arange(count + 1)
    for closed, first, last in (
        (not periodic_x, numbers[:, 0], numbers[:, -1]),
        (not periodic_y, numbers[0], numbers[-1]),
    ):
        if closed:
            continue
        for one, other in zip(first, last, strict=True):
            if one and other:
                _join(found, int(one), int(other))
    roots = np.array([_root(found, number) for number in range(count + 1)])
    return _by_size(np.asarray(roots[numbers], dtype=np.int64))


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

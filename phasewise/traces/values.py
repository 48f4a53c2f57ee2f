"""Counts and times of a phase over all ranks, from their entries in ``communication.json``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LARGEST = 2**53
"""Counts are smaller than this, so that sums of the counts of many ranks are still integers."""


@dataclass(frozen=True)
class Traffic:
    """Messages between pairs of ranks: arrays (n,) with one entry per pair that has any."""

    source: Integers
    target: Integers
    messages: Integers
    bytes: Integers

    def matrix(self, ranks: int) -> Floats:
        """Bytes from rank i to rank j, (ranks, ranks)."""
        matrix = np.zeros((ranks, ranks))
        np.add.at(matrix, (self.source, self.target), self.bytes)
        return matrix


def synchronisations(entries: list[dict[str, Any]]) -> Integers:
    counted = all("synchronisations" in entry for entry in entries if entry)
    return values(entries, "synchronisations", np.int64) if counted else np.zeros(0, np.int64)


def values(entries: list[dict[str, Any]], key: str, kind: type) -> NDArray[Any]:
    # A rank that never entered the phase has an empty entry; one that did has all of its keys.
    values: NDArray[Any] = np.array([entry[key] if entry else 0 for entry in entries], kind)
    check_counts(values)
    return values


def waiting(entries: list[dict[str, Any]]) -> Floats:
    values: Floats = np.array([entry["waiting"] if entry else 0 for entry in entries], np.float64)
    # The value is null, and so NaN, if no message carried the time at which its sender began.
    check_counts(values[~np.isnan(values)])
    return values


def check_counts(values: NDArray[Any]) -> None:
    """ValueError if some of these are no counts or times: negative, not finite, or beyond
    LARGEST.
    """
    if not np.all((values >= 0) & (values < LARGEST)):
        raise ValueError("a count or a time in it is impossible")


def traffic(entries: list[dict[str, Any]]) -> Traffic:
    rows = [
        (source, int(target), int(messages), int(size))
        for source, entry in enumerate(entries)
        for target, (messages, size) in entry.get("sent_to", {}).items()
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    if np.any((columns[1] < 0) | (columns[1] >= len(entries))):
        raise ValueError("it names a rank that the run did not have")
    check_counts(columns[2:])
    return Traffic(*columns)

"""Who caused the waiting of a recorded program: what the rank that was waited for did meanwhile.

Where that rank waited itself, the moment counts for the rank that it waited for, and so on to a
rank that computed or was in a call without waiting: the root cause of Böhme, Geimer, Arnold, Voigt,
Wolf, "Identifying the root causes of wait states in large-scale parallel applications", ACM Trans.
Parallel Computing 3 (2016) 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from phasewise.recorder.activity import Activity, Label
from phasewise.recorder.dependences import CAUSES, Floats
from phasewise.recorder.varints import Integers

COMPUTING, IN_CALL = "computing", "in the call"
"""What a rank does: it computes before a call, or is in it."""
PARTS = (COMPUTING, IN_CALL)
TOGETHER = 1 << 20
"""Pieces of time that are looked at together."""


@dataclass(frozen=True)
class Caused:
    """Waiting [s] of all ranks for one cause in the calls of one label, caused by one rank with
    what it did before or in the calls of another label.
    """

    cause: str
    seconds: float
    label: Label
    rank: int
    by: Label
    part: str


@dataclass(frozen=True)
class Stretches:
    """Stretches of time (k,) of lanes that others wait for; origin: the call that waits."""

    origin: Integers
    lane: Integers
    start: Floats
    end: Floats

    def __len__(self) -> int:
        return len(self.origin)

    def part(self, which: slice) -> Stretches:
        return Stretches(self.origin[which], self.lane[which], self.start[which], self.end[which])


class Culprits:
    """Sums of waiting [s]: `matrix` (R, R) from the rank that waits to the one that causes it, and
    by cause and label.
    """

    def __init__(self, activity: Activity, ranks: int) -> None:
        self._one, self._ranks = activity, ranks
        self.matrix = np.zeros((ranks, ranks))
        self._sums: dict[int, float] = {}
        width = 2 * activity.span + 1.0
        # Times of all lanes in one ascending row, to be searched together.
        shift = activity.lane * width - float(activity.began.min())
        self._width, self._shift = width, float(activity.began.min())
        self._starts, self._ends = activity.start + shift, activity.end + shift
        del shift
        self._before = activity.before
        self._follow()
        del self._starts, self._ends, self._before

    def rows(self, world: list[int]) -> list[Caused]:
        """All waiting, the longest first. world: the number of the rank of each file."""
        labels = self._one.labels
        found = []
        for key, seconds in self._sums.items():
            rest, by = divmod(key, len(labels))
            rest, part = divmod(rest, len(PARTS))
            rest, rank = divmod(rest, self._ranks)
            cause, label = divmod(rest, len(labels))
            found.append(
                Caused(CAUSES[cause], seconds, labels[label], world[rank], labels[by], PARTS[part])
            )
        return sorted(found, key=lambda one: -one.seconds)

    def _follow(self) -> None:
        one = self._one
        waits = np.flatnonzero((one.wait > 0) & (one.other >= 0))
        begin = one.start[waits]
        rest = Stretches(waits, one.lane[one.other[waits]], begin, begin + one.wait[waits])
        # A chain has each lane at most once, unless clocks disagree.
        for _ in range(len(one.rank)):
            if not len(rest):
                return
            further = [self._take(part) for part in self._parts(rest)]
            rest = Stretches(
                *(np.concatenate([getattr(f, n) for f in further]) for n in vars(further[0]))
            )
        last = np.searchsorted(self._starts, self._at(rest.lane, rest.start), side="right") - 1
        self._add(rest.origin, np.maximum(last, 0), 1, rest.end - rest.start)

    def _at(self, lane: Integers, time: Floats) -> Floats:
        return np.asarray(lane * self._width + (time - self._shift))

    def _range(self, rest: Stretches) -> tuple[Integers, Integers]:
        """The first and one past the last call whose gap or time a stretch may touch."""
        first = np.searchsorted(self._ends, self._at(rest.lane, rest.start), side="right")
        last = np.searchsorted(self._starts, self._at(rest.lane, rest.end), side="left") + 1
        edges = self._one.first
        first = np.maximum(first, edges[rest.lane])
        return first, np.minimum(np.maximum(last, first), edges[rest.lane + 1])

    def _parts(self, rest: Stretches) -> Iterator[Stretches]:
        """The stretches in parts of few enough pieces."""
        first, pieces = self._range(rest)
        pieces -= first
        del first
        np.cumsum(pieces, out=pieces)
        edges = np.searchsorted(pieces, np.arange(TOGETHER, int(pieces[-1]) + 1, TOGETHER))
        del pieces
        for begin, end in pairwise([0, *np.unique(edges).tolist(), len(rest)]):
            if begin < end:
                yield rest.part(slice(begin, end))

    def _take(self, rest: Stretches) -> Stretches:
        """Count what the lanes did without waiting, and return what they waited."""
        one = self._one
        first, last = self._range(rest)
        count = last - first
        which = np.repeat(np.arange(len(rest)), count)
        call = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count) + first[which]
        begin, end = rest.start[which], rest.end[which]
        released = one.start[call] + one.wait[call]
        for part, (low, high) in enumerate(
            ((self._before[call], one.start[call]), (released, one.end[call]))
        ):
            seconds = np.minimum(high, end) - np.maximum(low, begin)
            some = seconds > 0
            self._add(rest.origin[which[some]], call[some], part, seconds[some])
        low, high = np.maximum(one.start[call], begin), np.minimum(released, end)
        some = np.flatnonzero((high > low) & (one.other[call] >= 0))
        lane = one.lane[one.other[call[some]]]
        return Stretches(rest.origin[which[some]], lane, low[some], high[some])

    def _add(self, origin: Integers, call: Integers, part: int, seconds: Floats) -> None:
        one = self._one
        labels = len(one.labels)
        waiting, causing = one.rank[one.lane[origin]], one.rank[one.lane[call]]
        np.add.at(self.matrix, (waiting, causing), seconds)
        key = one.cause[origin].astype(np.int64) * labels + one.label[origin]
        key = ((key * self._ranks + causing) * len(PARTS) + part) * labels + one.label[call]
        distinct, place = np.unique(key, return_inverse=True)
        sums = np.bincount(place, seconds, len(distinct)).astype(np.float64)
        for number, value in zip(distinct.tolist(), sums.tolist(), strict=True):
            self._sums[number] = self._sums.get(number, 0.0) + value

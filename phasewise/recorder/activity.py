"""What the threads of all ranks of a recorded program did in time: gaps, in which they computed,
and calls, which wait first and then take their own time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phasewise.recorder.calls import Calls
from phasewise.recorder.dependences import Floats
from phasewise.recorder.phases import Sites
from phasewise.recorder.recording import Recording
from phasewise.recorder.varints import Integers, smallest


@dataclass(frozen=True)
class Label:
    """A function of MPI at a call site."""

    site: str
    call: str


@dataclass(frozen=True)
class Activity:
    """n calls in L lanes, the threads of the ranks; in each lane in the order of time.

    first (L + 1,): where the calls of each lane begin; rank (L,), as a place among the files;
    began, ended (L,) [s]: when the lane did. Of each call (n,): its number `call` among all of the
    recording, its `lane`, `start` and `end` [s], how long it waits at its beginning [s], for which
    `cause`, and for the call at which place, -1 for none; `label`: a place in `labels`.
    """

    first: Integers
    rank: Integers
    began: Floats
    ended: Floats
    call: Integers
    lane: Integers
    start: Floats
    end: Floats
    wait: Floats
    cause: NDArray[np.int8]
    other: Integers
    label: NDArray[np.int32]
    labels: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.call)

    @property
    def before(self) -> Floats:
        """When the call before each call ended, or its lane began (n,) [s]."""
        found = np.empty(len(self))
        found[1:] = self.end[:-1]
        edges = self.first[:-1]
        filled = edges < self.first[1:]
        found[edges[filled]] = np.minimum(self.began[filled], self.start[edges[filled]])
        return found

    @cached_property
    def span(self) -> float:
        """How long the run took, from the first beginning to the last end [s]."""
        return float(self.ended.max() - self.began.min())

    @cached_property
    def follows(self) -> NDArray[np.bool_]:
        """Whether a call (n,) waited for one that began before its own end, as it must."""
        known = self.other >= 0
        return known & (self.start[np.maximum(self.other, 0)] < self.end)


def activity_of(recording: Recording, sites: Sites) -> Activity:
    """What a recording's threads did. RunError if a trace is damaged."""
    found, waits = recording.dependences, recording.waits
    order, first, rank = _lanes(recording.matching.calls, found.first, found.start)
    other = waits.other
    if np.array_equal(order, np.arange(len(order))):
        at: Integers | slice = slice(None)  # nothing is copied
    else:
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        at, other = order, np.where(other >= 0, place[other], -1)
    began, ended = _bounds(recording, first, rank, found.start[at], found.end[at])
    label, labels = _labels(recording, sites)
    return Activity(
        first=first,
        rank=rank,
        began=began,
        ended=ended,
        call=order,
        lane=np.repeat(np.arange(len(rank), dtype=np.int32), np.diff(first)),
        start=found.start[at],
        end=found.end[at],
        wait=waits.seconds[at],
        cause=waits.cause[at],
        other=other[at],
        label=label[at],
        labels=labels,
    )


def _lanes(
    calls: list[Calls], first: Integers, start: Floats
) -> tuple[Integers, Integers, Integers]:
    """The calls of all ranks lane by lane (n,), where each lane begins, and its rank. A rank
    without a call has a lane too.
    """
    order: list[Integers] = [np.empty(0, np.int32)]
    sizes, ranks = [0], []
    for rank, own in enumerate(calls):
        threads = np.unique(own.thread).tolist() or [0]
        for thread in threads:
            mine = np.flatnonzero(own.thread == thread) + first[rank]
            order.append(smallest(mine[np.argsort(start[mine], kind="stable")]))
            sizes.append(len(mine))
            ranks.append(rank)
    return np.concatenate(order), np.cumsum(sizes), np.array(ranks)


def _bounds(
    recording: Recording, first: Integers, rank: Integers, start: Floats, end: Floats
) -> tuple[Floats, Floats]:
    """When each lane began and ended [s]: the first one of a rank with its rank, others with their
    calls.
    """
    began, ended = [], []
    for lane, own in enumerate(rank.tolist()):
        file, clock = recording.files[own], recording.matching.clocks[own]
        own_start, own_end = (part[first[lane] : first[lane + 1]] for part in (start, end))
        bounds = [float(clock.of(file.head.began)), float(clock.of(file.last))]
        if lane and rank[lane - 1] == own:
            bounds = [float(own_start[0]), float(own_end[-1])]
        began.append(min([bounds[0], *own_start[:1].tolist()]))
        ended.append(max([bounds[1], *own_end[-1:].tolist()]))
    return np.array(began), np.array(ended)


def _labels(recording: Recording, sites: Sites) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    """The label of each call of all ranks (n,), and the labels."""
    known: dict[Label, int] = {}
    found = [np.empty(0, np.int32)]
    for place, (file, calls) in enumerate(
        zip(recording.files, recording.matching.calls, strict=True)
    ):
        columns = calls.entries.columns
        pairs = zip(columns["site"].tolist(), columns["function"].tolist(), strict=True)
        own = [
            known.setdefault(
                Label(sites.chain(place, site), file.functions.get(function, "unknown")),
                len(known),
            )
            for site, function in pairs
        ]
        found.append(np.array(own, np.int32)[calls.entry])
    return np.concatenate(found), tuple(known)

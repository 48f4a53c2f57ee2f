"""What the ranks of a run did at each moment, from its recorded events.

A moment belongs to the innermost event around it: to a kernel that runs inside of a phase, not to
the phase. A rank waits while it does not compute and is ready to receive a message that its sender
has not begun to send (a "late sender": Wolf, Mohr, "Automatic performance analysis of hybrid
MPI/OpenMP applications", J. Systems Architecture 49 (2003) 421).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.traces.records import COMPUTE, PHASE, RECEIVE, SEND, CommunicationRecord, Events

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Records = NDArray[np.void]


@dataclass(frozen=True)
class Timeline:
    """A stretch of a run in P equal intervals, R ranks.

    edges (P + 1,) [s]; states, shares of each interval: computing, communicating (without waiting),
    waiting (R, P); task (R, P): index of `names` that took most of an interval, -1 where nothing
    was recorded; computes (names,): whether a task is a kernel. `dropped` counts the events that
    are missing because the ranks' memory for them was full.
    """

    edges: Floats
    computing: Floats
    communicating: Floats
    waiting: Floats
    task: Integers
    names: tuple[str, ...]
    dropped: int

    @property
    def counts(self) -> Floats:
        """Ranks that compute, communicate, wait and do nothing recorded, (4, P)."""
        known = np.array(
            [state.sum(axis=0) for state in (self.computing, self.communicating, self.waiting)]
        )
        rest = np.maximum(len(self.task) - known.sum(axis=0), 0.0)
        return np.vstack([known, rest])


def one_turn(events: Events, record: CommunicationRecord) -> tuple[float, float] | None:
    """Start and end [s] of a turn that all ranks recorded; None without events.

    This is the second turn if two were recorded, since the first one also does one-time work. If
    less than a turn was recorded, it is all of that.
    """
    firsts, lasts, full = [], [], []
    for rank in range(record.ranks):
        own = events.of(rank)
        if len(own):
            firsts.append(float(own["start"].min()))
            lasts.append(float(own["end"].max()))
            full.append(bool(events.dropped[rank]))
    if not firsts:
        return None
    start = min(firsts)
    # A rank whose memory was full did more than it shows.
    cut = [last for last, dropped in zip(lasts, full, strict=True) if dropped]
    end = min(cut) if cut else max(lasts)
    turn = record.seconds / max(record.turns, 1)
    if not start < end:
        return None
    if not 0 < turn < end - start:
        return start, end
    return (start + turn, start + 2 * turn) if 2 * turn <= end - start else (start, start + turn)


def timeline(events: Events, span: tuple[float, float], intervals: int) -> Timeline:
    """What the ranks did within `span` [s], in equal intervals of the given number."""
    edges = np.linspace(*span, intervals + 1)
    own = [_within(events.of(rank), edges) for rank in range(events.ranks)]
    begun = _send_starts(events, own)
    shape = (events.ranks, intervals)
    computing, communicating, waiting = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    task = np.full(shape, -1, dtype=np.int64)
    for rank, found in enumerate(own):
        computing[rank], inside, by_name = _exclusive(found, edges, len(events.names))
        late = _late(events, found[found["kind"] == RECEIVE], rank, begun)
        waiting[rank] = np.minimum(covered(*late, edges), inside)
        communicating[rank] = inside - waiting[rank]
        if by_name.size:
            task[rank] = np.where(by_name.max(axis=0) > 0, by_name.argmax(axis=0), -1)
    width = edges[1] - edges[0]
    return Timeline(
        edges,
        computing / width,
        communicating / width,
        waiting / width,
        task,
        events.names,
        int(events.dropped.sum()),
    )


def _within(found: Records, edges: Floats) -> Records:
    # Sends that begin after the span show how long a receive at its end waited.
    later = edges[-1] + (edges[-1] - edges[0]) * (found["kind"] == SEND)
    near = (found["end"] > edges[0]) & (found["start"] < later)
    return np.asarray(found[near])


def covered(starts: Floats, ends: Floats, edges: Floats) -> Floats:
    """Time (P,) that intervals [start, end), (n,), cover of each of P intervals; overlaps count
    as often as they occur.
    """
    return np.diff(_ramp(starts, edges) - _ramp(ends, edges))


def _ramp(times: Floats, edges: Floats) -> Floats:
    """Sum over `times` of how long before each edge they were."""
    ordered = np.sort(times)
    # Counted from the first edge, so that the sums are of the size of the span.
    sums = np.concatenate([[0.0], np.cumsum(ordered - edges[0])])
    before = np.searchsorted(ordered, edges)
    return np.asarray(before * (edges - edges[0]) - sums[before])


def _exclusive(found: Records, edges: Floats, names: int) -> tuple[Floats, Floats, Floats]:
    """Time of each interval in kernels (P,), in phases (P,), and by name (names, P)."""
    found = found[((found["kind"] == COMPUTE) | (found["kind"] == PHASE))]
    found = found[found["end"] > found["start"]]
    found = found[np.lexsort((-found["end"], found["start"]))]
    parent = parents(found["start"], found["end"])
    inner = parent >= 0
    owner = found[parent[inner]]
    starts, ends = found["start"][inner], np.minimum(found["end"][inner], owner["end"])

    def time(kind: Integers, value: int, of_owner: Integers) -> Floats:
        chosen, taken = kind == value, of_owner == value
        own = covered(found["start"][chosen], found["end"][chosen], edges)
        return np.maximum(own - covered(starts[taken], ends[taken], edges), 0.0)

    by_name = np.zeros((names, len(edges) - 1))
    for name in np.unique(found["phase"]):
        by_name[name] = time(found["phase"], name, owner["phase"])
    computing, inside = (time(found["kind"], k, owner["kind"]) for k in (COMPUTE, PHASE))
    return computing, inside, by_name


def parents(starts: Floats, ends: Floats) -> Integers:
    """Index (n,) of the innermost interval around each of n nested ones, -1 where there is none.

    They are sorted by start, at the same start the longest first.
    """
    index = np.arange(len(starts))
    depth = index - np.searchsorted(np.sort(ends), starts, side="right")
    parent = np.full(len(starts), -1, dtype=np.int64)
    for level in range(1, int(depth.max(initial=0)) + 1):
        above, here = np.flatnonzero(depth == level - 1), np.flatnonzero(depth == level)
        last = np.searchsorted(above, here) - 1
        parent[here] = np.where(last >= 0, above[last], -1)
    return parent


@dataclass(frozen=True)
class _Sends:
    """Sorted keys of messages (n,), the starts of their sends (n,) [s], and a bound of their
    numbers.
    """

    keys: Integers
    starts: Floats
    numbers: int


def _send_starts(events: Events, own: list[Records]) -> _Sends:
    numbers = 1 + max((int(found["number"].max(initial=0)) for found in own), default=0)
    sends = [found[found["kind"] == SEND] for found in own]
    keys = [events.message_keys(sent, rank, numbers) for rank, sent in enumerate(sends)]
    joined = np.concatenate(keys)
    order = np.argsort(joined)
    return _Sends(joined[order], np.concatenate([sent["start"] for sent in sends])[order], numbers)


def _late(events: Events, receives: Records, rank: int, begun: _Sends) -> tuple[Floats, Floats]:
    """Starts and ends of the disjoint intervals in which a rank's partners were late."""
    keys = events.message_keys(receives, rank, begun.numbers)
    at = np.minimum(np.searchsorted(begun.keys, keys), max(len(begun.keys) - 1, 0))
    if not len(begun.keys) or not len(keys):
        return np.empty(0), np.empty(0)
    found = begun.keys[at] == keys
    starts = receives["start"][found]
    ends = np.minimum(receives["end"][found], begun.starts[at[found]])
    late = ends > starts
    return _union(starts[late], ends[late])


def _union(starts: Floats, ends: Floats) -> tuple[Floats, Floats]:
    """Intervals (n,) joined where they overlap."""
    order = np.argsort(starts)
    starts, reach = starts[order], np.maximum.accumulate(ends[order])
    new = np.concatenate([[True], starts[1:] > reach[:-1]])[: len(starts)]
    last = np.concatenate([new[1:], [True]])[: len(starts)]
    return starts[new], reach[last]

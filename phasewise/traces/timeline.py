"""What the ranks of a run did at each moment, from its recorded events.

A moment belongs to the innermost event around it: to a kernel that runs inside of a phase, not to
the phase. A rank waits while it does not compute and is ready to receive a message that its sender
has not begun to send (a "late sender": Wolf, Mohr, "Automatic performance analysis of hybrid
MPI/OpenMP applications", J. Systems Architecture 49 (2003) 421), or is in a collective of the
library that the last rank has not yet entered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from phasewise.traces.collectives import collective_waits
from phasewise.traces.records import COMPUTE, PHASE, RECEIVE, SEND, Events

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Records = NDArray[np.void]

INNERMOST, OUTERMOST = "innermost", "outermost"
"""Which of the tasks around a moment the moment counts for."""
DECLARED = "declared"
"""The tasks that the workload declares, each with several kernels and phases."""
REST = "other"
"""The name for what a task does outside of the tasks within it."""


@dataclass(frozen=True)
class Timeline:
    """A stretch of a run: P equal intervals of R ranks, whose numbers are `ranks`.

    edges (P + 1,): the ends of the intervals [s]. computing, communicating (without waiting),
    waiting (R, P): the states, as shares of each interval. task (R, P): the index in `names` of
    what took most of an interval, -1 if nothing was recorded. `dropped` counts the events that are
    missing because the ranks' memory for them was full.
    """

    ranks: tuple[int, ...]
    edges: Floats
    computing: Floats
    communicating: Floats
    waiting: Floats
    task: Integers
    names: tuple[str, ...]
    dropped: int
    from_first: float = 0.0
    """How long after the first event of any rank the stretch begins [s]."""

    @property
    def counts(self) -> Floats:
        """How many ranks compute, communicate, wait, and do nothing that was recorded, (4, P)."""
        known = np.array(
            [state.sum(axis=0) for state in (self.computing, self.communicating, self.waiting)]
        )
        rest = np.maximum(len(self.task) - known.sum(axis=0), 0.0)
        return np.vstack([known, rest])

    @property
    def seconds(self) -> float:
        """How long the stretch is [s]."""
        return float(self.edges[-1] - self.edges[0])


def timeline(
    events: Events,
    span: tuple[float, float],
    intervals: int,
    ranks: Sequence[int] | None = None,
    tasks: str = INNERMOST,
) -> Timeline:
    """What the ranks, all by default, did within `span` [s], which is divided into a number of
    equal `intervals`.

    tasks: whether a moment belongs to the innermost or to the outermost task around it, or the name
    of a task; moments within that one belong to the tasks directly in it, or else to "other". Tasks
    whose names begin with it and a dot, as those of one workload of several, are in it too.
    """
    edges = np.linspace(*span, intervals + 1)
    every = [events.of(rank) for rank in range(events.ranks)]
    entering = collective_waits(events, every)
    own = [_within(found, edges) for found in every]
    begun = _send_starts(events, own)
    shown = range(events.ranks) if ranks is None else ranks
    shape = (len(shown), intervals)
    computing, communicating, waiting = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    task = np.full(shape, -1, dtype=np.int64)
    names = events.names if tasks in (INNERMOST, OUTERMOST) else (*events.names, REST)
    for row, rank in enumerate(shown):
        found = _nested(own[rank])
        computing[row], inside = (_exclusive(found, kind, edges) for kind in (COMPUTE, PHASE))
        late = _late(events, own[rank][own[rank]["kind"] == RECEIVE], rank, begun)
        idle = _union(*(np.concatenate(pair) for pair in zip(late, entering[rank], strict=True)))
        waiting[row] = np.minimum(covered(*idle, edges), inside)
        communicating[row] = inside - waiting[row]
        by_name = _by_name(found, names, tasks, edges)
        if by_name.size:
            task[row] = np.where(by_name.max(axis=0) > 0, by_name.argmax(axis=0), -1)
    width = edges[1] - edges[0]
    return Timeline(
        tuple(shown),
        edges,
        computing / width,
        communicating / width,
        waiting / width,
        task,
        names,
        int(events.dropped[list(shown)].sum()),
        span[0] - min((float(found["start"].min()) for found in every if len(found)), default=0.0),
    )


def grouped(line: Timeline, tasks: Mapping[str, Sequence[str]]) -> Timeline:
    """A time line of innermost tasks with these in their place, each of which has the names of
    several; what is in none of them stays.
    """
    group = {name: task for task, names in tasks.items() for name in names}
    return _renamed(line, [group.get(name, name) for name in line.names])


def selected(line: Timeline, names: Sequence[str]) -> Timeline:
    """A time line of innermost tasks with these names alone; the others are "other"."""
    return _renamed(line, [name if name in names else REST for name in line.names])


def _renamed(line: Timeline, names: Sequence[str]) -> Timeline:
    """With another name for each task; tasks of the same name become one."""
    distinct = tuple(dict.fromkeys(names))
    places = np.array([*(distinct.index(name) for name in names), -1], dtype=np.int64)
    return replace(line, task=places[line.task], names=distinct)


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
    # Times are counted from the first edge, so that the sums are of the size of the span.
    sums = np.concatenate([[0.0], np.cumsum(ordered - edges[0])])
    before = np.searchsorted(ordered, edges)
    return np.asarray(before * (edges - edges[0]) - sums[before])


@dataclass(frozen=True)
class _Tasks:
    """Kernels and phases of a rank (n,), sorted as `parents` needs them, and the index of the one
    around each.
    """

    found: Records
    parent: Integers


def _nested(found: Records) -> _Tasks:
    found = found[((found["kind"] == COMPUTE) | (found["kind"] == PHASE))]
    found = found[found["end"] > found["start"]]
    found = found[np.lexsort((-found["end"], found["start"]))]
    return _Tasks(found, parents(found["start"], found["end"]))


def _exclusive(tasks: _Tasks, kind: int, edges: Floats) -> Floats:
    """Time of each interval in kernels or in phases (P,), whichever `kind` says."""
    return _own_time(tasks, tasks.found["kind"] == kind, edges)


def _own_time(tasks: _Tasks, chosen: NDArray[np.bool_], edges: Floats) -> Floats:
    """Time of each interval in the chosen tasks (n,), without that of the tasks within them."""
    found, inner = tasks.found, tasks.parent >= 0
    owner = tasks.parent[inner]
    taken = chosen[owner]
    starts = found["start"][inner][taken]
    ends = np.minimum(found["end"][inner], found["end"][owner])[taken]
    own = covered(found["start"][chosen], found["end"][chosen], edges)
    return np.maximum(own - covered(starts, ends, edges), 0.0)


def _by_name(tasks: _Tasks, names: tuple[str, ...], level: str, edges: Floats) -> Floats:
    """Time of each interval by task (names, P)."""
    by_name = np.zeros((len(names), len(edges) - 1))
    found, parent = tasks.found, tasks.parent
    name = found["phase"]
    if level == INNERMOST:
        for index in np.unique(name):
            by_name[index] = _own_time(tasks, name == index, edges)
        return by_name
    if level == OUTERMOST:
        part = parent < 0
    else:
        around = np.array([given == level for given in names])[name]
        group = np.array([given.startswith(f"{level}.") for given in names])[name]
        part = (parent >= 0) & around[parent] & ~around
        part |= group & ~((parent >= 0) & (group | around)[parent])
        by_name[-1] = _covered(found[around & ~((parent >= 0) & around[parent])], edges)
        by_name[-1] -= _covered(found[part], edges)
        # What is left of an interval only by rounding is no time of the task.
        by_name[-1][by_name[-1] < 1e-9 * (edges[1] - edges[0])] = 0.0
    for index in np.unique(name[part]):
        by_name[index] = _covered(found[part & (name == index)], edges)
    return by_name


def _covered(found: Records, edges: Floats) -> Floats:
    return covered(found["start"], found["end"], edges)


def parents(starts: Floats, ends: Floats) -> Integers:
    """Index (n,) of the innermost interval around each of n nested ones, -1 if there is none.

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

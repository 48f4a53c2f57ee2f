"""How long each rank waits in the library's collectives: until the last of its ranks has entered.

The library's own messages cannot be seen. Calls of a phase are numbered on each rank, and those of
the same number belong to one collective as long as all of them have begun before any has ended:
since a sum ends on no rank before all ranks have entered it, this separates teams of ranks that
call it at different times.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phasewise.traces.records import PHASE, Events

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Records = NDArray[np.void]
Spans = tuple[Floats, Floats]


def collective_waits(events: Events, every: Sequence[Records]) -> list[Spans]:
    """Starts and ends [s] of each rank's waiting in collectives, from all events of every rank."""
    found: list[list[Spans]] = [[] for _ in every]
    for name in events.library:
        calls = [own[(own["kind"] == PHASE) & (own["phase"] == name)] for own in every]
        rank = np.repeat(np.arange(len(every)), [len(own) for own in calls])
        number = np.concatenate([np.arange(len(own)) for own in calls])
        if not len(rank):
            continue
        joined = np.concatenate(calls)
        entered = last_entries(number, joined["start"], joined["end"])
        for own in np.unique(rank):
            mine = rank == own
            found[own].append((joined["start"][mine], entered[mine]))
    nothing = (np.empty(0), np.empty(0))
    return [_joined(spans) if spans else nothing for spans in found]


def last_entries(number: Integers, starts: Floats, ends: Floats) -> Floats:
    """When the last rank entered the collective that each of n calls is part of, (n,) [s]."""
    order = np.lexsort((starts, number))
    entered = np.empty(len(order))
    edges = np.flatnonzero(np.diff(number[order])) + 1
    for calls in np.split(order, edges):
        while len(calls):
            # The calls are in the order of their starts: those before the first end are together.
            over = np.minimum.accumulate(ends[calls])[:-1]
            apart = np.flatnonzero(starts[calls[1:]] > over)
            together = int(apart[0]) + 1 if len(apart) else len(calls)
            entered[calls[:together]] = starts[calls[together - 1]]
            calls = calls[together:]
    return entered


def _joined(spans: list[Spans]) -> Spans:
    starts, ends = (np.concatenate(part) for part in zip(*spans, strict=True))
    late = ends > starts
    return starts[late], ends[late]

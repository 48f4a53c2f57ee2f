"""How long each call waited for others: a receive for its sender, a send for its receive, a
collective for its root or its last rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from phasewise.recorder import kinds
from phasewise.recorder.calls import Calls
from phasewise.recorder.matching import AllEnds, Matched
from phasewise.recorder.requests import Ends
from phasewise.recorder.varints import Integers

Floats = NDArray[np.float64]

FROM_ROOT = {"Bcast", "Scatter", "Scatterv"}
"""Collectives in which ranks wait for the root."""
AT_ROOT = {"Reduce", "Gather", "Gatherv"}
"""Collectives in which the root waits for all."""
FOR_ALL = {
    *("Barrier", "Allreduce", "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw"),
    *("Reduce_scatter", "Reduce_scatter_block"),
}
NUMBERED = FROM_ROOT | AT_ROOT | FOR_ALL | {"Scan", "Exscan"}


class Clocks:
    """The times of a rank's calls on rank 0's clock [s]."""

    def __init__(self, calls: Calls, began: int, ended: int, offsets: tuple[int, int]) -> None:
        """began, ended [ns]: when the clocks were compared; offsets [ns]: what was found then."""
        self._began, self._offset = began, offsets[0]
        span = max(ended - began, 1)
        self._drift = (offsets[1] - offsets[0]) / span
        self.start, self.end = self.of(calls.start), self.of(calls.end)

    def of(self, time: Integers | int) -> Floats:
        """Times [ns] of this rank in s on rank 0's clock."""
        since = np.asarray(time, np.int64)
        moved = since + self._offset + np.rint(self._drift * (since - self._began)).astype(np.int64)
        return np.asarray(1e-9 * moved)


def waiting(
    calls: Sequence[Calls],
    clocks: Sequence[Clocks],
    ends: tuple[Sequence[Ends], Sequence[Ends]],
    gathered: tuple[AllEnds, AllEnds],
    matched: Matched,
    numbers: Sequence[Integers],
) -> list[Floats]:
    """The waiting (n,) [s] of each call of each rank."""
    found = [np.zeros(len(own)) for own in calls]
    _messages(found, clocks, ends, gathered, matched, calls)
    for rank, call, seconds in _collectives(calls, clocks, numbers):
        np.maximum.at(found[rank], call, seconds)
    # A call cannot wait for longer than it takes.
    for own, clock in zip(found, clocks, strict=True):
        np.minimum(own, clock.end - clock.start, out=own)
    return found


def _messages(
    found: list[Floats],
    clocks: Sequence[Clocks],
    ends: tuple[Sequence[Ends], Sequence[Ends]],
    gathered: tuple[AllEnds, AllEnds],
    matched: Matched,
    calls: Sequence[Calls],
) -> None:
    """A receive waits until its message is sent; a blocking send that ends after its receive has
    begun waits until then.
    """
    sends, receives = gathered
    sent = _at(ends[0], clocks, "call", "start")[matched.send]
    sent_end = _at(ends[0], clocks, "call", "end")[matched.send]
    posted = _at(ends[1], clocks, "call", "start")[matched.receive]
    waited = _at(ends[1], clocks, "done", "start")[matched.receive]
    late = np.maximum(sent - waited, 0.0)
    _add(found, receives, ends[1], "done", matched.receive, late)
    held = np.where(sent_end > posted, np.maximum(posted - sent, 0.0), 0.0)
    blocking = _blocking(ends[0], calls)[matched.send]
    _add(found, sends, ends[0], "call", matched.send, np.where(blocking, held, 0.0))


def _places(ends: Sequence[Ends], name: str) -> Integers:
    return np.concatenate([np.empty(0, np.int64), *(getattr(one, name) for one in ends)])


def _at(ends: Sequence[Ends], clocks: Sequence[Clocks], name: str, which: str) -> Floats:
    """When the calls that `name` means started or ended, for all ends."""
    parts = [
        getattr(clock, which)[getattr(one, name)] for one, clock in zip(ends, clocks, strict=True)
    ]
    return np.concatenate([np.empty(0), *parts])


def _blocking(ends: Sequence[Ends], calls: Sequence[Calls]) -> NDArray[np.bool_]:
    names = sorted(kinds.SENDS)
    parts = [
        np.isin(own.entries.names, names)[own.entry[one.call]]
        for one, own in zip(ends, calls, strict=True)
    ]
    return np.concatenate([np.empty(0, bool), *parts])


def _add(
    found: list[Floats],
    of: AllEnds,
    ends: Sequence[Ends],
    name: str,
    which: Integers,
    seconds: Floats,
) -> None:
    """Each call waits for the last of what it waits for."""
    place, rank = _places(ends, name)[which], of.rank[which]
    order = np.argsort(rank, kind="stable")
    edges = np.searchsorted(rank[order], np.arange(len(found) + 1))
    for own, first, last in zip(range(len(found)), edges, edges[1:], strict=False):
        chosen = order[first:last]
        np.maximum.at(found[own], place[chosen], seconds[chosen])


def _collectives(
    calls: Sequence[Calls], clocks: Sequence[Clocks], numbers: Sequence[Integers]
) -> Iterator[tuple[int, Integers, Floats]]:
    """Rank, calls and their waiting in blocking collectives: the k-th on a communicator is one on
    all of its ranks.
    """
    wanted = NUMBERED | {"I" + name.lower() for name in NUMBERED}
    at = [own.named(wanted) for own in calls]
    space = [own[one.of("space")[k]] for one, own, k in zip(calls, numbers, at, strict=True)]
    index = [_index(own) for own in space]
    rank = np.repeat(np.arange(len(at)), [len(one) for one in at])
    empty = np.empty(0, np.int64)
    joined = [np.concatenate([empty, *part]) for part in (at, space, index)]
    start = np.concatenate([np.empty(0), *(c.start[k] for c, k in zip(clocks, at, strict=True))])
    peer = np.concatenate([empty, *(c.of("peer")[k] for c, k in zip(calls, at, strict=True))])
    names = np.concatenate(
        [np.empty(0, "<U1"), *(c.names[k] for c, k in zip(calls, at, strict=True))]
    )
    order = np.lexsort((joined[2], joined[1]))
    key = np.stack([joined[1][order], joined[2][order]])
    group = np.cumsum(np.any(np.diff(key, axis=1, prepend=-1) != 0, axis=0)) - 1
    last = np.full(int(group[-1]) + 1 if len(group) else 0, -np.inf)
    np.maximum.at(last, group, start[order])
    root = np.full(len(last), -np.inf)
    mine = rank[order] == peer[order]
    np.maximum.at(root, group[mine], start[order][mine])
    until = np.full(len(order), -np.inf)
    own = names[order]
    until = np.where(np.isin(own, sorted(FOR_ALL)), last[group], until)
    until = np.where(np.isin(own, sorted(FROM_ROOT)) & ~mine, root[group], until)
    until = np.where(np.isin(own, sorted(AT_ROOT)) & mine, last[group], until)
    seconds = np.maximum(until - start[order], 0.0)
    for one in range(len(at)):
        chosen = rank[order] == one
        yield one, joined[0][order][chosen], seconds[chosen]


def _index(space: Integers) -> Integers:
    """How many rows of the same value come before each row."""
    order = np.argsort(space, kind="stable")
    first = np.flatnonzero(np.diff(space[order], prepend=-1))
    sizes = np.diff(np.append(first, len(order)))
    index = np.empty_like(space)
    index[order] = np.arange(len(order)) - np.repeat(first, sizes)
    return index

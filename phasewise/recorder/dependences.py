"""What the calls of a recorded program wait for: a receive for its send, a send for its receive, a
collective for its root or for its last rank.

All calls of all ranks are numbered together, rank by rank, from 0 on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.recorder import kinds
from phasewise.recorder.calls import Calls
from phasewise.recorder.collective_groups import Groups, groups_of
from phasewise.recorder.late_receivers import Sends, held
from phasewise.recorder.matching import Matched
from phasewise.recorder.requests import Ends, completions, last_before, taken
from phasewise.recorder.varints import Integers, smallest

Floats = NDArray[np.float64]

LATE_SENDER, LATE_RECEIVER, AT_COLLECTIVE = range(3)
CAUSES = ("late sender", "late receiver", "wait at a collective")
"""Why a call may wait (Wolf, Mohr, J. Systems Architecture 49 (2003) 421)."""
BUFFERED = ("Bsend", "Ibsend")
"""Sends that never wait for their receive."""
SYNCHRONOUS = 2
"""What tells sends that always do."""


class Clocks:
    """The times of a rank's calls on rank 0's clock [s]."""

    def __init__(self, began: int, ended: int, offsets: tuple[int, int]) -> None:
        """began, ended [ns]: when the clocks were compared; offsets [ns]: what was found then."""
        self._began, self._offset = began, offsets[0]
        span = max(ended - began, 1)
        self._drift = (offsets[1] - offsets[0]) / span

    def of(self, time: Integers | int) -> Floats:
        """Times [ns] of this rank in s on rank 0's clock."""
        since = np.asarray(time, np.int64)
        moved = np.rint(self._drift * (since - self._began)).astype(np.int64)
        moved += since + self._offset
        return np.asarray(1e-9 * moved)


@dataclass(frozen=True)
class Dependences:
    """What n calls of R ranks wait for.

    first (R + 1,): where the calls of each rank begin; start, end (n,) [s]. Call waiter[k] may not
    end before call other[k] begins, for the reason cause[k]: arrays (m,). groups: the same for
    blocking collectives.
    """

    first: Integers
    start: Floats
    end: Floats
    waiter: Integers
    other: Integers
    cause: NDArray[np.int8]
    groups: Groups

    def rank(self, call: Integers) -> Integers:
        """The rank of each call, as its place among the files."""
        return np.searchsorted(self.first, call, side="right") - 1


def dependences(
    calls: Sequence[Calls],
    clocks: Sequence[Clocks],
    ends: tuple[Sequence[Ends], Sequence[Ends]],
    matched: Matched,
    numbers: Sequence[Integers],
    hosts: Integers,
) -> Dependences:
    """What the calls of all ranks wait for; hosts: the number of each rank's system."""
    first = np.cumsum([0, *(len(own) for own in calls)])
    pairs = list(zip(clocks, calls, strict=True))
    start = np.concatenate([np.empty(0), *(clock.of(own.start) for clock, own in pairs)])
    end = np.concatenate([np.empty(0), *(clock.of(own.end) for clock, own in pairs)])
    groups, posted = groups_of(calls, numbers, first, start)
    parts = [
        *_messages(calls, ends, matched, first, start, end, hosts),
        _of_posted_collectives(calls, first, posted),
    ]
    waiter, other = (np.concatenate([smallest(part[k]) for part in parts]) for k in range(2))
    cause = np.concatenate([part[2] for part in parts])
    return Dependences(first, start, end, waiter, other, cause, groups)


Part = tuple[Integers, Integers, NDArray[np.int8]]
"""Waiters, what they wait for, and why."""


def _part(waiter: Integers, other: Integers, cause: int) -> Part:
    return waiter, other, np.full(len(waiter), cause, np.int8)


def _messages(
    calls: Sequence[Calls],
    ends: tuple[Sequence[Ends], Sequence[Ends]],
    matched: Matched,
    first: Integers,
    start: Floats,
    end: Floats,
    hosts: Integers,
) -> Iterator[Part]:
    """A receive ends after its send has begun; a send that was held until its receive was posted
    waited for it.
    """
    sends, receives = matched.send, matched.receive
    sent = _numbered([own.call for own in ends[0]], first)[sends]
    sent_by = _numbered([own.done for own in ends[0]], first)[sends]
    posted = _numbered([own.call for own in ends[1]], first)[receives]
    within = [_waits_in(own, came) for own, came in zip(calls, ends[1], strict=True)]
    yield _part(_numbered(within, first)[receives], sent, LATE_SENDER)
    probes = _numbered([_probes(o, came) for o, came in zip(calls, ends[1], strict=True)], first)
    known = probes[receives] >= 0
    yield _part(probes[receives][known], sent[known], LATE_SENDER)
    direct = _numbered([_unbuffered(o, went) for o, went in zip(calls, ends[0], strict=True)], None)
    may = np.flatnonzero((sent_by >= 0) & (direct[sends] > 0))
    at, sent, sent_by, posted = sends[may], sent[may], sent_by[may], posted[may]
    own = Sends(
        size=np.concatenate([np.empty(0, np.int64), *(went.bytes for went in ends[0])])[at],
        apart=_hosts(sent, hosts, first) != _hosts(posted, hosts, first),
        synchronous=direct[at] == SYNCHRONOUS,
        blocking=sent == sent_by,
        began=start[sent],
        ended=end[sent_by],
        posted=start[posted],
    )
    waited = held(own)
    yield _part(sent_by[waited], posted[waited], LATE_RECEIVER)


def _hosts(calls: Integers, hosts: Integers, first: Integers) -> Integers:
    """The system of the rank of each call (n,)."""
    return hosts[np.searchsorted(first, calls, side="right") - 1]


def _numbered(places: Sequence[Integers], first: Integers | None) -> Integers:
    """Calls of all ranks as numbers among all; -1 stays."""
    offsets: Sequence[Any] = [0] * len(places) if first is None else first[:-1].tolist()
    kind = np.int32 if first is None or first[-1] < 1 << 31 else np.int64
    parts = [np.where(own >= 0, own + at, -1) for own, at in zip(places, offsets, strict=True)]
    return np.concatenate([np.empty(0, kind), *(part.astype(kind) for part in parts)])


def _waits_in(calls: Calls, came: Ends) -> Integers:
    """The call in which each receive (n,) waits: a matched probe waits in the place of the receive
    that follows it.
    """
    probe = taken(calls)[came.call]
    return np.where(probe != came.call, probe, came.done)


def _probes(calls: Calls, came: Ends) -> Integers:
    """The blocking probe that each receive (n,) follows, -1 for most: the last one for a message of
    the same rank on the same communicator, if no other receive has come between.
    """
    found = np.full(len(came), -1)
    probes = calls.named({"Probe"})
    if not len(probes):
        return found
    ranks = 2 + max(int(calls.of("peer")[probes].max()), int(came.peer.max(initial=0)))
    key = calls.of("space")[probes].astype(np.int64) * ranks + calls.of("peer")[probes]
    wanted = came.space.astype(np.int64) * ranks + came.peer
    place = last_before(key, probes, wanted, came.call.astype(np.int64))
    known = np.flatnonzero(place >= 0)
    _, once = np.unique(place[known], return_index=True)
    found[known[once]] = probes[place[known[once]]]
    return found


def _unbuffered(calls: Calls, went: Ends) -> Integers:
    """For each send (n,), whether it may wait for its receive: 0, 1, or SYNCHRONOUS."""
    names = calls.entries.names
    # The receiving half of an exchange waits for the same rank already.
    apart = np.isin(names, sorted({*BUFFERED, *kinds.EXCHANGES}))
    may = np.where(np.isin(names, ("Ssend", "Issend")), SYNCHRONOUS, 1)
    return np.where(apart, 0, may)[calls.entry[went.call]]


def _of_posted_collectives(
    calls: Sequence[Calls], first: Integers, posted: tuple[Integers, Integers, Integers]
) -> Part:
    """What completes a nonblocking collective waits for its root or its last rank."""
    waiters, others = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    call, other, rank = posted
    for place, own in enumerate(calls):
        mine = rank == place
        if not np.any(mine):
            continue
        done = _completed_by(own, call[mine] - first[place])
        waiters.append((done + first[place])[done >= 0])
        others.append(other[mine][done >= 0])
    return _part(np.concatenate(waiters), np.concatenate(others), AT_COLLECTIVE)


def _completed_by(calls: Calls, posts: Integers) -> Integers:
    """The call that completed each of these nonblocking collectives of a rank, -1 for none."""
    slot = calls.of("slot")
    makes = kinds.COMPLETIONS | kinds.STARTS | kinds.OTHER_REQUESTS | {"Mrecv"}
    all_posts = np.flatnonzero(slot >= 0)
    all_posts = all_posts[~calls.among(all_posts, makes)]
    done = completions(calls)
    place = last_before(slot[all_posts], all_posts, done.slot, done.call)
    found = np.full(len(calls), -1)
    known = place >= 0
    found[all_posts[place[known]]] = done.call[known]
    return found[posts]

"""Which calls of the ranks are one collective, and who waits for whom in it: the k-th collective on
a communicator is one on all of its ranks (MPI 4.1, section 6.14).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.recorder.calls import Calls
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
POSTED = {"I" + name.lower(): name for name in NUMBERED}
"""Nonblocking collectives, and what they are besides."""
GIVES, NEEDS = 1, 2
"""Roles in a collective: others wait until this call begins; this call waits for others."""


@dataclass(frozen=True)
class Groups:
    """Blocking collectives: the calls (k,) in them, the number of the collective of each, its role,
    and which call of the collective begins last of those that it may wait for, -1 for none.
    """

    call: Integers
    group: Integers
    role: NDArray[np.uint8]
    last: Integers


def groups_of(
    calls: Sequence[Calls], numbers: Sequence[Integers], first: Integers, start: Floats
) -> tuple[Groups, tuple[Integers, Integers, Integers]]:
    """The blocking collectives of all ranks; and for each nonblocking one that waits for another
    its call, the call that it waits for, and its rank.

    numbers: for each rank, the agreed number of each communicator; first (R + 1,): where the calls
    of each rank begin among all; start (n,) [s].
    """
    rank, call, space, base, root, posted = _members(calls, numbers, first)
    number = _number(rank, space)
    key = np.stack([space, number])
    order = np.lexsort((key[1], key[0]))
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(np.any(np.diff(key[:, order], axis=1, prepend=-1) != 0, axis=0)) - 1
    role = _roles(base, root)
    last = _last(group, call, role, start)
    waits = (role & NEEDS) > 0
    last = np.where(waits, last[group] if len(group) else group, -1)
    waits &= posted & (last != call)
    blocking = ~posted
    kept = Groups(call[blocking], group[blocking], role[blocking], last[blocking])
    return kept, (call[waits], last[waits], rank[waits])


def _members(
    calls: Sequence[Calls], numbers: Sequence[Integers], first: Integers
) -> tuple[Integers, Integers, Integers, NDArray[np.str_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Of each call in a collective its rank, its number among all, the communicator, the name of
    the blocking function, whether it is the root's, and whether it is nonblocking.
    """
    at = [own.named(NUMBERED | POSTED.keys()) for own in calls]
    rank = np.repeat(np.arange(len(at)), [len(one) for one in at])
    none = np.empty(0, np.int64)
    call = np.concatenate([none, *(k + begin for k, begin in zip(at, first, strict=False))])
    space = np.concatenate(
        [none, *(o[c.of("space")[k]] for c, o, k in zip(calls, numbers, at, strict=True))]
    )
    peer = np.concatenate([none, *(c.of("peer")[k] for c, k in zip(calls, at, strict=True))])
    names = np.concatenate(
        [np.empty(0, "<U1"), *(_bases(c)[c.entry[k]] for c, k in zip(calls, at, strict=True))]
    )
    posted = np.concatenate(
        [
            np.empty(0, bool),
            *(
                np.isin(c.entries.names, sorted(POSTED))[c.entry[k]]
                for c, k in zip(calls, at, strict=True)
            ),
        ]
    )
    return rank, call, space, names, rank == peer, posted


def _bases(calls: Calls) -> NDArray[np.str_]:
    """The name of the blocking function of each entry of a rank."""
    return np.array([POSTED.get(str(name), str(name)) for name in calls.entries.names], np.str_)


def _number(rank: Integers, space: Integers) -> Integers:
    """How many collectives of the same rank on the same communicator come before each."""
    order = np.lexsort((space, rank))
    pair = np.stack([rank[order], space[order]])
    begin = np.flatnonzero(np.any(np.diff(pair, axis=1, prepend=-1) != 0, axis=0))
    sizes = np.diff(np.append(begin, len(order)))
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order)) - np.repeat(begin, sizes)
    return number


def _roles(base: NDArray[np.str_], root: NDArray[np.bool_]) -> NDArray[np.uint8]:
    every, down, up = (np.isin(base, sorted(names)) for names in (FOR_ALL, FROM_ROOT, AT_ROOT))
    gives = every | (down & root) | up
    needs = every | (down & ~root) | (up & root)
    return (GIVES * gives + NEEDS * needs).astype(np.uint8)


def _last(group: Integers, call: Integers, role: NDArray[np.uint8], start: Floats) -> Integers:
    """For each collective, the call that begins last of those that others wait for; -1 for none."""
    found = np.full(int(group.max(initial=-1)) + 1, -1)
    gives = np.flatnonzero(role & GIVES)
    order = gives[np.lexsort((start[call[gives]], group[gives]))]
    found[group[order]] = call[order]  # the last assignment stays
    return found

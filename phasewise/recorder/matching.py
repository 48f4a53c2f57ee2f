"""Messages with both ends: the k-th send of a rank to another with a tag on a communicator is the
k-th receive there (MPI 4.1, section 3.5: messages do not overtake).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from phasewise.recorder.requests import Ends
from phasewise.recorder.varints import Integers, smallest


@dataclass(frozen=True)
class AllEnds:
    """Sends or receives of all ranks (n,), rank by rank in the order of posting."""

    rank: Integers
    space: Integers
    peer: Integers
    tag: Integers
    bytes: Integers

    def __len__(self) -> int:
        return len(self.rank)


@dataclass(frozen=True)
class Matched:
    """Which send (m,) belongs to which receive (m,), as places among all, and how many of either
    have no other end.
    """

    send: Integers
    receive: Integers
    lonely_sends: int
    lonely_receives: int


def gathered(ends: Sequence[Ends], numbers: Sequence[Integers]) -> AllEnds:
    """The sends or receives of all ranks; numbers: for each rank, the number that all ranks have
    agreed on for each of its communicators.
    """
    ranks = np.repeat(np.arange(len(ends), dtype=np.int32), [len(one) for one in ends])
    pairs = zip(ends, numbers, strict=True)
    space = [own[one.space].astype(np.int32) for one, own in pairs]
    columns = ([getattr(one, name) for one in ends] for name in ("peer", "tag", "bytes"))
    return AllEnds(ranks, *(np.concatenate(column) for column in (space, *columns)))


def shared(ends: Sequence[Ends], every: AllEnds) -> list[Ends]:
    """The same ends, with what `every` has of them as parts of it."""
    edges = np.cumsum([0, *map(len, ends)]).tolist()
    parts = [slice(*pair) for pair in pairwise(edges)]
    return [
        replace(one, peer=every.peer[own], tag=every.tag[own], bytes=every.bytes[own])
        for one, own in zip(ends, parts, strict=True)
    ]


def match(sends: AllEnds, receives: AllEnds) -> Matched:
    """Match the sends and receives of all ranks."""
    source = np.concatenate([sends.rank, receives.peer])
    target = np.concatenate([sends.peer, receives.rank])
    space = np.concatenate([sends.space, receives.space])
    tag = np.concatenate([sends.tag, receives.tag])
    # Within a group the sends come first, each in the order of its rank: the sort is stable.
    order = smallest(np.lexsort((tag, target, source, space)))
    changed = np.ones(len(order), np.bool_)
    changed[1:] = False
    for column in (space, source, target, tag):
        changed[1:] |= np.diff(column[order]) != 0
    del space, source, target, tag
    first = np.flatnonzero(changed)
    sizes = np.diff(np.append(first, len(order)))
    before = np.cumsum(np.append(0, order < len(sends)))
    sent = before[first + sizes] - before[first]
    pairs = np.minimum(sent, sizes - sent)
    place = np.arange(int(pairs.sum())) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    send = smallest(order[np.repeat(first, pairs) + place])
    receive = smallest(order[np.repeat(first + sent, pairs) + place] - len(sends))
    return Matched(send, receive, len(sends) - len(send), len(receives) - len(receive))

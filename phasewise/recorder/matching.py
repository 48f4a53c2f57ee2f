"""Messages with both ends: the k-th send of a rank to another with a tag on a communicator is the
k-th receive there (MPI 4.1, section 3.5: messages do not overtake).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phasewise.recorder.requests import Ends
from phasewise.recorder.varints import Integers


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


def match(sends: AllEnds, receives: AllEnds) -> Matched:
    """Match the sends and receives of all ranks."""
    kind = np.repeat(np.array([0, 1], np.int8), [len(sends), len(receives)])
    source = np.concatenate([sends.rank, receives.peer])
    target = np.concatenate([sends.peer, receives.rank])
    space = np.concatenate([sends.space, receives.space])
    tag = np.concatenate([sends.tag, receives.tag])
    order = np.lexsort((kind, tag, target, source, space))
    changed = np.zeros(len(order), np.bool_)
    for column in (space, source, target, tag):
        changed[1:] |= np.diff(column[order]) != 0
    group = np.cumsum(changed)
    del space, source, target, tag
    # Within a group the sends come first, each in the order of its rank.
    kinds = kind[order]
    first = np.flatnonzero(np.diff(2 * group + kinds, prepend=-1))
    index = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    key = group * (1 + len(order)) + index
    is_send = kinds == 0
    _, one, other = np.intersect1d(
        key[is_send], key[~is_send], assume_unique=True, return_indices=True
    )
    places = order[is_send][one], order[~is_send][other] - len(sends)
    return Matched(*places, len(sends) - len(one), len(receives) - len(other))

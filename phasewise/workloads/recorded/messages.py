"""The messages of a record with both ends, each end with the rank that posted it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.recorder.matching import Matched
from phasewise.recorder.recording import Recording
from phasewise.recorder.varints import Integers
from phasewise.workloads.recorded.neighbours import Side, among_neighbours


@dataclass(frozen=True)
class Messages:
    """The ends of messages of one rank: arrays (n,) in the order of posting. call: that which posts
    it; done: that which completes it, -1 if none does. tag: messages between two ranks with one tag
    match in order.
    """

    sends: NDArray[np.bool_]
    peer: Integers
    bytes: Integers
    tag: Integers
    call: Integers
    done: Integers


def messages_of(recording: Recording) -> list[Messages]:
    """The messages of each rank, those of collectives among neighbours included; ends without
    another one are left out.
    """
    one = recording.matching
    near = among_neighbours(recording)
    parts = [
        _columns((one.ends[0], one.all[0]), (one.ends[1], one.all[1]), one.matched),
        _columns(*near),
    ]
    source, target, size, sent, left, receive, taken, done = (
        np.concatenate(pair) for pair in zip(*parts, strict=True)
    )
    order = np.lexsort((sent, source))
    columns = (source, target, size, sent, left, receive, taken, done)
    source, target, size, sent, left, receive, taken, done = (part[order] for part in columns)
    # A message may be received in another order than it was taken in, by a matched probe.
    posted = np.empty(len(receive), np.int64)
    posted[np.lexsort((receive, taken))] = np.arange(len(receive))
    tag = _tags(source, target, posted)
    found = []
    for rank in range(len(one.calls)):
        out, into = np.flatnonzero(source == rank), target == rank
        # Receives in the order in which they were posted.
        come = np.flatnonzero(into)[np.argsort(posted[into], kind="stable")]
        pairs = (
            (np.ones(len(out), bool), np.zeros(len(come), bool)),
            (target[out], source[come]),
            (size[out], size[come]),
            (tag[out], tag[come]),
            (sent[out], taken[come]),
            (left[out], done[come]),
        )
        found.append(Messages(*(np.concatenate(pair) for pair in pairs)))
    return found


def _columns(sent: Side, received: Side, matched: Matched) -> tuple[Integers, ...]:
    """Of each message (m,), in the order of the sends: the ranks that send and receive it, its
    bytes, the calls that send it and complete that, the number of its receive, and the calls that
    receive it and complete that.
    """
    order = np.argsort(matched.send, kind="stable")
    send, receive = matched.send[order], matched.receive[order]

    def calls(side: Side, name: str) -> Integers:
        return np.concatenate([np.empty(0, int), *(getattr(one, name) for one in side[0])])

    return (
        sent[1].rank[send],
        received[1].rank[receive],
        sent[1].bytes[send],
        calls(sent, "call")[send],
        calls(sent, "done")[send],
        receive,
        calls(received, "call")[receive],
        calls(received, "done")[receive],
    )


def _tags(source: Integers, target: Integers, posted: Integers) -> Integers:
    """As few tags as keep the pairing: between two ranks, messages that are received in another
    order than they were sent get different ones. Messages are in the order of their sends; posted:
    the places of their receives.
    """
    tag = np.zeros(len(source), np.int64)
    order = np.lexsort((np.arange(len(source)), target, source))
    pair = np.stack([source[order], target[order]])
    first = np.flatnonzero(np.any(np.diff(pair, axis=1, prepend=-1) != 0, axis=0))
    for begin, end in zip(first, np.append(first, len(order))[1:], strict=True):
        own = order[begin:end]
        places = posted[own]
        if np.all(np.diff(places) > 0):
            continue
        last: list[int] = []  # place of the last message of each tag
        for at, place in zip(own.tolist(), places.tolist(), strict=True):
            fits = next((k for k, one in enumerate(last) if one < place), len(last))
            last[fits : fits + 1] = [place]
            tag[at] = fits
    return tag

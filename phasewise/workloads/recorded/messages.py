"""The messages of a record with both ends, each end with the rank that posted it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.recorder.recording import Recording
from phasewise.recorder.varints import Integers


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
    """The messages of each rank; ends without another one are left out."""
    matching = recording.matching
    sends, receives = matching.all
    matched = matching.matched
    order = np.argsort(matched.send, kind="stable")
    send, receive = matched.send[order], matched.receive[order]
    found = []
    call = [np.concatenate([np.empty(0, int), *(e.call for e in ends)]) for ends in matching.ends]
    done = [np.concatenate([np.empty(0, int), *(e.done for e in ends)]) for ends in matching.ends]
    # A message may be received in another order than it was taken in, by a matched probe.
    posted = np.empty(len(receive), np.int64)
    posted[np.lexsort((receive, call[1][receive]))] = np.arange(len(receive))
    tag = _tags(sends.rank[send], receives.rank[receive], posted)
    for rank in range(len(matching.calls)):
        out, into = np.flatnonzero(sends.rank[send] == rank), receives.rank[receive] == rank
        # Receives in the order in which they were posted.
        come = np.flatnonzero(into)[np.argsort(posted[into], kind="stable")]
        parts = [
            np.concatenate(pair)
            for pair in (
                (np.ones(len(out), bool), np.zeros(len(come), bool)),
                (receives.rank[receive[out]], sends.rank[send[come]]),
                (sends.bytes[send[out]], sends.bytes[send[come]]),
                (tag[out], tag[come]),
                (call[0][send[out]], call[1][receive[come]]),
                (done[0][send[out]], done[1][receive[come]]),
            )
        ]
        found.append(Messages(*parts))
    return found


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

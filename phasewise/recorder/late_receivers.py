"""Which sends waited for their receive: the recorder sees how long they took, and not whether the
library buffered them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.recorder.varints import Integers

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

CLOCKS = 1e-5
"""Clocks of two systems agree to this [s]."""


@dataclass(frozen=True)
class Sends:
    """Sends that are received: arrays (n,). size [B]; apart: between two systems; synchronous: they
    may not be buffered; blocking: the call that sends is left when the message is sent; began,
    ended: of the calls that post and complete it, posted: of that which posts its receive [s].
    """

    size: Integers
    apart: Flags
    synchronous: Flags
    blocking: Flags
    began: Floats
    ended: Floats
    posted: Floats


def held(sends: Sends) -> Flags:
    """Whether each send (n,) waited until its receive was posted.

    It did if it was under way then, and
    - if no other send shows that the library buffers as many bytes: one of as many or more, also
      within a system or also between two, that ended before its receive was posted;
    - if it ended as long after the posting, or longer, as the quickest send of its size takes that
      found its receive posted. A send that returns sooner was not held until then.
    """
    found = (sends.posted > sends.began) & (sends.ended > sends.posted)
    free = ~sends.synchronous & (sends.ended < sends.posted - CLOCKS)
    for apart in (False, True):
        own = sends.apart == apart
        most = int(sends.size[free & own].max(initial=-1))
        found &= sends.synchronous | ~own | (sends.size > most)
    judged = np.flatnonzero(found & sends.blocking)
    quickest = _quickest(sends, sends.size[judged])
    found[judged] = sends.ended[judged] - sends.posted[judged] >= quickest
    return found


def _quickest(sends: Sends, sizes: Integers) -> Floats:
    """For each size (k,), the least time of a blocking send that found its receive posted; 0 where
    there is none.
    """
    known, place = np.unique(sizes, return_inverse=True)
    prompt = np.flatnonzero(sends.blocking & (sends.posted <= sends.began))
    prompt = prompt[np.isin(sends.size[prompt], known)]
    least = np.full(len(known), np.inf)
    taken = sends.ended[prompt] - sends.began[prompt]
    np.minimum.at(least, np.searchsorted(known, sends.size[prompt]), taken)
    return np.where(np.isfinite(least), least, 0.0)[place]

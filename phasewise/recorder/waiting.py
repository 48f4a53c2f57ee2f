"""How long each call waited for others, why, and for which call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.recorder.dependences import AT_COLLECTIVE, Dependences, Floats
from phasewise.recorder.varints import Integers


@dataclass(frozen=True)
class Waits:
    """The waiting of n calls of all ranks, at the beginning of each call.

    seconds (n,); cause (n,): a place in `CAUSES`; other (n,): the call whose beginning ended the
    wait, -1 where there was none.
    """

    seconds: Floats
    cause: NDArray[np.int8]
    other: Integers

    def by_rank(self, first: Integers) -> list[Floats]:
        """The seconds of each rank's calls; first (R + 1,): where those of each rank begin."""
        return np.split(self.seconds, first[1:-1])


def waits_of(found: Dependences) -> Waits:
    """The waiting of all calls. A call waits for the last of what it waits for, and never longer
    than it takes.
    """
    calls = len(found.start)
    seconds, cause = np.zeros(calls), np.zeros(calls, np.int8)
    other: Integers = np.full(calls, -1, found.other.dtype)
    groups = found.groups
    needs = groups.last >= 0
    ends = np.full(int(needs.sum()), AT_COLLECTIVE, np.int8)
    waiter = np.concatenate([found.waiter, groups.call[needs]])
    awaited = np.concatenate([found.other, groups.last[needs]])
    why = np.concatenate([found.cause, ends])
    late = found.start[awaited] - found.start[waiter]
    chosen = np.flatnonzero(late > 0)
    # Of several waits of a call the last assignment stays, that for the latest.
    chosen = chosen[np.argsort(late[chosen], kind="stable")]
    waiter = waiter[chosen]
    seconds[waiter], cause[waiter], other[waiter] = late[chosen], why[chosen], awaited[chosen]
    np.minimum(seconds, found.end - found.start, out=seconds)
    return Waits(seconds, cause, other)

"""How far the cores of this computer are from each other, in time, and whether they stay there.

The cores of a virtual machine move between those of its host. Two that share a cache exchange a
line in 40 to 60 ns on one of AMD's processors, and in 190 ns where they do not, so that short
messages take up to four times as long. What is timed in one place says little of the other one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from phasewise.mpi.launch import TooLongError

Result = TypeVar("Result")

MOVED = 2.0
"""Ratio of two distances from which on the cores count as moved."""
MOST_CORES = 4
"""Cores whose distance from the first one is measured, at most."""
FARTHEST = 2e-6
"""Seconds from which on a distance is that of threads that had to wait for a busy core."""
PAUSE = 0.25
"""Seconds from one look to the next while cores are away from their place."""
WAITING = 0.5
"""Share of the time left for which a launch waits until the cores are back."""
PATIENCE = 120.0
"""Seconds after which no launch waits or is done again: cores stay in one place for 6 to 60 s."""


class Measuring(Protocol):
    """The part of the core that measures distances."""

    def seconds_between_cores(self, first: int, second: int) -> float: ...


def core_distances(core: Measuring) -> tuple[float, ...]:
    """Seconds that a cache line takes from the first core of this process to some of the others;
    empty if there is only one, where threads cannot be bound to cores, or if the cores are too
    busy.
    """
    first, *others = sorted(os.sched_getaffinity(0))
    chosen = others[:: -(-len(others) // MOST_CORES) or 1]
    found = tuple(core.seconds_between_cores(first, other) for other in chosen)
    return found if all(one < FARTHEST for one in found) else ()


def together(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether the cores were in the same place when both distances were measured, as far as is
    known.
    """
    if len(one) != len(other):
        return True
    return all(max(a, b) < MOVED * min(a, b) for a, b in zip(one, other, strict=True))


@dataclass
class CoreWatch:
    """Sees to it that all launches of a measurement find the cores where the first one found them.

    look: gives the present distances; first: those that count, found at the first launch.
    """

    look: Callable[[], tuple[float, ...]]
    first: tuple[float, ...] = ()
    repeated: int = 0
    """Launches that were done again, since the cores had moved."""
    elsewhere: list[tuple[float, ...]] = field(default_factory=list)
    """Distances at launches that count although the cores were not in their place."""
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def steady(self, timed: Callable[[float], Result], limit: float) -> Result:
        """What `timed`, called with the seconds that are left to it, returns, from a call before
        and after which the cores were in their place. If none is found in `limit` seconds, or
        after PATIENCE, it is the last one that came to its end.
        """
        end, took = self.now() + limit, 0.0
        patience = self.now() + min(limit, PATIENCE)
        done: list[tuple[Result, tuple[float, ...]]] = []
        while True:
            wait = WAITING * (patience - self.now())
            until = min(self.now() + wait, patience - took)
            before = self.wait(until) if self.first else self.look()
            self.first = self.first or before
            start = self.now()
            try:
                result = timed(end - start)
            except TooLongError:
                if not done:
                    raise
                break
            after, took = self.look(), self.now() - start
            away = [there for there in (before, after) if not together(self.first, there)]
            if not away:
                return result
            done.append((result, away[0]))
            if self.now() + took > patience:
                break
            self.repeated += 1
        self.elsewhere.append(done[-1][1])
        return done[-1][0]

    def wait(self, until: float) -> tuple[float, ...]:
        """Wait until the cores are in their place, at most until this time; the last distances."""
        there = self.look()
        while not together(self.first, there) and self.now() + PAUSE < until:
            self.sleep(PAUSE)
            there = self.look()
        return there

    @property
    def seconds(self) -> float:
        """The largest of the distances that count; 0 if nothing is known."""
        return max(self.first, default=0.0)

    @property
    def sentence(self) -> str:
        """What a person should know; empty if the cores stayed in their place."""
        if not self.repeated and not self.elsewhere:
            return ""
        what = (
            f"a cache line took {1e9 * self.seconds:.0f} ns between cores at first, and at times "
            "another time: the cores of this machine move, as those of a virtual machine do; "
        )
        if not self.elsewhere:
            return f"{what}launches that met this were repeated: {self.repeated}"
        worst = max(max(one) for one in self.elsewhere)
        return (
            f"{what}launches that count met other distances, such as {1e9 * worst:.0f} ns: "
            "measure again for a file of one place"
        )

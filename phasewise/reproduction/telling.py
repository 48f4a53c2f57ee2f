"""Shows the progress of a long command on standard error."""

from __future__ import annotations

import time

from phasewise.mpi.progress import Clock, duration
from phasewise.output import message

SECONDS = 10.0
"""Seconds between two lines."""


class Telling:
    """Says how many of `what` are done: in a line at most every ten seconds, and in one at the
    end.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._clock = Clock()
        self._shown = time.monotonic()

    def __call__(self, done: int, every: int) -> None:
        left = self._clock.seconds_left(done, every)
        now = time.monotonic()
        if now - self._shown >= SECONDS or done == every:
            self._shown = now
            ahead = f", {duration(left)} left" if done < every and left is not None else ""
            message(f"{done} of {every} {self._what}{ahead}")

"""A moment by which a measurement has to end."""

from __future__ import annotations

import time
from collections.abc import Callable


class Deadline:
    """The moment `seconds` from now."""

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._end = now() + seconds

    @property
    def left(self) -> float:
        """Seconds until then, at least 0."""
        return max(self._end - self._now(), 0.0)

    @property
    def passed(self) -> bool:
        """Whether no time is left."""
        return self.left <= 0.0

    def part(self, share: float) -> Deadline:
        """An earlier deadline, at which this share of the time left has passed."""
        return Deadline(share * self.left, self._now)

"""Draws of numbers and words for random studies."""

from __future__ import annotations

import math
import random


class Draw:
    """Draws of numbers and words."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.one = self.rng.choice
        self.between = self.rng.uniform
        self.whole = self.rng.randint

    def scale(self, low: float, high: float) -> float:
        """A number whose logarithm is uniform."""
        return float(10 ** self.between(math.log10(low), math.log10(high)))

    def often(self, share: float) -> bool:
        """True in this share of the draws."""
        return self.rng.random() < share

    def numbers(self, size: float, count: int) -> list[float]:
        """Numbers of at most this size."""
        return [self.between(-size, size) for _ in range(count)]

    def words(self, **choices: tuple[object, ...]) -> dict[str, object]:
        """One of the choices for each key."""
        return {name: self.one(listed) for name, listed in choices.items()}

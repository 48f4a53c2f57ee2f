"""What the chapter measures and simulates: studies of PSTSWM's problem, and how many of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from phasewise.study import Study
from phasewise.workloads.sphere.bench import (
    LEVELS,
    LEVELS_AT,
    TRUNCATIONS,
    USUAL_LEVELS,
    case_tables,
)
from phasewise.workloads.sphere.communication import (
    BY_LEVEL,
    FAST,
    FIXED,
    ORDER_FREE,
    PLAIN,
    RING,
    TRANSPOSE,
)

KERNELS = (BY_LEVEL, FAST, FIXED)
"""The slides' versions: original, port to the X1, levels given at compile time."""
ONE_LEVEL = 1
COMPARED_LEVELS = (ONE_LEVEL, USUAL_LEVELS)
"""Numbers of levels with which the versions are compared."""
FEWEST = 5
"""Fewest timesteps whose range holds their median with a probability of 90 % (`range_of`)."""
LARGE = 170
"""The truncation from which on a problem is large."""

T = TypeVar("T")


@dataclass(frozen=True)
class Variant:
    """A study of the flow over a mountain, for one rank."""

    truncation: int
    levels: int = USUAL_LEVELS
    kernel: str = FAST
    padding: bool = True

    @property
    def study(self) -> Study:
        """It as a study."""
        tables = case_tables(self.truncation, self.levels)
        tables["communication"] = {"kernel": self.kernel, "padding": self.padding}
        return Study.from_dict(tables)


def by_truncation(found: Mapping[Variant, T], levels: int, kernel: str) -> dict[int, T]:
    """What was found for a version of the program, with padding, by truncation."""
    own = (levels, kernel, True)
    return {
        one.truncation: found[one]
        for one in sorted(found, key=lambda one: one.truncation)
        if (one.levels, one.kernel, one.padding) == own
    }


def by_levels(found: Mapping[Variant, T]) -> dict[int, T]:
    """What was found at T85 for all levels at once, with padding, by their number."""
    own = (LEVELS_AT, FAST, True)
    return {
        one.levels: found[one]
        for one in sorted(found, key=lambda one: one.levels)
        if (one.truncation, one.kernel, one.padding) == own
    }


@dataclass(frozen=True)
class Extent:
    """How much is measured and simulated.

    truncations: those measured here. padded: the one that is also measured without padding.
    plain_most: the largest one of the original loops, by levels. levels: those of T85. steps:
    timesteps of each variant; last_steps: those of the largest truncation with 18 levels. together:
    cases of `bench sphere --together`. blocks: of the ring; sums: ways to add, the source's own
    first.
    """

    truncations: tuple[int, ...]
    padded: int
    plain_most: dict[int, int]
    levels: tuple[int, ...]
    steps: int
    last_steps: int
    together: tuple[str, ...]
    blocks: int
    sums: tuple[str, ...]

    def versions(self) -> list[list[Variant]]:
        """The versions of the program at each truncation, with one level and with eighteen."""
        return [
            [
                Variant(truncation, levels, kernel)
                for kernel in KERNELS
                if kernel != BY_LEVEL or truncation <= self.plain_most[levels]
            ]
            for levels in COMPARED_LEVELS
            for truncation in self.truncations
        ]

    @property
    def last(self) -> Variant:
        """The largest problem that is measured."""
        return Variant(self.truncations[-1])


FULL = Extent(
    truncations=TRUNCATIONS[:-1],
    padded=340,
    plain_most={ONE_LEVEL: 170, USUAL_LEVELS: 85},
    levels=LEVELS,
    steps=9,
    last_steps=FEWEST,
    together=("t42", "t170"),
    blocks=4,
    sums=(PLAIN, ORDER_FREE),
)
QUICK = Extent(
    truncations=(42, 170),
    padded=42,
    plain_most={ONE_LEVEL: 42, USUAL_LEVELS: 42},
    levels=(1, 66),
    steps=FEWEST,
    last_steps=FEWEST,
    together=(),
    blocks=1,
    sums=(PLAIN,),
)

ALGORITHMS = (TRANSPOSE, RING)
RANKS = 32
PROBLEM = (680, 96)
"""Truncation and levels of the slide "PSTSWM Algorithm Comparison"."""
SLOW = {24: 2.0}
"""The slides' slow process, and how many times its kernels are charged here."""


def algorithm_study(legendre: str, sums: str, blocks: int) -> Study:
    """The slides' large problem, whose Legendre transforms are summed in one of two ways."""
    tables: dict[str, Any] = case_tables(*PROBLEM)
    tables["communication"] = {"legendre": legendre, "sums": sums, "blocks": blocks}
    return Study.from_dict(tables)

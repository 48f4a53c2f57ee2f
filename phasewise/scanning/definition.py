"""What a scan consists of: a study, axes, how ranges are sampled, seeds; and the points of it."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from phasewise.errors import StudyError
from phasewise.scanning.axes import MOST_VALUES, Axis
from phasewise.study import Study
from phasewise.tables.keys import show
from phasewise.tables.merging import put
from phasewise.tables.writing import value as as_toml

FORMAT = 1
FREE_POINTS = 1000
"""Most points of a scan that needs no ``--yes``."""
SEED = "seed"


@dataclass(frozen=True)
class Samples:
    """Samples of all ranges together: `count` of them, of a `kind` that is random or sobol. The
    same `seed` gives the same samples.
    """

    kind: str
    count: int
    seed: int = 1

    def shares(self, dimensions: int) -> Any:
        """Numbers from 0 to 1, without 1, as an array (count, dimensions).

        The Sobol sequence is scrambled by the seed (Owen's scrambling, from SciPy).
        """
        if self.kind == "random":
            return np.random.default_rng(self.seed).random((self.count, dimensions))
        from scipy.stats import qmc  # takes a second, and few scans need it

        power = math.ceil(math.log2(self.count)) if self.count > 1 else 0
        engine = qmc.Sobol(dimensions, scramble=True, seed=self.seed)
        return engine.random_base2(power)[: self.count]


@dataclass(frozen=True)
class Point:
    """A point of a scan: its number, from 1, the values of the keys, and the seed."""

    number: int
    values: dict[str, Any]
    seed: int
    sets_seed: bool

    @property
    def overrides(self) -> list[str]:
        """What ``phasewise run --set`` gets."""
        found = [f"{key}={as_toml(value)}" for key, value in self.values.items()]
        return [*found, f"{SEED}={self.seed}"] if self.sets_seed else found

    @property
    def name(self) -> str:
        """The point in words."""
        return ", ".join([*(f"{key}={show(v)}" for key, v in self.values.items()), self._seed])

    @property
    def _seed(self) -> str:
        return f"{SEED} {self.seed}"


@dataclass(frozen=True)
class Definition:
    """A scan; StudyError if its parts do not go together."""

    study: Study
    axes: tuple[Axis, ...]
    samples: Samples | None = None
    seeds: int | None = None
    """How many seeds each point is run with, beginning with the study's own; None: only with that
    one.
    """

    def __post_init__(self) -> None:
        keys = [axis.key for axis in self.axes]
        if twice := next((key for key in keys if keys.count(key) > 1), None):
            raise StudyError(f"--over {twice} is given twice; give all its values at once")
        if not keys and self.seeds is None:
            raise StudyError("a scan needs --over KEY=VALUES, or --seeds N, or both")
        if SEED in keys and self.seeds is not None:
            raise StudyError("--over seed and --seeds are given; give one of them")
        ranges = [axis.key for axis in self.axes if axis.sampled]
        if ranges and self.samples is None:
            raise StudyError(
                f"--over {ranges[0]} is a range: give --random N or --sobol N, or a number of "
                "values, START:END:COUNT"
            )
        if self.samples is not None and not ranges:
            raise StudyError(f"--{self.samples.kind} needs a range to sample: --over KEY=LOW:HIGH")

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that are scanned, in the order given."""
        return tuple(axis.key for axis in self.axes)

    @property
    def count(self) -> int:
        """The number of points."""
        count = (self.samples.count if self.samples else 1) * (self.seeds or 1)
        return count * math.prod(len(axis.values) for axis in self.axes if not axis.sampled)

    def check_count(self, yes: bool) -> None:
        """StudyError if there are more points than somebody may have wanted."""
        if self.count > MOST_VALUES:
            raise StudyError(
                f"the scan has {self.count} points, and the most is {MOST_VALUES}; divide it"
            )
        if self.count > FREE_POINTS and not yes:
            raise StudyError(
                f"the scan has {self.count} points, more than {FREE_POINTS}; give --yes to run them"
            )

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """All points in order: the seed changes fastest, then the last axis."""
        first = self.study.seed
        seeds = range(first, first + (self.seeds or 1))
        every = itertools.product(self._values(), seeds)
        return tuple(
            Point(number, values, int(values.get(SEED, seed)), self.seeds is not None)
            for number, (values, seed) in enumerate(every, 1)
        )

    def _values(self) -> Iterator[dict[str, Any]]:
        ranges = [axis for axis in self.axes if axis.sampled]
        drawn: Sequence[dict[str, Any]] = [{}]
        if self.samples is not None:
            shares = self.samples.shares(len(ranges))
            drawn = [
                {axis.key: axis.sample(float(x)) for axis, x in zip(ranges, row, strict=True)}
                for row in shares
            ]
        listed = [axis for axis in self.axes if not axis.sampled]
        for entries in itertools.product(*(axis.values for axis in listed)):
            own = {axis.key: entry for axis, entry in zip(listed, entries, strict=True)}
            for sample in drawn:
                found = own | sample
                yield {key: found[key] for key in self.keys}

    def study_of(self, point: Point) -> Study:
        """The study of a point; StudyError if it cannot be run."""
        tables = copy.deepcopy(dict(self.study.given))
        for key, value in point.values.items():
            put(tables, key, copy.deepcopy(value), f"--over {key}={show(value)}")
        if point.sets_seed:
            tables[SEED] = point.seed
        return Study.from_dict(tables, self.study.folder)

    def to_dict(self) -> dict[str, Any]:
        """The definition in a form that JSON can hold; two scans are the same if these forms
        are.
        """
        samples = self.samples
        return {
            "format": FORMAT,
            "over": [axis.to_dict() for axis in self.axes],
            "samples": None if samples is None else vars(samples),
            "seeds": self.seeds,
            "study": self.study.resolved(),
        }

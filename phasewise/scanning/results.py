"""The results of a scan: each point with the numbers of its summary, and means over seeds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import StudyError
from phasewise.output import number_of
from phasewise.readable import Readable, Shown
from phasewise.scanning.convergence import Convergence
from phasewise.scanning.definition import Definition, Point
from phasewise.scanning.folder import COMPLETE, State
from phasewise.tables.keys import nearest, show

Floats = NDArray[np.float64]
SHOWN = 4
"""How many results a printed scan has for each point."""
STUDYS = re.compile(r"\b([a-z]+)\.([1-9]\d*)\b")
"""A word and a number as the name of a study's key has them, which counts from 1: beam.1."""
LEFT_OUT = ("communication", "tuning")
"""Entries of a run's summary that are about how its ranks exchange."""


@dataclass(frozen=True)
class ScanPoint:
    """A point of a scan: values of the keys, seed, run folder, status, and the run's summary."""

    number: int
    values: dict[str, Any]
    seed: int
    folder: Path
    status: str
    """One of complete, failed, unfinished (its run can go on) and waiting."""
    why: str
    """Why it failed; empty if it did not."""
    summary: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The point as ``scan --json`` prints it, with the entries of the summary beside the
        others.
        """
        own = {name: entry for name, entry in self.summary.items() if name not in LEFT_OUT}
        return own | {
            "values": self.values,
            "seed": self.seed,
            "folder": str(self.folder),
            "status": self.status,
            "why": self.why or None,
        }

    @property
    def results(self) -> dict[str, Any]:
        """The summary's numbers, texts and flags by dotted name, such as `beams.0.losses`."""
        return dict(_leaves(self.summary, ""))


@dataclass(frozen=True)
class Mean:
    """Values of the keys, and over the seeds: the mean of a result, its standard error (NaN with
    one seed), and how many of the points had the result.
    """

    values: dict[str, Any]
    mean: float
    error: float
    count: int


@dataclass(frozen=True, repr=False)
class ScanResults(Readable):
    """A scan, with how far its points are and what they found."""

    definition: Definition
    folder: Path
    points: tuple[ScanPoint, ...]
    table: Path
    """The table as CSV."""
    pictures: tuple[Path, ...] = ()
    convergence: tuple[Convergence, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all points have results."""
        return all(point.status == COMPLETE for point in self.points)

    def shown(self) -> Shown:
        """The points: values, seed, status, and the first results that are numbers."""
        keys = list(self.definition.keys)
        names = self.names()[:SHOWN]
        rows = [
            [
                str(point.number),
                *(show(point.values[key]) for key in keys),
                str(point.seed),
                point.status,
                *(_text(point.results.get(name)) for name in names),
            ]
            for point in self.points
        ]
        done = sum(point.status == COMPLETE for point in self.points)
        return Shown(
            f"scan in {self.folder}: {done} of {number_of(len(self.points), 'point')} complete",
            rows,
            ["point", *keys, "seed", "status", *names],
            f"column(name) and means(name) give any of {len(self.names())} results.",
        )

    def names(self) -> list[str]:
        """The results that are numbers, by their names in the table."""
        found = {
            name: None
            for point in self.points
            for name, value in point.results.items()
            if _is_number(value)
        }
        return list(found)

    def column(self, name: str) -> Floats:
        """One result of all points (points,); NaN where a point has none.

        StudyError if no point has it.
        """
        name = self.named(name)
        values = (point.results.get(name) for point in self.points)
        return np.array([v if _is_number(v) else math.nan for v in values], dtype=np.float64)

    def named(self, name: str) -> str:
        """The name in the table of a result that is named as there, `beams.0.losses`, or with
        numbers as a study counts, `beam.1.losses`. StudyError if no point has it.
        """
        known = self.names()
        for form in (name, STUDYS.sub(_from_zero, name, count=1)):
            if form in known:
                return form
        raise StudyError(f'the points have no result "{name}"{nearest(name, known)}')

    def means(self, name: str) -> list[Mean]:
        """The mean of a result over the seeds, for all values of the keys in order."""
        groups: dict[str, list[int]] = {}
        for index, point in enumerate(self.points):
            groups.setdefault(json.dumps(point.values), []).append(index)
        column = self.column(name)
        return [_mean(self.points[own[0]].values, column[own]) for own in groups.values()]

    def to_dict(self) -> dict[str, Any]:
        """What ``scan --json`` prints."""
        return {
            "folder": str(self.folder),
            "keys": list(self.definition.keys),
            "points": [point.to_dict() for point in self.points],
            "table": str(self.table),
            "pictures": [str(path) for path in self.pictures],
            "convergence": [vars(found) for found in self.convergence],
        }


def scan_point(point: Point, folder: Path, state: State) -> ScanPoint:
    """A point with how far it is."""
    return ScanPoint(
        point.number, point.values, point.seed, folder, state.status, state.why, state.summary
    )


def _from_zero(found: re.Match[str]) -> str:
    return f"{found[1]}s.{int(found[2]) - 1}"


def _text(value: Any) -> str:
    return f"{value:.5g}" if _is_number(value) else "–"


def _mean(values: dict[str, Any], found: Floats) -> Mean:
    known = found[np.isfinite(found)]
    count = len(known)
    mean = float(known.mean()) if count else math.nan
    error = float(known.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan
    return Mean(values, mean, error, count)


def _leaves(entry: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(entry, Mapping):
        inner = [(str(k), v) for k, v in entry.items() if name or k not in LEFT_OUT]
    elif isinstance(entry, Sequence) and not isinstance(entry, str):
        inner = [(str(index), value) for index, value in enumerate(entry)]
    else:
        yield name, entry
        return
    for key, value in inner:
        yield from _leaves(value, f"{name}.{key}" if name else key)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

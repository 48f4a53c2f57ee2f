"""What is asked of a workload whose studies are drawn at random: the contract `Drawn`.

Models are judged on such studies (`benchmarks/residuals.py`), and their errors become the
residuals.json of the workload's package, from which its predictions get their intervals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.workload.interface import Part
from phasewise.workload.protocols import AS_PUT, NOT_SIMULATED, PROTOCOLS

Draw = np.random.Generator
Tables = dict[str, Any]

SIMULATED_PROTOCOLS = tuple(name for name in PROTOCOLS if name not in (*NOT_SIMULATED, *AS_PUT))
"""Protocols that simulated ranks have on every machine."""


@dataclass(frozen=True)
class Wanted:
    """What a drawn study is for. file: where a file of the study may be written. large: it is for a
    turn of many messages.
    """

    machine: Machine
    ranks: int
    file: Path
    large: bool = False


class Drawn(Part):
    """How a workload's studies are drawn."""

    MODULE = "drawn"
    RANKS: tuple[int, ...] = (8, 12, 16, 24, 32, 48, 64, 96, 128)
    """The ranks that are drawn."""
    LARGE_RANKS: tuple[int, ...] = ()
    """Those of turns that models follow only in part; empty: the workload has no such turns."""
    COUNTS: tuple[int, ...] = (1,)
    """How many turns are simulated: a run's first one, or the mean of its first ones."""

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """The tables of a study without its name and count, drawn so that each key has its default
        more often than anything else. They need not suit each other: studies that are refused are
        drawn again.
        """
        raise StudyError(
            f"nothing says how studies of {self.workload.title} are drawn: fill in the contract "
            f"Drawn in {self.workload.package}.{self.MODULE}"
        )


def some(draw: Draw, keys: Mapping[str, tuple[Any, ...]]) -> Tables:
    """Each key is left out half of the time; otherwise it has one of its values, evenly."""
    drawn = {key: values[draw.integers(len(values))] for key, values in keys.items()}
    return {key: value for key, value in drawn.items() if draw.integers(2)}


def one_of(draw: Draw, values: tuple[Any, ...]) -> Any:
    """One of the values, evenly, as it is."""
    return values[draw.integers(len(values))]


def between(draw: Draw, low: float, high: float) -> float:
    """A number that is drawn evenly in the logarithm."""
    return float(math.exp(draw.uniform(math.log(low), math.log(high))))

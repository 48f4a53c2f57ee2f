"""How far models are off: predicted times of many turns beside simulated ones.

The reference is a simulator. The error of a prediction is |predicted / simulated - 1|.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np

from phasewise.models.interval import COMMUNICATION, TURN
from phasewise.models.model import Case
from phasewise.models.prediction import Prediction, bounded

Sample = TypeVar("Sample")

QUANTITIES = {COMMUNICATION: "", TURN: "turn_"}
"""The quantities whose errors are judged, with the first letters of the names of their figures."""

RESOLUTION = 1e-9
"""Seconds to which the simulator rounds."""
NEAR = 0.03
"""An error below this counts as near."""

Figures = dict[str, float]


@dataclass(frozen=True)
class Times:
    """Seconds of a turn: its communication, mean over the ranks, and all of it."""

    communication: float
    turn: float

    def of(self, quantity: str) -> float:
        """The seconds of one of QUANTITIES."""
        return self.turn if quantity == TURN else self.communication


def times_of(summary: Mapping[str, Any]) -> Times:
    """The simulated times of a summary of `phasewise simulate`."""
    return Times(float(summary["communication_seconds"]), float(summary["turn_seconds"]))


@dataclass(frozen=True)
class Judged(Generic[Sample]):
    """A simulated turn beside a model's prediction of its case. sample: where the case comes
    from.
    """

    sample: Sample
    case: Case
    simulated: Times
    predicted: Prediction

    @property
    def model(self) -> str:
        """The model's name."""
        return self.predicted.model

    def error(self, quantity: str) -> float:
        """How far the prediction is off, relative to the simulated time."""
        return abs(math.expm1(-self.residual(quantity)))

    def residual(self, quantity: str) -> float:
        """log(simulated/predicted). What takes less than the simulator's resolution counts as long
        as that.
        """
        one = self.predicted
        predicted = Times(one.communication_seconds, one.turn_seconds)
        seconds = (max(times.of(quantity), RESOLUTION) for times in (self.simulated, predicted))
        return math.log(next(seconds) / next(seconds))

    def inside(self, quantity: str) -> bool:
        """Whether the simulated time lies in the interval of the prediction."""
        one = self.predicted
        ends = {COMMUNICATION: (one.low, one.high), TURN: (one.turn_low, one.turn_high)}
        low, high = ends[quantity]
        return low <= self.simulated.of(quantity) <= high

    def bounded_anew(self) -> Judged[Sample]:
        """The same turn, with the intervals that follow from the residuals that are kept now."""
        return replace(self, predicted=bounded(self.predicted, self.case))


def figures(group: Sequence[Judged[Sample]]) -> Figures:
    """Mean, ninth decile and worst of the errors, the share of errors below NEAR (`near`), and the
    share of the simulated times within the 90 % intervals (`coverage`), for communication and,
    under names with `turn_`, for turns; and the number of `points`.
    """
    found: Figures = {}
    for quantity, prefix in QUANTITIES.items():
        errors = np.array([one.error(quantity) for one in group])
        found[f"{prefix}mean_error"] = float(errors.mean())
        found[f"{prefix}ninth_decile"] = float(np.quantile(errors, 0.9))
        found[f"{prefix}worst_error"] = float(errors.max())
        found[f"{prefix}near"] = float(np.mean(errors <= NEAR))
        found[f"{prefix}coverage"] = float(np.mean([one.inside(quantity) for one in group]))
    return found | {"points": len(group)}


def grouped(
    judged: Iterable[Judged[Sample]], names: Callable[[Judged[Sample]], Iterable[str]]
) -> dict[str, dict[str, list[Judged[Sample]]]]:
    """Name → model → the judged turns in the group of that name; `names` gives the groups that one
    belongs to.
    """
    groups: dict[str, dict[str, list[Judged[Sample]]]] = {}
    for one in judged:
        for name in names(one):
            groups.setdefault(name, {}).setdefault(one.model, []).append(one)
    return groups


def residuals(
    judged: Iterable[Judged[Sample]], key: Callable[[Judged[Sample]], str]
) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Sorted log(simulated/predicted): quantity → model → key → values, as residuals.json has
    them.
    """
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for one in judged:
        for quantity in QUANTITIES:
            groups = found.setdefault(quantity, {}).setdefault(one.model, {})
            insort(groups.setdefault(key(one), []), round(one.residual(quantity), 6))
    return found

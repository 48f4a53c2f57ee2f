"""A study on several machines: its rate on numbers of ranks, and where communication takes over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from phasewise.models.prediction import Prediction
from phasewise.study import Study
from phasewise.study.laboratory import grid_on, rate_of

BOUND = 0.5
"""Communication bounds a turn if its share is larger than this."""


@dataclass(frozen=True)
class PlatformPoint:
    """A study with its best process grid on some ranks of a machine."""

    machine: str
    study: Study
    prediction: Prediction

    @property
    def process_grid(self) -> str:
        """The grid that the ranks form."""
        return grid_on(self.study, self.prediction.ranks)

    @property
    def rate(self) -> float:
        """How fast the study runs, in `rate_unit`."""
        return rate_of(self.study)[0] / self.prediction.turn_seconds

    @property
    def communication_share(self) -> float:
        """Share of the mean rank's time that is communication, waiting included."""
        return self._share(self.prediction.communication_seconds)

    @property
    def phases(self) -> dict[str, float]:
        """The share of each phase, as far as the model tells phases apart."""
        return {name: self._share(seconds) for name, seconds in self.prediction.phases.items()}

    def _share(self, seconds: float) -> float:
        one = self.prediction
        whole = one.communication_seconds + one.computation_seconds
        return seconds / whole if whole > 0.0 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The point as an entry of `points` of ``platforms --json``."""
        return {
            "machine": self.machine,
            "ranks": self.prediction.ranks,
            "process_grid": self.process_grid,
            "rate": self.rate,
            "unit": rate_unit(self.study),
            "step_seconds": self.prediction.turn_seconds,
            "communication_share": self.communication_share,
            "phases": self.phases,
        }


def rate_unit(study: Study) -> str:
    """The unit of a study's rate, such as "turns/s"."""
    return rate_of(study)[1]


def rate_words(study: Study) -> str:
    """The same in words, such as "turns a second"."""
    unit = rate_unit(study)
    return f"{unit.removesuffix('/s')} a second" if unit.endswith("/s") else unit


def communication_bound(points: Sequence[PlatformPoint]) -> int | None:
    """The number of ranks from which on communication takes more than half of a turn on a machine;
    None if it does not on the largest number. points: those of one machine.
    """
    found: int | None = None
    for point in sorted(points, key=lambda one: -one.prediction.ranks):
        if point.communication_share <= BOUND:
            break
        found = point.prediction.ranks
    return found

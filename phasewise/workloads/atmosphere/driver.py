"""The schedules that the compiled core makes of a study (core/atmosphere/bindings.cpp)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Floats, load_planner
from phasewise.errors import StudyError
from phasewise.study import Study

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Schedule:
    """Who has, and who computes, each column at a timestep, by the number of the column: longitude
    + longitudes × latitude, from the south.
    """

    owner: Integers
    holder: Integers
    cost: Floats
    """Flops of the kernels' cards, or seconds of a file."""
    lit: NDArray[np.bool_]
    ranks: int

    @property
    def moved(self) -> int:
        """Columns that are computed elsewhere."""
        return int((self.owner != self.holder).sum())

    @property
    def before(self) -> Floats:
        """(ranks,): the cost of each rank's own columns, over the mean."""
        return self._loads(self.owner)

    @property
    def after(self) -> Floats:
        """(ranks,): the cost of the columns that it computes, over the mean."""
        return self._loads(self.holder)

    @property
    def moves(self) -> Integers:
        """(ranks, ranks): columns that go from a rank to another one."""
        away = self.owner != self.holder
        pairs = self.owner[away] * self.ranks + self.holder[away]
        return np.bincount(pairs, minlength=self.ranks**2).reshape(self.ranks, self.ranks)

    def _loads(self, ranks: Integers) -> Floats:
        found = np.bincount(ranks, weights=self.cost, minlength=self.ranks)
        return np.asarray(found / found.mean())


def schedule_of(study: Study, ranks: int, timestep: int, node_ranks: int = 0) -> Schedule:
    """The schedule of a timestep, from 0; node_ranks: ranks of a node, 0: as the study says, or 1.

    StudyError if the study does not suit the ranks.
    """
    own = node_ranks or study.communication.node_ranks or 1
    return _schedule(study.parameters(), ranks, own, timestep)


@lru_cache(maxsize=64)
def _schedule(parameters: str, ranks: int, node_ranks: int, timestep: int) -> Schedule:
    core = cast(Any, load_planner())
    try:
        found = core.atmosphere_schedule(parameters, ranks, node_ranks, timestep)
    except ValueError as error:
        raise StudyError(str(error)) from None
    return Schedule(
        owner=np.asarray(found["owner"], dtype=np.int64),
        holder=np.asarray(found["holder"], dtype=np.int64),
        cost=np.asarray(found["cost"], dtype=np.float64),
        lit=np.asarray(found["lit"], dtype=np.bool_),
        ranks=ranks,
    )

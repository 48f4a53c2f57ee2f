"""Times the turns of studies on a machine's simulated ranks, and predicts them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from phasewise.machines import Machine
from phasewise.machines.turn_times import TurnTime
from phasewise.models.model import Case
from phasewise.models.prediction import turn_of
from phasewise.mpi.working import at
from phasewise.output import number_of
from phasewise.simulated.simulate import Request
from phasewise.simulated.timing import time_simulated
from phasewise.simulated.workers import in_workers
from phasewise.study import Study
from phasewise.workload.protocols import AS_PUT, NOT_SIMULATED, PROTOCOLS, STAND_IN

T = TypeVar("T")
Report = Callable[[int, int], None]
"""It is called with the number of studies that are done and the number of all."""

MODEL = "contention"
BATCH = 40
"""The number of studies that one run of the simulator times."""

LEFT_OUT = "SimGrid has no such calls"
NO_COSTS = "the machine's file has no [overhead] for it"


@dataclass(frozen=True)
class SimulatedRanks:
    """The ranks of a machine's twin, plain or full, which are followed without contents.

    workers: how many simulations run at the same time. All times are exact, so that their intervals
    are points.
    """

    machine: Machine
    ranks: int
    twin: str = "full"
    workers: int = len(os.sched_getaffinity(0))
    progress: Report | None = None

    @property
    def head(self) -> dict[str, Any]:
        """The machine, the model that predicts, and which protocols are missing or stand for
        others.
        """
        return {
            "reference": "simulator",
            "machine": self.machine.name,
            "twin": self.twin,
            "model": MODEL,
            "ranks": self.ranks,
            "threads": 1,
            "left_out": self._left_out,
            "stand_ins": {name: STAND_IN for name in AS_PUT if name in self.protocols},
        }

    @property
    def protocols(self) -> tuple[str, ...]:
        """The protocols that can be simulated on the machine."""
        return tuple(name for name in PROTOCOLS if name not in self._left_out)

    @property
    def _left_out(self) -> Mapping[str, str]:
        costless = {} if self.machine.overhead else dict.fromkeys(AS_PUT, NO_COSTS)
        return dict.fromkeys(NOT_SIMULATED, LEFT_OUT) | costless

    def agreed(self, action: Callable[[], T]) -> T:
        """The result of `action()`."""
        return action()

    def __call__(self, studies: Sequence[Study]) -> list[TurnTime]:
        """The times of a turn of each study, simulated and predicted."""
        count = -(-len(studies) // BATCH)
        # Neighbours in the list take similar times, so each batch gets some studies of every kind.
        batches = {str(first): range(first, len(studies), count) for first in range(count)}
        tasks = {key: self._batch([studies[i] for i in own]) for key, own in batches.items()}
        found: dict[int, TurnTime] = {}
        for key, times in in_workers(_time, tasks, self.workers, _name):
            found |= dict(zip(batches[key], times, strict=True))
            at("measurement", len(found), len(studies))
            if self.progress is not None:
                self.progress(len(found), len(studies))
        return [found[index] for index in range(len(studies))]

    def _batch(self, studies: Sequence[Study]) -> _Batch:
        return _Batch(tuple(studies), Request(self.machine, self.ranks, self.twin, skeleton=True))


@dataclass(frozen=True)
class _Batch:
    studies: tuple[Study, ...]
    request: Request


def _name(batch: _Batch) -> str:
    request = batch.request
    on = number_of(request.ranks, "rank")
    return f"{len(batch.studies)} studies on {on} of {request.machine.name}"


def _time(batch: _Batch) -> list[TurnTime]:
    request = batch.request
    simulated = time_simulated(batch.studies, request)
    place = (request.machine, request.ranks, request.twin)
    cases = [Case(study, *place, agreed=True) for study in batch.studies]
    return [
        TurnTime(*4 * (one.seconds,), one.missed, turn_of(case, MODEL).seconds)
        for one, case in zip(simulated, cases, strict=True)
    ]

"""The best process grid of a study on each number of ranks of several machines, by predictions.

Where `phasewise.tuning.automatic` chooses for the workload, its choice is taken, so that every
command has the same grid and the same time of a turn, unless another model is asked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.machines.topology import check_size
from phasewise.models import Case, default_model, described, load_model
from phasewise.models.platforms import PlatformPoint
from phasewise.models.prediction import predict, turn_of
from phasewise.mpi.working import at
from phasewise.output import number_of
from phasewise.study import Study
from phasewise.tuning.automatic import settle
from phasewise.tuning.candidates import candidates

FOLLOWED = 3
"""How many process grids of one number of ranks are compared by a model that follows messages; a
cheap model chooses them.
"""
GRID = "process_grid"


@dataclass(frozen=True)
class LeftOut:
    """A number of ranks that a machine, or the study on it, cannot have, and why."""

    machine: str
    ranks: int
    reason: str

    @property
    def sentence(self) -> str:
        """The sentence that says that it was left out, and why."""
        many = "rank" if self.ranks == 1 else "ranks"
        return f"left out: {self.reason} ({self.machine}, {self.ranks} {many})"

    def to_dict(self) -> dict[str, Any]:
        """It as an entry of `left_out` of ``platforms --json``."""
        return dataclasses.asdict(self)


def compare_platforms(
    study: Study,
    machines: Sequence[Machine],
    ranks: Sequence[int],
    model: str | None = None,
    twin: str = "full",
) -> tuple[list[PlatformPoint], list[LeftOut]]:
    """A point for each machine and number of ranks, in the order of the machines, and those that
    are left out.

    model: the model that predicts, and by which process grids are chosen; None: the best for each
    machine, with the choice of `phasewise.tuning.automatic`. A number of ranks is left out
    if the machine is too small for it, or if the study refuses it. StudyError if nothing remains.
    """
    points: list[PlatformPoint] = []
    left_out: list[LeftOut] = []
    numbers = sorted(set(ranks))
    for machine in machines:
        for number in numbers:
            done, every = len(points) + len(left_out), len(machines) * len(numbers)
            at("point", done, every, f"{machine.name}, {number_of(number, 'rank')}")
            try:
                check_size(machine, number)
                points.append(_best(study, machine, number, model, twin))
            except StudyError as error:
                left_out.append(LeftOut(machine.name, number, str(error)))
    if not points:
        raise StudyError(left_out[0].reason)
    return points, left_out


def _best(
    study: Study, machine: Machine, ranks: int, asked: str | None, twin: str
) -> PlatformPoint:
    """The fastest of the process grids that suit the ranks."""
    study.check_ranks(ranks)
    model = asked or default_model(machine)
    grids = _divided(study, machine, ranks, twin, chosen=asked is None)
    cases = [Case(one, machine, ranks, twin) for one in grids]
    if getattr(load_model(model), "PRECISE", False) and len(cases) > FOLLOWED:
        cases.sort(key=lambda case: turn_of(case, described).seconds)
        cases = cases[:FOLLOWED]
    found = [(case.study, predict(case, model)) for case in cases]
    best, prediction = min(found, key=lambda entry: entry[1].turn_seconds)
    assert best is not None
    return PlatformPoint(machine.name, best, prediction)


def _divided(study: Study, machine: Machine, ranks: int, twin: str, chosen: bool) -> list[Study]:
    """The study on each process grid of the ranks, or, if `chosen`, on the one that is chosen for
    it; the study itself if it gives a grid, or has none.
    """
    if ranks == 1 or not study.communication.leaves_grid_open:
        return [study]
    if chosen:
        settled = settle(study, ranks, machine, twin).study
        if not settled.communication.leaves_grid_open:
            return [settled]
    return list(_on_grids(study, machine, ranks)) or [settle(study, ranks, machine, twin).study]


def _on_grids(study: Study, machine: Machine, ranks: int) -> Iterator[Study]:
    given = study.communication.resolved()
    tables = (one.communication() for one in candidates(study, ranks, machine))
    grids = {repr(table[GRID]): table[GRID] for table in tables if GRID in table}
    for grid in grids.values():
        own = study.workload.read_communication({**given, GRID: grid}, Path())
        yield dataclasses.replace(study, communication=own)

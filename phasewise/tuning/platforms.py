"""The best process grid of a study on each number of ranks of several machines, by predictions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.machines.topology import check_size
from phasewise.models import Case, default_model, described, load_model
from phasewise.models.platforms import PlatformPoint
from phasewise.models.prediction import predict, turn_of
from phasewise.study import Study
from phasewise.tuning.automatic import settle
from phasewise.tuning.candidates import candidates

FOLLOWED = 3
"""Process grids of one number of ranks that a model which follows messages compares; a cheap one
chooses them.
"""
GRID = "process_grid"

Say = Callable[[str], None]


def compare_platforms(
    study: Study,
    machines: Sequence[Machine],
    ranks: Sequence[int],
    say: Say,
    model: str | None = None,
    twin: str = "full",
) -> list[PlatformPoint]:
    """A point for each machine and number of ranks, in the order of the machines.

    model: that predicts; None: the best for each machine. Numbers of ranks that a machine has not
    are left out, and `say` gets a sentence on each. StudyError if a machine has none of them, or if
    the study does not suit one of them.
    """
    return [
        _best(study, machine, number, model or default_model(machine), twin)
        for machine in machines
        for number in _possible(machine, sorted(set(ranks)), say)
    ]


def _possible(machine: Machine, ranks: Sequence[int], say: Say) -> list[int]:
    """Those numbers of ranks that the machine has."""
    found: list[int] = []
    for number in ranks:
        try:
            check_size(machine, number)
        except StudyError as error:
            if not found:
                raise
            say(f"left out: {error}")
        else:
            found.append(number)
    return found


def _best(study: Study, machine: Machine, ranks: int, model: str, twin: str) -> PlatformPoint:
    """The fastest of the process grids that suit the ranks."""
    study.check_ranks(ranks)
    cases = [Case(one, machine, ranks, twin) for one in _divided(study, machine, ranks, twin)]
    if getattr(load_model(model), "PRECISE", False) and len(cases) > FOLLOWED:
        cases.sort(key=lambda case: turn_of(case, described).seconds)
        cases = cases[:FOLLOWED]
    found = [(case.study, predict(case, model)) for case in cases]
    best, prediction = min(found, key=lambda entry: entry[1].turn_seconds)
    assert best is not None
    return PlatformPoint(machine.name, best, prediction)


def _divided(study: Study, machine: Machine, ranks: int, twin: str) -> list[Study]:
    """The study on each process grid of the ranks; itself where it gives one, or has none."""
    if ranks == 1 or not study.communication.leaves_grid_open:
        return [study]
    return list(_on_grids(study, machine, ranks)) or [settle(study, ranks, machine, twin).study]


def _on_grids(study: Study, machine: Machine, ranks: int) -> Iterator[Study]:
    given = study.communication.resolved()
    tables = (one.communication() for one in candidates(study, ranks, machine))
    grids = {repr(table[GRID]): table[GRID] for table in tables if GRID in table}
    for grid in grids.values():
        own = study.workload.read_communication({**given, GRID: grid}, Path())
        yield dataclasses.replace(study, communication=own)

"""The ways to balance that a tuner compares: each scheme with each division, and on the study's own
division each scheme with each protocol, and the other chunks and kernels.
"""

from __future__ import annotations

from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.runs.choosing import Choosing
from phasewise.study import Study
from phasewise.tuning.candidates import PlainCandidate, Tuning, node_levels
from phasewise.workload.communication import AUTO
from phasewise.workload.grids import grid_of
from phasewise.workloads.atmosphere.choosing import schemes
from phasewise.workloads.atmosphere.communication import (
    ALL,
    ALLTOALLW,
    BLOCKS,
    MESSAGES,
    NONE,
    AtmosphereCommunication,
    process_grids,
)
from phasewise.workloads.atmosphere.model import model_of

MOST_RANKS = 128
"""Most ranks whose process grid is chosen by predictions."""
GRIDS = 3
"""Most process grids of blocks that are compared."""


class AtmosphereTuning(Tuning):
    """What tuners compare."""

    def candidates(self, study: Study, ranks: int, machine: Machine) -> list[PlainCandidate]:
        """Candidates that are distinct and valid; StudyError if none suits the ranks."""
        found = study.workload.part(Choosing).choices(study.model, ranks)
        choices = {name: list(values) for name, values in found.items()}
        several = ranks > 1
        own = schemes(model_of(study), node_levels(machine, ranks)) if several else [NONE]
        usual = {name: _usual(getattr(study.communication, name), choices[name]) for name in found}
        tables = [usual]
        for division in choices["division"]:
            grid = usual["process_grid"] if division == BLOCKS else AUTO
            divided = usual | {"division": division, "process_grid": grid}
            tables += [divided | {"balance": name} for name in own]
        for name in own if several else ():
            if name == NONE:
                continue
            sent = usual | {"balance": name}
            tables += [sent | {"exchange": MESSAGES, "columns": one} for one in choices["columns"]]
            tables.append(sent | {"exchange": ALLTOALLW})
        tables += [usual | {"chunk": chunk} for chunk in choices["chunk"]]
        tables += [usual | {"kernel": kernel} for kernel in choices["kernel"]]
        every = dict.fromkeys(PlainCandidate(tuple(table.items())) for table in tables)
        valid = [one for one in every if _suits(one, study, ranks)]
        if not valid:
            study.check_ranks(ranks)
            raise StudyError(f"none of the ways to exchange suits {ranks} ranks")
        return valid

    def open_grids(self, study: Study, ranks: int) -> list[dict[str, Any]]:
        """Each scheme where the study leaves it open, on the process grids of the squarest blocks
        where it leaves that open; on many ranks, where all blocks are small, that is the core's
        choice.
        """
        own = study.communication
        assert isinstance(own, AtmosphereCommunication)
        if own.balance != AUTO and ranks > MOST_RANKS:
            return []
        grids = [own.process_grid]
        if own.division == BLOCKS and own.process_grid == AUTO:
            found = process_grids(model_of(study), ranks)[:GRIDS]
            grids = [grid_of(*grid) for grid in found]
        names = [own.balance]
        if own.balance == AUTO:
            every = schemes(model_of(study), levels=True)
            names = [ALL, *(name for name in every if name != ALL)]
        return [{"process_grid": grid, "balance": name} for name in names for grid in grids]


def _usual(given: Any, choices: list[Any]) -> Any:
    return given if given in choices else choices[0]


def _suits(candidate: PlainCandidate, study: Study, ranks: int) -> bool:
    try:
        candidate.apply(study).check_ranks(ranks)
    except StudyError:
        return False
    return True

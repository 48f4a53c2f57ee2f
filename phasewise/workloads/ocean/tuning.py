"""The ways to exchange that a tuner compares: each process grid, and on the usual one each protocol
and each algorithm for themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.runs.choosing import Choosing
from phasewise.study import Study
from phasewise.tuning.candidates import PlainCandidate, Tuning, node_levels
from phasewise.workload.grids import grid_of
from phasewise.workloads.ocean.choosing import GRIDS, sums_on
from phasewise.workloads.ocean.communication import OceanCommunication, process_grids
from phasewise.workloads.ocean.model import model_of


class OceanTuning(Tuning):
    """What tuners compare."""

    def candidates(self, study: Study, ranks: int, machine: Machine) -> list[PlainCandidate]:
        """Candidates that are distinct and valid; StudyError if none suits the ranks."""
        found = study.workload.part(Choosing).choices(study.model, ranks)
        choices = {name: list(values) for name, values in found.items()}
        levels = node_levels(machine, ranks)
        choices["solver_sum"] = [one for one in choices["solver_sum"] if one in sums_on(levels)]
        given = study.communication
        assert isinstance(given, OceanCommunication)
        if not given.one_block_each:
            choices["process_grid"] = [given.process_grid]
        usual = {name: _usual(getattr(given, name), choices[name]) for name in choices}
        tables = [usual, *(usual | change for change in _changes(usual, choices))]
        every = dict.fromkeys(PlainCandidate(tuple(table.items())) for table in tables)
        valid = [one for one in every if _suits(one, study, ranks)]
        if not valid:
            study.check_ranks(ranks)
            raise StudyError(f"none of the ways to exchange suits {ranks} ranks")
        return valid

    def open_grids(self, study: Study, ranks: int) -> list[dict[str, Any]]:
        """The process grids of one block for each rank, that of least boundary first."""
        given = study.communication
        assert isinstance(given, OceanCommunication)
        if not given.one_block_each:
            return []
        found = process_grids(model_of(study), ranks)[:GRIDS]
        return [{"process_grid": grid_of(*grid)} for grid in found]

    def open_variants(
        self, study: Study, grid: Mapping[str, Any], levels: bool
    ) -> list[dict[str, Any]]:
        """The other sums."""
        given = getattr(study.communication, "solver_sum", "")
        return [{"solver_sum": name} for name in sums_on(levels) if name != given]


def _usual(given: Any, choices: list[Any]) -> Any:
    return given if given in choices else choices[0]


def _changes(usual: Mapping[str, Any], choices: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """What candidates have otherwise: each key by itself; on each grid each protocol of the
    solver's boundaries with each algorithm of its sums; and one protocol for all messages.
    """
    found = [{name: value} for name, values in choices.items() for value in values]
    found += [
        {"process_grid": grid, "solver_halo": halo, "solver_sum": add}
        for grid in choices["process_grid"]
        for halo in choices["solver_halo"]
        for add in choices["solver_sum"]
    ]
    for protocol in choices["solver_sum_protocol"]:
        every = {"boundary": protocol, "solver_halo": protocol, "solver_sum_protocol": protocol}
        found += [every | {"solver_sum": add} for add in choices["solver_sum"] if add != "mpi"]
    return [change for change in found if any(usual[n] != v for n, v in change.items())]


def _suits(candidate: PlainCandidate, study: Study, ranks: int) -> bool:
    try:
        candidate.apply(study).check_ranks(ranks)
    except StudyError:
        return False
    return True

"""The ways to exchange that a tuner compares: each division of the grid by each transpose, and by
each protocol with messages under way during sweeps, in several batches and by both kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.runs.choosing import Choosing
from phasewise.study import Study
from phasewise.tuning.candidates import PlainCandidate, Tuning
from phasewise.workload.communication import AUTO
from phasewise.workload.grids import grid_of
from phasewise.workloads.hydro.communication import PENCILS, TRANSPOSES, pencil_grids
from phasewise.workloads.hydro.model import model_of


class HydroTuning(Tuning):
    """What tuners compare."""

    def candidates(self, study: Study, ranks: int, machine: Machine) -> list[PlainCandidate]:
        """Candidates that are distinct and valid; StudyError if none suits the ranks."""
        choices = study.workload.part(Choosing).choices(study.model, ranks)
        usual = {name: getattr(study.communication, name) for name in choices}
        if usual["protocol"] not in choices["protocol"]:
            usual["protocol"] = choices["protocol"][0]
        tables = [usual]
        for division in _divisions(study, ranks, choices["decomposition"]):
            own = usual | division
            tables += [own | {"overlap": False, "transpose": n} for n in choices["transpose"]]
            if ranks > 1:
                tables += [own | {"overlap": True, "protocol": n} for n in choices["protocol"]]
        tables += [usual | {"batch": batch} for batch in choices["batch"]]
        tables += [usual | {"kernel": kernel} for kernel in choices["kernel"]]
        found = dict.fromkeys(PlainCandidate(tuple(table.items())) for table in tables)
        valid = [one for one in found if _suits(one, study, ranks)]
        if not valid:
            study.check_ranks(ranks)
            raise StudyError(f"none of the ways to exchange suits {ranks} ranks")
        return valid

    def open_grids(self, study: Study, ranks: int) -> list[dict[str, Any]]:
        """The process grids of pencils, the one next to a square first."""
        return [{"process_grid": grid_of(*grid)} for grid in _by_squareness(study, ranks)]

    def open_variants(
        self, study: Study, grid: Mapping[str, Any], levels: bool
    ) -> list[dict[str, Any]]:
        """The other transposes."""
        given = getattr(study.communication, "transpose", TRANSPOSES[0])
        return [{"transpose": name} for name in TRANSPOSES if name != given]


def _by_squareness(study: Study, ranks: int) -> list[tuple[int, int]]:
    """The process grids of pencils; of a grid and its mirror the one with fewer ranks along the
    first side comes first.
    """
    found = pencil_grids(model_of(study).zones, ranks)
    return sorted(found, key=lambda grid: (max(grid) / min(grid), grid))


def _divisions(study: Study, ranks: int, decompositions: Sequence[str]) -> list[dict[str, Any]]:
    """The ways to divide the grid: slabs, and each process grid of pencils."""
    found: list[dict[str, Any]] = []
    for name in decompositions:
        if name == PENCILS:
            grids = _by_squareness(study, ranks)
            found += [{"decomposition": name, "process_grid": grid_of(*grid)} for grid in grids]
        else:
            found.append({"decomposition": name, "process_grid": AUTO})
    return found


def _suits(candidate: PlainCandidate, study: Study, ranks: int) -> bool:
    try:
        candidate.apply(study).check_ranks(ranks)
    except StudyError:
        return False
    return True

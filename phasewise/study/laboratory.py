"""What planning, simulating and comparing ask of a study's workload: the contract `Laboratory`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.study.study import Study
from phasewise.workload.communication import Communication
from phasewise.workload.interface import Part, Workload

Pieces = Mapping[str, float]
"""How often each data-dependent piece occurs in a turn."""


class Laboratory(Part):
    """How a workload is planned, simulated and compared."""

    MODULE = "laboratory"
    GROUPS: str = ""
    """What texts call the groups of ranks in a plan's loads."""
    LOADS: Mapping[str, str] = {}
    """What texts call these loads."""
    WHEN: Mapping[str, str] = {}
    """Words that say when a data-dependent piece occurs, by the name of the piece."""
    PIECES: Mapping[str, str] = {}
    """The plural of such a piece's name, where it is not the name with an s."""

    TASKS: Mapping[str, tuple[str, ...]] = {}
    """Tasks of a turn for the charts of the report: a name, and the kernels and phases in it."""

    def rate(self, study: Study) -> tuple[float, str]:
        """What a turn contributes to the rate by which platforms are compared, and the unit of that
        rate. By default a turn counts as one, and the unit is turns/s.
        """
        return 1.0, f"{study.workload.unit.many}/s"

    def pieces_name(self, piece: str) -> str:
        """The plural of a piece's name."""
        return self.PIECES.get(piece, f"{piece}s")

    def when(self, piece: str) -> str:
        """When a data-dependent piece of a turn occurs, in words."""
        return self.WHEN.get(piece, f"once for each {piece}")

    def process_grids(self, model: Any, places: Iterable[Sequence[int]]) -> list[list[int]]:
        """Shapes of the process grids that the ranks' places span; by default one grid."""
        return [[1 + max(along) for along in zip(*places, strict=True)]]

    def steps(self, model: Any) -> tuple[int, int]:
        """How many steps of a turn can stand for all of them (0: none), and how many follow each
        other.
        """
        return 0, 1

    def check_simulated(self, model: Any, skeleton: bool) -> None:
        """StudyError if simulated ranks cannot run the study. skeleton: its messages have no
        contents.
        """

    def iterated(self, model: Any, communication: Any, iterations: int | None) -> Pieces:
        """How often pieces occur in a turn whose solver takes this many iterations; None: as many
        as the study fixes. Empty for a workload without a solver.
        """
        return {}

    def presumed(self, study: Study) -> Pieces:
        """How often pieces occur in a turn as far as a prediction presumes it, since neither the
        study nor a person says it.
        """
        return {}

    def known_pieces(self, study: Study) -> Pieces:
        """How often pieces occur in a turn of a study that leaves nothing of it to data, as where
        they stand for hours of a run.
        """
        return {}

    def planned(self, study: Study, plan: Mapping[str, Any]) -> Mapping[str, Any]:
        """Entries of `plan --json` beside those of every plan, from such a plan."""
        return {}

    def show_planned(self, study: Study, plan: Mapping[str, Any]) -> None:
        """Print what these entries say, below the table of phases."""

    def placed(self, communication: Any, record: Any) -> Communication:
        """The communication with the process grid and the places of a record."""
        found: Communication = communication
        if not hasattr(found, "process_grid"):
            return found
        return found.changed({"process_grid": "x".join(map(str, record.process_grid[0]))})


def _laboratory(study: Study) -> Laboratory:
    return study.workload.part(Laboratory)


def process_grids(study: Study, places: Iterable[Sequence[int]]) -> list[list[int]]:
    """Shapes of the process grids, from the coordinates of all ranks."""
    return _laboratory(study).process_grids(study.model, places)


def grid_names(shapes: Iterable[Sequence[int]]) -> list[str]:
    """The distinct ones of several process grids, each as a study writes it."""
    return list(dict.fromkeys("x".join(map(str, shape)) for shape in shapes))


def grid_on(study: Study, ranks: int) -> str:
    """The process grid in one word, as tables show it. If the study leaves it open, it is the one
    that the core chooses for the ranks.
    """
    if not study.communication.leaves_grid_open:
        return study.communication.grid_text
    plan = load_planner().plan(study.parameters(), ranks, rank=0)
    return ",".join(grid_names(plan["process_grid"]))


def rate_of(study: Study) -> tuple[float, str]:
    """What a turn contributes to the rate of a study, and the unit of the rate."""
    return _laboratory(study).rate(study)


def declared_tasks(workload: Workload) -> Mapping[str, tuple[str, ...]]:
    """The tasks that a workload declares, each with its kernels and phases."""
    return workload.part(Laboratory).TASKS


def phase_colours(study: Study, ranks: int) -> dict[str, str]:
    """The colours, #rrggbb, of the phases that look the same in all pictures."""
    found = load_planner().phases(study.parameters(), ranks)
    return {str(phase["name"]): str(phase["colour"]) for phase in found if phase["colour"]}


def fewest_steps(study: Study) -> int:
    """How many similar steps a turn has, if some of them can stand for all; else 0."""
    return _laboratory(study).steps(study.model)[0]


def max_steps(study: Study) -> int:
    """The largest number of steps that follow each other in a turn."""
    return _laboratory(study).steps(study.model)[1]


def check_simulated(study: Study, skeleton: bool) -> None:
    """StudyError if the study cannot run on simulated ranks. skeleton: its messages have no
    contents.
    """
    _laboratory(study).check_simulated(study.model, skeleton)


def first_pieces(study: Study, ranks: int, turns: int = 1) -> Pieces:
    """How often pieces occur in the mean of this many first turns of a run, on the rank where they
    come most often. Only pieces that the first turn has more or less often than a later one.
    """
    return load_planner().first_pieces(study.parameters(), ranks, turns)


def iterated(study: Study, iterations: int | None) -> Pieces:
    """How often pieces occur in a turn whose solver takes this many iterations; None: as many as
    the study fixes, if it does. StudyError for a study without such pieces.
    """
    own = _laboratory(study)
    found = own.iterated(study.model, study.communication, iterations)
    if iterations is not None and not found:
        raise StudyError(
            f"--iterations {iterations}: the {study.workload.unit.many} of this study of "
            f"{study.workload.title} have no iterations whose number depends on data; leave it out"
        )
    return {**own.known_pieces(study), **found}


def presumed(study: Study) -> Pieces:
    """How often pieces occur in a turn as far as a prediction presumes it."""
    return _laboratory(study).presumed(study)


def planned(study: Study, plan: Mapping[str, Any]) -> Mapping[str, Any]:
    """Entries that the workload adds to this plan."""
    return _laboratory(study).planned(study, plan)


def show_planned(study: Study, plan: Mapping[str, Any]) -> None:
    """Print what the workload's entries of a plan say."""
    _laboratory(study).show_planned(study, plan)


def placed(study: Study, record: Any) -> Communication:
    """How the ranks of a record exchanged, on its process grid and in its places."""
    return _laboratory(study).placed(study.communication, record)


def load_names(study: Study) -> tuple[str, Mapping[str, str]]:
    """What texts call the groups of ranks in a plan's loads, and what they call the loads."""
    own = _laboratory(study)
    return own.GROUPS, own.LOADS


def when(study: Study, piece: str) -> str:
    """When a data-dependent piece of a turn occurs, in words."""
    return _laboratory(study).when(piece)


def pieces_name(workload: Workload, piece: str) -> str:
    """The plural of a piece's name."""
    return workload.part(Laboratory).pieces_name(piece)

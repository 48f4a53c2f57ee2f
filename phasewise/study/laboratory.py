"""What planning, simulating and comparing ask of a study's workload: its part `laboratory`.

* `process_grids(model, places)`: the shapes that the ranks' places span; by default one grid;
* `steps(model)`: how many steps of a turn can stand for all of them, and how many follow each
  other;
* `check_simulated(model, skeleton)`: StudyError if simulated ranks cannot run the study;
* `first_pieces(model)`: how often each data-dependent piece occurs in a run's first turn;
* `sets_off_together(model)`: whether all ranks begin that turn at once, for models in time;
* `iterated(model, iterations)`: how often they occur in a turn whose solver takes this many
  iterations, for a workload that has one; None: as many as the study fixes;
* `placed(communication, record)`: the communication on the process grid and places of a record;
* `GROUPS`, `LOADS`, `WHEN`, `PIECES`: how texts call the groups of ranks in a plan's loads, these
  loads, the moment at which a data-dependent piece occurs, and several such pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.study.study import Study
from phasewise.workload.communication import Communication
from phasewise.workload.interface import Workload

PART = "laboratory"


def process_grids(study: Study, places: Iterable[Sequence[int]]) -> list[list[int]]:
    """Shapes of the process grids, from the coordinates of all ranks."""
    found: list[list[int]] = study.workload.offers(PART, "process_grids", _one_grid)(
        study.model, places
    )
    return found


def _one_grid(_model: Any, places: Iterable[Sequence[int]]) -> list[list[int]]:
    return [[1 + max(along) for along in zip(*places, strict=True)]]


def grid_names(shapes: Iterable[Sequence[int]]) -> list[str]:
    """The distinct ones of several process grids, each as a study writes it."""
    return list(dict.fromkeys("x".join(map(str, shape)) for shape in shapes))


def grid_on(study: Study, ranks: int) -> str:
    """The process grid in one word as tables show it: where the study leaves it open, the one that
    the core chooses for the ranks.
    """
    if not study.communication.leaves_grid_open:
        return study.communication.grid_text
    plan = load_planner().plan(study.parameters(), ranks, rank=0)
    return ",".join(grid_names(plan["process_grid"]))


def fewest_steps(study: Study) -> int:
    """How many similar steps a turn has, if some of them can stand for all; else 0."""
    return int(study.workload.offers(PART, "steps", _one_step)(study.model)[0])


def max_steps(study: Study) -> int:
    """The largest number of steps that follow each other in a turn."""
    return int(study.workload.offers(PART, "steps", _one_step)(study.model)[1])


def _one_step(_model: Any) -> tuple[int, int]:
    return 0, 1


def check_simulated(study: Study, skeleton: bool) -> None:
    """StudyError if the study cannot run on simulated ranks; skeleton: without contents."""
    study.workload.offers(PART, "check_simulated", _nothing)(study.model, skeleton)


def _nothing(*_given: Any) -> None:
    """Every study can be simulated."""


Pieces = Mapping[str, float]
"""How often each data-dependent piece occurs in a turn."""


def first_pieces(study: Study) -> Pieces:
    """How often pieces occur in the first turn of a run."""
    found: Pieces = study.workload.offers(PART, "first_pieces", _no_pieces)(study.model)
    return found


def _no_pieces(*_given: Any) -> Pieces:
    return {}


def iterated(study: Study, iterations: int | None) -> Pieces:
    """How often pieces occur in a turn whose solver takes this many iterations; None: as many as
    the study fixes, if it does. StudyError for a study without such pieces.
    """
    found: Pieces = study.workload.offers(PART, "iterated", _no_pieces)(study.model, iterations)
    if iterations is not None and not found:
        raise StudyError(
            f"--iterations {iterations}: {study.workload.title} have no iterations whose number "
            "depends on data; leave it out"
        )
    return found


def placed(study: Study, record: Any) -> Communication:
    """How the ranks of a record exchanged, on its process grid and in its places."""
    found: Communication = study.workload.offers(PART, "placed", _unplaced)(
        study.communication, record
    )
    return found


def _unplaced(communication: Communication, _record: Any) -> Communication:
    return communication


def load_names(study: Study) -> tuple[str, dict[str, str]]:
    """How texts call the groups of ranks in a plan's loads, and the loads."""
    part = study.workload.part(PART)
    return getattr(part, "GROUPS", ""), getattr(part, "LOADS", {})


def when(study: Study, piece: str) -> str:
    """When a data-dependent piece of a turn occurs, in words."""
    words: dict[str, str] = getattr(study.workload.part(PART), "WHEN", {})
    return words.get(piece, f"once for each {piece}")


def pieces_name(workload: Workload, piece: str) -> str:
    """The plural of a piece's name."""
    names: dict[str, str] = getattr(workload.part(PART), "PIECES", {})
    return names.get(piece, f"{piece}s")


def sets_off_together(study: Study) -> bool:
    """Whether all ranks begin a run's first turn at once."""
    return bool(study.workload.offers(PART, "sets_off_together", _apart)(study.model))


def _apart(_model: Any) -> bool:
    return False

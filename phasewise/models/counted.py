"""How often data-dependent pieces of a turn come, as a person says it or as a run has recorded
it.
"""

from __future__ import annotations

from phasewise.errors import StudyError
from phasewise.models.recorded_run import read_run
from phasewise.study import Study
from phasewise.study.laboratory import Pieces, iterated


def counted(study: Study, iterations: int | None, recorded: str | None) -> Pieces:
    """The data-dependent pieces of a turn of the study: those of so many `iterations` of its
    solver, those in the mean turn of the run in the folder `recorded`, or, without either, those
    that the study fixes.

    StudyError if both are given, or if the study or the run has no such pieces.
    """
    if iterations is not None and recorded is not None:
        raise StudyError(
            "--iterations and --records exclude each other: give a number, or the folder of a run "
            "that has recorded it"
        )
    return iterated(study, iterations) if recorded is None else _recorded(study, recorded)


def _recorded(study: Study, folder: str) -> Pieces:
    run = read_run(folder)
    theirs = run.study.workload
    if theirs.named != study.workload.named:
        raise StudyError(
            f"--records {folder} is a run of {theirs.title}, and the study is of "
            f"{study.workload.title}: give a run of the same workload"
        )
    if not run.pieces:
        raise StudyError(
            f"--records {folder}: {theirs.title} have nothing whose number depends on data; leave "
            "it out"
        )
    return run.pieces

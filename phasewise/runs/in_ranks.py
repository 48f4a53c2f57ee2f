"""A run that is started from Python, in MPI ranks of its own: `phasewise run` under mpiexec."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phasewise.errors import PhasewiseError
from phasewise.mpi.launch import run_ranks
from phasewise.runs.folder import RunFolder
from phasewise.runs.layout import check_schedule
from phasewise.runs.results import Results
from phasewise.runs.run_options import RunOptions
from phasewise.scratch import temporary_folder
from phasewise.study import Study
from phasewise.tables.writing import document


def run_in_ranks(study: Study, ranks: int, options: RunOptions) -> Results:
    """Run `study` in a number of ranks that mpiexec starts; its results.

    The ranks read the resolved study from a file, without the keys of [communication] that the
    study leaves open. RunError if the run fails, StudyError if the study cannot be run.
    """
    out, progress = options.out, bool(options.progress)
    check_schedule(study)
    study.check_ranks(ranks)
    keep = temporary_folder() if out is None else None
    folder = Path(keep.name if keep is not None else out or "").absolute()
    with temporary_folder() as scratch:
        file = Path(scratch) / "study.toml"
        file.write_text(document(_to_read(study)), encoding="utf-8")
        words = ["run", str(file), "--threads", str(options.threads), "--out", str(folder)]
        words += ["--events", str(options.events)] if options.events else []
        words += ["--resume"] if options.resume else []
        words += [] if progress else ["--quiet"]
        try:
            run_ranks(words, ranks, options.threads, progress, study.workload.unit.one)
        except PhasewiseError:
            RunFolder(folder).tidy()
            raise
    return Results(folder, keep)


def _to_read(study: Study) -> dict[str, Any]:
    tables = study.resolved()
    given = study.given_communication
    own = {key: value for key, value in tables["communication"].items() if key in given}
    return tables | {"communication": own}

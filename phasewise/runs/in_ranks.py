"""A run that is started from Python, in MPI ranks of its own: `phasewise run` under mpiexec."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from phasewise.errors import PhasewiseError
from phasewise.mpi.launch import run_ranks
from phasewise.runs.folder import RunFolder
from phasewise.runs.layout import check_schedule
from phasewise.runs.results import Results
from phasewise.study import Study
from phasewise.tables.writing import document


def run_in_ranks(
    study: Study,
    ranks: int,
    out: str | Path | None = None,
    threads: int = 1,
    resume: bool = False,
    progress: bool = False,
    events: int = 0,
) -> Results:
    """Run `study` in a number of ranks that mpiexec starts, and return its results.

    The arguments are those of `phasewise.tuning.running.run`. The ranks read the resolved study
    from a file, without the keys of [communication] that the study leaves open. RunError if the run
    fails, StudyError if the study cannot be run.
    """
    check_schedule(study)
    study.check_ranks(ranks)
    keep = TemporaryDirectory(prefix="phasewise-") if out is None else None
    folder = Path(keep.name if keep is not None else out or "").absolute()
    with TemporaryDirectory(prefix="phasewise-") as scratch:
        file = Path(scratch) / "study.toml"
        file.write_text(document(_to_read(study)), encoding="utf-8")
        words = ["run", str(file), "--threads", str(threads), "--out", str(folder)]
        words += ["--events", str(events)] if events else []
        words += ["--resume"] if resume else []
        words += [] if progress else ["--quiet"]
        try:
            run_ranks(words, ranks, threads, progress, study.workload.unit.one)
        except PhasewiseError:
            RunFolder(folder).tidy()
            raise
    return Results(folder, keep)


def _to_read(study: Study) -> dict[str, Any]:
    tables = study.resolved()
    given = study.given_communication
    own = {key: value for key, value in tables["communication"].items() if key in given}
    return tables | {"communication": own}

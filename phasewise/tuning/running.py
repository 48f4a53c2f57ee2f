"""Runs a study, here or in ranks of its own, with what it leaves open chosen for its ranks."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from phasewise.driver import Communicator, Core, launched_size, load_core
from phasewise.errors import StudyError
from phasewise.mpi.progress import Progress, Silent
from phasewise.mpi.ranks import on_rank_zero
from phasewise.runs.in_ranks import run_in_ranks
from phasewise.runs.loop import run_here
from phasewise.runs.results import Results
from phasewise.runs.run_options import RunOptions
from phasewise.runs.simulation import Simulation
from phasewise.study import Study

if TYPE_CHECKING:
    from phasewise.tuning.automatic import Settled


def run(
    study: Study,
    out: str | Path | None = None,
    threads: int = 1,
    resume: bool = False,
    callback: Callable[[Simulation], None] | None = None,
    progress: Progress | bool | None = None,
    source: Path | None = None,
    core: Core | None = None,
    events: int = 0,
    ranks: int | None = None,
) -> Results:
    """Run `study` in this process, or, under mpiexec, in all ranks together, and return its
    results.

    If the process grid of several ranks is "auto", it is chosen by turns predicted on the machine
    of the study's [communication]; a resumed run keeps the choice if it has as many ranks.

    Args:
        study: The study to run to its end.
        out: Folder for records and checkpoints; by default a temporary one, deleted with the
            results.
        threads: Threads of each rank.
        resume: Go on from the last checkpoint in `out`, bit-exactly, on any number of ranks.
        callback: Called on every rank after each turn with the simulation.
        progress: True shows how far the run is, on standard error.
        source: The study's file, which is copied into `out`.
        core: The compiled core, if it is not the installed one.
        events: How many events of the time line each rank keeps at most.
        ranks: More than 1 starts as many under mpiexec, and waits for them.

    Raises:
        RunError: The run failed, or was stopped by a signal (it writes a checkpoint first).
        StudyError: The study cannot be run, or the checkpoint belongs to another one.
    """
    options = RunOptions(
        out=out, threads=threads, resume=resume, callback=callback, progress=progress,
        source=source, core=core, events=events,
    )  # fmt: skip
    if resume and out is None:
        raise StudyError("resume needs the folder of the run to go on with: give out")
    launched = launched_size()
    if ranks is not None and launched and ranks != launched:
        raise StudyError(f"ranks = {ranks} was given, but mpiexec has started {launched}")
    if ranks is not None and ranks > 1 and not launched:
        if callback is not None:
            raise StudyError("callback is called in this process: give no ranks, or ranks = 1")
        return run_in_ranks(study, ranks, options)
    loaded = core or load_core()
    shown = bool(progress) and not isinstance(progress, Silent)
    study = settle_together(study, loaded, Path(out) if resume and out is not None else None, shown)
    return run_here(study, dataclasses.replace(options, core=loaded))


def settle_together(study: Study, comm: Communicator, folder: Path | None, shown: bool) -> Study:
    """`study` with what it leaves open chosen on rank 0, the same on every rank; collective.

    folder: that of a run to go on with, whose choice is kept if it suits the ranks. shown: whether
    rank 0 says what was chosen. StudyError as in `phasewise.tuning.automatic.settle`.
    """
    if comm.size() == 1 or not study.communication.leaves_grid_open:
        return study
    settled = on_rank_zero(comm, lambda: _settled(study, comm.size(), folder))
    table = b""
    if settled is not None:
        table = json.dumps(settled.study.communication.resolved()).encode()
        if shown:
            settled.say()
    agreed = json.loads(comm.broadcast(table))
    own = study.workload.read_communication(agreed, Path())
    return dataclasses.replace(study, communication=own)


def _settled(study: Study, ranks: int, folder: Path | None) -> Settled:
    # These are imported only here because the models are large, and the other ranks do not need
    # them.
    from phasewise.tuning.automatic import kept, machine_of, settle

    if folder is not None:
        with suppress(OSError, ValueError, KeyError, TypeError):
            tables = json.loads((folder / "study.json").read_text(encoding="utf-8"))
            if (found := kept(study, ranks, tables["communication"])) is not None:
                return found
    return settle(study, ranks, machine_of(study))

"""The run loop: turns, records, dumps, checkpoints, progress."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from phasewise.driver import Core
from phasewise.mpi.progress import Progress, choose_progress
from phasewise.mpi.ranks import AgreedError, collectively, on_rank_zero
from phasewise.mpi.signals import Interrupts
from phasewise.runs.folder import RunFolder
from phasewise.runs.layout import check_schedule
from phasewise.runs.recording import Recording
from phasewise.runs.results import Results
from phasewise.runs.simulation import Simulation
from phasewise.runs.tuner import AutoTuner
from phasewise.study import Study


def run_here(
    study: Study,
    out: str | Path | None,
    threads: int,
    resume: bool,
    callback: Callable[[Simulation], None] | None,
    progress: Progress | bool | None,
    source: Path | None,
    core: Core,
    events: int,
) -> Results:
    """Run `study` in all ranks of this process's run together; the arguments are those of
    `phasewise.tuning.running.run`. A process grid that is "auto" is the core's default.
    """
    collectively(core, lambda: check_schedule(study))
    collectively(core, lambda: study.check_ranks(core.size()))
    keep, folder = _choose_folder(core, out)
    with ExitStack() as stack:
        on_rank_zero(core, lambda: folder.prepare(study, source, resume))
        if core.rank() == 0:
            stack.callback(folder.release)
        interrupts = stack.enter_context(Interrupts())
        shown = _shown(progress, study.workload.unit.one, core.rank())
        stack.callback(shown.close)
        simulation = Simulation(study, threads, core, events)
        recording = Recording(simulation, folder, core, resume)
        stack.callback(recording.abandon)
        if resume:
            on_rank_zero(core, lambda: folder.keep_study(study, source))
        tuner = AutoTuner(simulation, folder, core, resume)
        _loop(tuner, recording, interrupts, shown, callback, keep is None)
        recording.finish()
    core.barrier()
    return Results(folder.path, keep)


def _shown(progress: Progress | bool | None, unit: str, rank: int) -> Progress:
    """Where this rank reports to."""
    if isinstance(progress, bool) or progress is None:
        return choose_progress(quiet=not progress or rank > 0, unit=unit)
    return progress


def _choose_folder(
    core: Core, out: str | Path | None
) -> tuple[TemporaryDirectory[str] | None, RunFolder]:
    """The folder, and the object that deletes it if it is temporary."""
    if out is not None:
        return None, RunFolder(Path(out))
    keep = TemporaryDirectory(prefix="phasewise-") if core.rank() == 0 else None
    path = core.broadcast(b"" if keep is None else keep.name.encode()).decode()
    return keep, RunFolder(Path(path))


def _loop(
    tuner: AutoTuner,
    recording: Recording,
    interrupts: Interrupts,
    progress: Progress,
    callback: Callable[[Simulation], None] | None,
    resumable: bool,
) -> None:
    simulation = tuner.simulation
    study = simulation.study
    progress.update(simulation.turn, study.count, "")
    while simulation.turn < study.count:
        tuner.step()
        recording.turn_done()
        if callback is not None:
            callback(simulation)
        progress.update(simulation.turn, study.count, recording.detail)
        stop = recording.agree(interrupts.requested)
        if stop and simulation.turn < study.count:
            progress.close()
            if resumable:
                recording.checkpoint()
            tuner.close()
            recording.finish(complete=False)
            raise AgreedError(_stopped(simulation, resumable), 1)


def _stopped(simulation: Simulation, resumable: bool) -> str:
    study = simulation.study
    one = study.workload.unit.one
    sentence = f"stopped by a signal after {one} {simulation.turn} of {study.count}"
    if not resumable:
        return sentence
    return f"{sentence}; a checkpoint is written: go on with the same command and --resume"

"""The run loop: turns, records, dumps, checkpoints, progress."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from phasewise.driver import Core, load_core
from phasewise.errors import StoppedError
from phasewise.mpi.progress import Progress, choose_progress
from phasewise.mpi.ranks import AgreedError, collectively, on_rank_zero
from phasewise.mpi.signals import Interrupts
from phasewise.output import message
from phasewise.runs.checkpoint import former_keys
from phasewise.runs.folder import RunFolder
from phasewise.runs.layout import check_schedule
from phasewise.runs.recording import RunRecorder
from phasewise.runs.results import Results
from phasewise.runs.run_options import RunOptions
from phasewise.runs.simulation import Simulation
from phasewise.runs.tuner import AutoTuner
from phasewise.scratch import TemporaryFolder, temporary_folder
from phasewise.study import Study


def run_here(study: Study, options: RunOptions) -> Results:
    """Run `study` in all ranks of this process's run together. A process grid that is "auto" is the
    core's default.
    """
    core = options.core or load_core()
    with ExitStack() as stack:
        interrupts = stack.enter_context(Interrupts())
        shown = _shown(options.progress, study.workload.unit.one, core.rank())
        stack.callback(shown.close)
        work = stack.enter_context(Work(study, options, core))
        _loop(work, interrupts, shown, options.callback)
        work.recording.finish()
    core.barrier()
    return work.results()


class AgreedStopError(AgreedError, StoppedError):
    """A signal asked the run to stop, as all ranks know."""


class Work(AbstractContextManager["Work"]):
    """A run in its folder, which stays locked until this context is left; collective."""

    def __init__(self, study: Study, options: RunOptions, core: Core) -> None:
        """The run before its first turn, or where a resumed one goes on."""
        resume, source = options.resume, options.source
        collectively(core, lambda: check_schedule(study))
        collectively(core, lambda: study.check_ranks(core.size()))
        self._keep, self._folder = _choose_folder(core, options.out)
        with ExitStack() as stack:
            on_rank_zero(core, lambda: self._folder.prepare(study, source, resume))
            if core.rank() == 0:
                stack.callback(self._folder.release)
            if resume:
                study = _as_begun(study, self._folder, core)
            self.simulation = Simulation(study, options.threads, core, options.events)
            self.recording = RunRecorder(self.simulation, self._folder, core, resume)
            stack.callback(self.recording.abandon)
            if resume:
                on_rank_zero(core, lambda: self._folder.keep_study(study, source))
            self.tuner = AutoTuner(self.simulation, self._folder, core, resume)
            self._closed = stack.pop_all()

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unlock the folder; a run that has not ended is abandoned."""
        self._closed.close()

    @property
    def left(self) -> bool:
        """Whether there are turns left."""
        return not self.simulation.ended

    def stop(self) -> AgreedStopError:
        """Write a checkpoint after a signal, and end the records; returns the error that says
        so.
        """
        if self._keep is None:
            self.recording.checkpoint()
        self.tuner.close()
        self.recording.finish(complete=False)
        sentence = _stopped(self.simulation, self._keep is None)
        return AgreedStopError(sentence, StoppedError.exit_status)

    def results(self) -> Results:
        """The results of the run, which has ended."""
        return Results(self._folder.path, self._keep)


def _shown(progress: Progress | bool | None, unit: str, rank: int) -> Progress:
    """What this rank reports its progress to."""
    if isinstance(progress, bool) or progress is None:
        return choose_progress(quiet=not progress or rank > 0, unit=unit)
    return progress


def _as_begun(study: Study, folder: RunFolder, core: Core) -> Study:
    """The study with the keys as the version meant them that began the run; collective."""
    former = on_rank_zero(core, lambda: former_keys(folder.checkpoints, study))
    keys = json.loads(core.broadcast(json.dumps(former or {}).encode()))
    if keys and core.rank() == 0:
        told = ", ".join(f'{key} = "{value}"' for key, value in keys.items())
        message(f"phasewise: an earlier version began this run, which goes on with {told}")
    return study.replace(**keys) if keys else study


def _choose_folder(core: Core, out: str | Path | None) -> tuple[TemporaryFolder | None, RunFolder]:
    """The folder, and the object that deletes it if it is temporary."""
    if out is not None:
        return None, RunFolder(Path(out))
    keep = temporary_folder() if core.rank() == 0 else None
    path = core.broadcast(b"" if keep is None else keep.name.encode()).decode()
    return keep, RunFolder(Path(path))


def _loop(
    work: Work,
    interrupts: Interrupts,
    progress: Progress,
    callback: Callable[[Simulation], None] | None,
) -> None:
    simulation, recording = work.simulation, work.recording
    progress.update(simulation.turn, recording.count, "")
    while work.left:
        work.tuner.step()
        recording.turn_done()
        if callback is not None:
            callback(simulation)
        progress.update(simulation.turn, recording.count, recording.detail)
        stop = recording.agree(interrupts.requested)
        if stop and work.left:
            progress.close()
            raise work.stop()


def _stopped(simulation: Simulation, resumable: bool) -> str:
    study = simulation.study
    one = study.workload.unit.one
    sentence = f"stopped by a signal after {one} {simulation.turn} of {study.count}"
    if not resumable:
        return sentence
    return f"{sentence}; a checkpoint is written: go on with the same command and --resume"

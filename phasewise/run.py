"""The run loop: turns, records, dumps, checkpoints, progress; and the `run` command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from phasewise.communication_records import RECORD_FILE, Communication, read_communication
from phasewise.driver import Core, launched_size, load_core
from phasewise.errors import RunError, StudyError
from phasewise.interrupts import Interrupts
from phasewise.output import message, print_json
from phasewise.progress import Progress, Silent, choose_progress
from phasewise.ranks import AgreedError, collectively, on_rank_zero, together
from phasewise.recording import Recording
from phasewise.records import check_schedule
from phasewise.results import Results
from phasewise.run_folder import RunFolder
from phasewise.simulation import Simulation
from phasewise.study import Study, load
from phasewise.study.process_grid import check_process_grid
from phasewise.tuning.auto import AutoTuner, read_tuning, show_tuning, tuning_summary


def run(
    study: Study,
    out: str | Path | None = None,
    threads: int = 1,
    resume: bool = False,
    callback: Callable[[Simulation], None] | None = None,
    progress: Progress | None = None,
    source: Path | None = None,
    core: Core | None = None,
    events: int = 0,
) -> Results:
    """Run `study` in this process, or, under mpiexec, in all ranks together; its results.

    out: folder for records and checkpoints, by default one that goes away with the results.
    resume: go on from the last checkpoint in `out`, bit-exactly, on any number of ranks.
    callback: called on every rank after each turn with the simulation.
    source: the study's file, of which `out` keeps a copy.
    events: of the time line that each rank keeps at most; 0: it keeps none.

    RunError where the run fails, or is stopped by a signal (it writes a checkpoint first);
    StudyError where the study cannot be run, or the checkpoint belongs to another one.
    """
    if resume and out is None:
        raise StudyError("resume needs the folder of the run to go on with: give out")
    core = core or load_core()
    collectively(core, lambda: check_schedule(study))
    collectively(core, lambda: check_process_grid(study, core.size()))
    keep, folder = _choose_folder(core, out)
    with ExitStack() as stack:
        on_rank_zero(core, lambda: folder.prepare(study, source, resume))
        if core.rank() == 0:
            stack.callback(folder.release)
        interrupts = stack.enter_context(Interrupts())
        progress = progress or Silent()
        stack.callback(progress.close)
        simulation = Simulation(study, threads, core, events)
        recording = Recording(simulation, folder, core, resume)
        stack.callback(recording.abandon)
        if resume:
            on_rank_zero(core, lambda: folder.keep_study(study, source))
        tuner = AutoTuner(simulation, folder, core, resume)
        _loop(tuner, recording, interrupts, progress, callback, keep is None)
        recording.finish()
    core.barrier()
    return Results(folder.path, keep)


def _choose_folder(
    core: Core, out: str | Path | None
) -> tuple[TemporaryDirectory[str] | None, RunFolder]:
    """The folder, and its guard where it is a temporary one."""
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
    progress.update(simulation.turn, study.turns, "")
    while simulation.turn < study.turns:
        tuner.step()
        recording.turn_done()
        if callback is not None:
            callback(simulation)
        progress.update(simulation.turn, study.turns, recording.detail)
        stop = recording.agree(interrupts.requested)
        if stop and simulation.turn < study.turns:
            progress.close()
            if resumable:
                recording.checkpoint()
            tuner.close()
            recording.finish(complete=False)
            raise AgreedError(_stopped(simulation, resumable), 1)


def _stopped(simulation: Simulation, resumable: bool) -> str:
    sentence = f"stopped by a signal after turn {simulation.turn} of {simulation.study.turns}"
    if not resumable:
        return sentence
    return f"{sentence}; a checkpoint is written: go on with the same command and --resume"


def main(options: argparse.Namespace) -> int:
    """`phasewise run`: here, in ranks that it starts, or as one of the ranks; the exit status."""
    launched = launched_size()
    if options.ranks is not None and launched == 0:
        from phasewise.launch import run_words, start

        study = load(options.study, options.set)
        check_schedule(study)
        check_process_grid(study, options.ranks)
        status = start(
            run_words(options), options.ranks, options.threads, options.quiet, options.json
        )
        if status:
            RunFolder(_folder_of(options)).tidy()
        return status
    if options.ranks is not None and options.ranks != launched:
        raise StudyError(
            f"--ranks {options.ranks} was given, but mpiexec has started {launched} ranks already; "
            "leave --ranks out"
        )
    core = load_core()
    return together(core, lambda: _run_here(options, core), options.json)


def _run_here(options: argparse.Namespace, core: Core) -> int:
    from phasewise.summary import warnings_of

    study = collectively(core, lambda: load(options.study, options.set))
    talks = core.rank() == 0
    progress = choose_progress(options.quiet) if talks else Silent()
    for sentence in warnings_of(study) if talks else ():
        message(f"warning: {sentence}")
    out, source = _folder_of(options), Path(options.study)
    try:
        results = run(
            study,
            out,
            options.threads,
            options.resume,
            progress=progress,
            source=source,
            core=core,
            events=options.events,
        )
    except MemoryError:
        raise RunError("there is not enough memory for this study") from None
    if talks:
        _show(results, options)
    core.barrier()
    return 0


def _folder_of(options: argparse.Namespace) -> Path:
    return Path(options.out or Path("runs") / default_name(Path(options.study)))


def default_name(study: Path) -> str:
    """Name of a run's folder: the study's, or its folder's where it is called study.toml."""
    return study.resolve().parent.name if study.stem == "study" else study.stem


def _show(results: Results, options: argparse.Namespace) -> None:
    from phasewise.communication import show_communication
    from phasewise.summary import finite, show_summary, summarise

    record = _communication_of(results)
    folder = RunFolder(results.folder)
    summary: dict[str, Any] = finite(summarise(results, record))
    tuned = results.study.get("communication", {}).get("tune") == "auto"
    if tuning := read_tuning(folder) if tuned else None:
        summary["tuning"] = tuning_summary(tuning)
    folder.write_json("summary.json", summary)
    if options.json:
        print_json(summary)
    elif not options.quiet:
        show_summary(summary)
        if record is not None and record.ranks > 1:
            show_communication(record)
        if tuning:
            show_tuning(tuning)
        sys.stdout.flush()
        message(f"records are in {results.folder}")


def _communication_of(results: Results) -> Communication | None:
    """What was recorded of the communication; None where the run that had ended kept nothing."""
    if not (results.folder / RECORD_FILE).exists():
        return None
    return read_communication(results.folder)

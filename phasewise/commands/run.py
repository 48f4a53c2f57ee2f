"""``phasewise run``: here, in ranks that it starts, or as one of the ranks."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from phasewise.driver import Core, launched_size, load_core
from phasewise.errors import RunError, StudyError
from phasewise.mpi.launch import start
from phasewise.mpi.progress import Silent, choose_progress
from phasewise.mpi.ranks import collectively, together
from phasewise.options import (
    Parser,
    add_device,
    add_json,
    add_machine,
    add_processors,
    add_study,
    count,
    device_override,
    machine_override,
)
from phasewise.output import message, print_json
from phasewise.runs.folder import RunFolder, default_name
from phasewise.runs.layout import check_schedule
from phasewise.runs.results import Results
from phasewise.runs.summary import show_summary
from phasewise.runs.tuning_file import show_tuning
from phasewise.study import Study, load
from phasewise.study.replaying import recorded_ranks, remarks_on
from phasewise.traces.kept_summary import keep_summary
from phasewise.traces.summary import show_communication
from phasewise.tuning.running import run
from phasewise.workload.discovery import workload_of


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the summary as JSON")
    add_study(parser)
    add_processors(parser)
    add_machine(parser)
    add_device(parser)
    parser.add_argument("--out", metavar="DIR", help="folder for records (runs/<study> by default)")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    parser.add_argument("--quiet", action="store_true", help="no progress, no table")
    parser.add_argument(
        "--events", type=count, default=0, metavar="N", help="time line: events kept by each rank"
    )


def main(options: argparse.Namespace) -> int:
    """Run the study here, in ranks that this process starts, or as one of the ranks; return the
    exit status.
    """
    launched = launched_size()
    if options.ranks is None and launched == 0:
        options.ranks = recorded_ranks(_study(options))
    if options.ranks is not None and launched == 0:
        study = _study(options)
        check_schedule(study)
        study.check_ranks(options.ranks)
        study.parameters()  # files that this makes are there for all ranks
        status = start(
            run_argv(options),
            options.ranks,
            options.threads,
            options.quiet,
            options.json,
            study.workload.unit.one,
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


def run_argv(options: argparse.Namespace) -> list[str]:
    """The arguments of this command, without --ranks."""
    command = ["run", options.study, "--threads", str(options.threads)]
    for override in options.set:
        command += ["--set", override]
    if options.machine is not None:
        command += ["--machine", options.machine]
    if options.device is not None:
        command += ["--device", options.device]
    if options.out:
        command += ["--out", str(options.out)]
    if options.events:
        command += ["--events", str(options.events)]
    flags = ("resume", "json", "quiet")
    return command + [f"--{flag}" for flag in flags if getattr(options, flag)]


def _study(options: argparse.Namespace) -> Study:
    return load(
        options.study, [*options.set, *machine_override(options), *device_override(options)]
    )


def _run_here(options: argparse.Namespace, core: Core) -> int:
    study = collectively(core, lambda: _study(options))
    is_root = core.rank() == 0
    unit = study.workload.unit.one
    progress = choose_progress(options.quiet, unit) if is_root else Silent()
    for sentence in (*study.derive().warnings, *remarks_on(study)) if is_root else ():
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
    if is_root:
        _show(results, options)
    core.barrier()
    return 0


def _folder_of(options: argparse.Namespace) -> Path:
    """Where the records go: by default not where a program was recorded."""
    given = Path(options.study)
    name = f"{given.resolve().name}-replayed" if given.is_dir() else default_name(given)
    return Path(options.out or Path("runs") / name)


def _show(results: Results, options: argparse.Namespace) -> None:
    kept = keep_summary(results)
    record = kept.record
    if options.json:
        print_json(kept.summary)
    elif not options.quiet:
        show_summary(kept.summary, results.study)
        if record is not None and record.ranks > 1:
            show_communication(record)
        if kept.tuning:
            show_tuning(kept.tuning, workload_of(results.study).unit)
        sys.stdout.flush()
        message(f"records are in {results.folder}")
    core_share = None if record is None else record.core_share
    if core_share is not None and core_share.disturbed and not options.quiet:
        message(core_share.sentence)

"""``phasewise record``: any MPI program, run as it is, with its communication recorded."""

from __future__ import annotations

import argparse
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from phasewise.driver import launched_size
from phasewise.errors import PhasewiseError, RunError, StudyError
from phasewise.options import Parser, add_json
from phasewise.output import describe, message, print_json
from phasewise.recorder.faults import why_nothing
from phasewise.recorder.launching import libraries_for, prepare, run, starts_ranks, taken_along
from phasewise.recorder.phases import PHASES, Sites, phases_of, write_communication
from phasewise.recorder.recording import Recording, read_recording
from phasewise.recorder.summary import Site, banner, site_table, summary_of
from phasewise.runs.disk import disk_reason
from phasewise.runs.folder import RECORDING_FILE, TRACE_FOLDER, RunFolder

MEGABYTE = 10**6


def limit(text: str) -> float:
    """The most megabytes of a rank's trace, a positive number."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of MB from above 0 to 1000000")
    return number


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    parser.otherwise = "; the command, with its own options, comes after --"
    add_json(parser, "print the summary as JSON; the program's output goes to standard error")
    parser.add_argument(
        "--out", metavar="DIR", help="folder of the record (runs/<program> by default)"
    )
    parser.add_argument(
        "--phases",
        choices=PHASES,
        default="function",
        help="what makes a phase of communication.json (default: the program's function)",
    )
    parser.add_argument(
        "--limit",
        type=limit,
        default=64.0,
        metavar="MB",
        help="the most that the trace of a rank may take (default 64); statistics go on beyond it",
    )
    parser.add_argument("--quiet", action="store_true", help="no banner")
    parser.add_argument(
        "program",
        nargs=argparse.REMAINDER,
        metavar="-- COMMAND",
        help="the command that starts the program, such as mpiexec -n 8 ./a.out",
    )


def main(options: argparse.Namespace) -> int:
    """Run and record ``options.program``; its exit status."""
    command = options.program[1:] if options.program[:1] == ["--"] else options.program
    if launched_size() > 1:
        raise StudyError(
            "phasewise record was itself started in several ranks: put it before the launcher, "
            "as in: phasewise record -- mpiexec -n 8 ./a"
        )
    if not command:
        raise StudyError("give the command after --, as in: phasewise record -- mpiexec -n 8 ./a")
    if shutil.which(command[0]) is None:
        raise StudyError(f"there is no command {command[0]}: give one after --, such as mpiexec")
    folder = RunFolder(Path(options.out or Path("runs") / name_of(command)))
    folder.claim()
    try:
        return _recorded(folder.path, command, options)
    finally:
        folder.release()


def name_of(command: Sequence[str]) -> str:
    """The name of the program that a launcher starts: its first word that can be run."""
    words = command[1:] if starts_ranks(command[0]) else command
    programs = (word for word in words if not word.startswith("-") and shutil.which(word))
    name = Path(next(programs, command[0])).name
    return re.sub(r"[^\w.+-]", "_", name) or "record"


def _recorded(folder: Path, command: Sequence[str], options: argparse.Namespace) -> int:
    """Run the command recorded, or as it is if it cannot be recorded."""
    trace = folder / TRACE_FOLDER
    try:
        libraries = libraries_for(command)
        environment = prepare(trace, libraries, round(options.limit * MEGABYTE), command)
    except PhasewiseError as error:
        return _unrecorded(command, str(error), options)
    except OSError as error:
        why = f"the folder {trace} cannot be used ({disk_reason(error)})"
        return _unrecorded(command, why, options)
    status = run(command, taken_along(environment, command), options.json)
    try:
        recording = read_recording(folder)
        if not recording.files:
            raise RunError(why_nothing(recording, command, libraries, status))
        _tell(recording, status, options)
    except OSError as error:
        _say_nothing(f"the record in {folder} is not whole ({disk_reason(error)})", status, options)
    except PhasewiseError as error:
        _say_nothing(str(error), status, options)
    except Exception as error:
        # The program has ended as it did, whatever its record is worth.
        _say_nothing(f"the record in {folder} cannot be read ({describe(error)})", status, options)
    return status


def _unrecorded(command: Sequence[str], why: str, options: argparse.Namespace) -> int:
    message(f"phasewise: nothing is recorded: {why}")
    status = run(command, os.environ, options.json)
    if options.json:
        print_json({"error": why, "status": status})
    return status


def _say_nothing(why: str, status: int, options: argparse.Namespace) -> None:
    message(f"phasewise: {why}")
    if options.json:
        print_json({"error": why, "status": status})


def _tell(recording: Recording, status: int, options: argparse.Namespace) -> None:
    sites = Sites(recording.files)
    waiting = recording.waiting() if recording.whole else None
    phases = phases_of(recording, sites, options.phases, waiting)
    write_communication(recording, phases, waiting is not None)
    table: list[Site] = site_table(recording, sites, waiting)
    summary: dict[str, Any] = summary_of(recording, status, table)
    RunFolder(recording.folder).write_json(RECORDING_FILE, summary)
    if options.json:
        print_json(summary)
    elif not options.quiet:
        for line in banner(recording, summary, table):
            message(line)

"""``phasewise trace``: the time line of a run for Perfetto."""

from __future__ import annotations

import argparse
from pathlib import Path

from phasewise.errors import StudyError
from phasewise.options import Parser, add_json
from phasewise.output import message, print_json
from phasewise.recorder.analysis import Analysis, is_recorded
from phasewise.recorder.goal import left_out, write_goal
from phasewise.recorder.otf2_archive import write_otf2
from phasewise.recorder.time_line import RecordedEvents
from phasewise.traces.chrome import Trace, write_chrome, write_events
from phasewise.traces.records import read_communication

EXPORTS = {"otf2": write_otf2, "goal": write_goal}


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print what was written as JSON")
    parser.add_argument(
        "directory", metavar="DIR", help="folder of a run with --events, or of a recorded program"
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--chrome", metavar="FILE", help="the file, Chrome trace events in JSON")
    which.add_argument(
        "--export",
        choices=EXPORTS,
        help="of a recorded program: an archive of OTF2, or the text that LogGOPSim reads",
    )
    parser.add_argument(
        "-o", "--output", metavar="PATH", help="where --export writes (DIR/otf2 or DIR/trace.goal)"
    )


def main(options: argparse.Namespace) -> int:
    """Write the trace of the run in ``options.directory`` and return the exit status."""
    if options.export:
        return _export(options)
    if options.output is not None:
        raise StudyError("-o is for --export: --chrome names its own file")
    trace = _chrome(options.directory, options.chrome)
    if options.json:
        print_json(
            {
                "trace": str(trace.path),
                "events": trace.events,
                "flows": trace.flows,
                "dropped": trace.dropped,
            }
        )
        return 0
    message(f"trace: {trace.path}: {trace.events} events, {trace.flows} messages with both ends")
    if trace.dropped:
        message(
            f"warning: {trace.dropped} events did not fit into the ranks' memory and are "
            "not shown; run it again with a larger --events"
        )
    return 0


def _chrome(directory: str, path: str) -> Trace:
    if not is_recorded(directory):
        return write_chrome(directory, path)
    found = Analysis(directory)
    for sentence in _cut_off(found):
        message(f"warning: {sentence}")
    events = RecordedEvents(found.recording, found.activity)
    return write_events(read_communication(directory), events, path)


def _export(options: argparse.Namespace) -> int:
    if not is_recorded(options.directory):
        raise StudyError(
            f"{options.directory} holds no recorded program: --export is for folders of phasewise "
            "record; give --chrome for a run"
        )
    name = "otf2" if options.export == "otf2" else "trace.goal"
    path = Path(options.output or Path(options.directory) / name)
    found = Analysis(options.directory)
    counts = EXPORTS[options.export](found, path)
    missing = [*_cut_off(found), *(left_out(found.recording) if options.export == "goal" else ())]
    if options.json:
        print_json({"trace": str(path), **counts, "missing": missing})
        return 0
    message(f"trace: {path}: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    for sentence in missing:
        message(f"warning: {sentence}")
    return 0


def _cut_off(found: Analysis) -> list[str]:
    """Sentences on what the record itself lacks."""
    sentences, until = found.recording.not_recorded(), found.recording.traced_until
    if until is not None:
        sentences.append(f"what came after the first {until:.3g} s is not in every rank's trace")
    return sentences

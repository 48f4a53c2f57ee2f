"""``phasewise trace``: the time line of a run for Perfetto."""

from __future__ import annotations

import argparse

from phasewise.options import Parser, add_json
from phasewise.output import message, print_json
from phasewise.traces.chrome import write_chrome


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print what was written as JSON")
    parser.add_argument("directory", metavar="DIR", help="folder of a run with --events")
    parser.add_argument(
        "--chrome", metavar="FILE", required=True, help="the file, Chrome trace events in JSON"
    )


def main(options: argparse.Namespace) -> int:
    """Write the trace of the run in ``options.directory`` and return the exit status."""
    trace = write_chrome(options.directory, options.chrome)
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

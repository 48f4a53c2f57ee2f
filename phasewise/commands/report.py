"""``phasewise report``: one self-contained HTML file from a run or a scan."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phasewise.errors import StudyError
from phasewise.mpi.working import working
from phasewise.options import Parser, add_json, add_noise, add_progress
from phasewise.output import captured, message, print_json
from phasewise.recorder.analysis import Analysis, is_recorded
from phasewise.scanning.read_again import is_scan, read_scan
from phasewise.traces.excerpt import Bounds, Excerpt, bounds
from phasewise.traces.timeline import INNERMOST

if TYPE_CHECKING:
    from phasewise.report.contents import Report


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the report's figures as JSON")
    parser.add_argument(
        "directory", metavar="DIR", help="folder of the run, of a scan, or of a recorded program"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the HTML file (DIR/report.html by default)"
    )
    parser.add_argument(
        "--compare",
        action="extend",
        nargs="+",
        default=[],
        metavar="DIR2",
        help="folders of runs whose communication is shown beside this one's",
    )
    parser.add_argument(
        "--machine",
        metavar="M",
        help="machine file whose [device] gives the roof of a run on a device (by default the "
        "roof is measured here)",
    )
    add_noise(parser)
    add_progress(parser)
    add_excerpt(parser)


def add_excerpt(parser: Parser) -> None:
    """The options that choose what the pictures in time show."""
    parser.add_argument(
        "--beside",
        metavar="DIR2",
        help="folder of a run that the pictures in time show on the same axis",
    )
    parser.add_argument(
        "--time",
        type=stretch,
        metavar="A:B",
        help="show the time from A to B s after the first event (a turn in the middle by default)",
    )
    parser.add_argument(
        "--ranks", type=some_ranks, metavar="I:J", help="show the ranks I to J (all by default)"
    )
    parser.add_argument(
        "--tasks",
        default=INNERMOST,
        metavar="LEVEL",
        help="innermost (the default), outermost or declared tasks, or those within one task",
    )


def stretch(text: str) -> Bounds:
    """A stretch of time: 0.1:0.2, 0.1: or :0.2."""
    try:
        return bounds(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no stretch of time such as 0.1:0.2, in s"
        ) from None


def some_ranks(text: str) -> tuple[int | None, int | None]:
    """Ranks, the first and the last: 0:7, 4: or :7."""
    first, colon, last = (word.strip() for word in text.partition(":"))
    if not colon or any(word and not word.isdecimal() for word in (first, last)):
        raise argparse.ArgumentTypeError(f"{text!r} is no range of ranks such as 0:7")
    return (int(first) if first else None), (int(last) if last else None)


def main(arguments: argparse.Namespace) -> int:
    """Make the report of the folder ``arguments.directory`` and return the exit status."""
    if is_scan(Path(arguments.directory)):
        return _report_scan(arguments)
    analysis: Analysis | None = None
    more: dict[str, Any] = {}
    with working(arguments.progress):
        if is_recorded(arguments.directory):
            analysis = Analysis(arguments.directory)
        report = _made(arguments, analysis)
        if analysis and arguments.json:
            more = analysis.to_dict()
    if arguments.json:
        print_json(
            {
                "report": str(report.path),
                "figures": [
                    {
                        "name": figure.name,
                        "title": figure.title,
                        "shown": figure.svg is not None,
                        "picture": None if figure.picture is None else str(figure.picture),
                        "film": None if figure.film_file is None else str(figure.film_file),
                        "caption": figure.caption,
                    }
                    for figure in report.figures
                ],
                "warnings": list(report.warnings),
                "efficiency": report.efficiency,
                "utilisation": report.utilisation,
                "roofline": report.roofline.bounds,
                **more,
            }
        )
    else:
        message(f"report: {report.path}; pictures: {report.pictures}")
        for warning in report.warnings:
            message(f"warning: {warning}")
    return 0


def _made(arguments: argparse.Namespace, analysis: Analysis | None) -> Report:
    """The report of a run, or of a recorded program, which has an analysis."""
    excerpt = Excerpt(arguments.time, arguments.ranks, arguments.tasks)
    given = (arguments.directory, arguments.output, arguments.compare, excerpt, arguments.beside)
    if analysis is None:
        from phasewise.report.contents import make_report

        return make_report(*given, arguments.machine, arguments.noise)
    from phasewise.report.recorded import make_recorded_report

    for name, value in (("--machine", arguments.machine), ("--noise", arguments.noise)):
        if value:
            raise StudyError(
                f"{name} is for the report of a study's run, and {arguments.directory} holds a "
                "recorded program: leave it out"
            )
    return make_recorded_report(*given, analysis)


def _report_scan(arguments: argparse.Namespace) -> int:
    """Make the page of a scan's folder and return the exit status."""
    from phasewise.answers.scanned import scanned_answer
    from phasewise.report.answer import write_answer
    from phasewise.scanning.telling import show_results

    given = (
        ("--compare", arguments.compare),
        ("--beside", arguments.beside),
        ("--time", arguments.time),
        ("--ranks", arguments.ranks),
        ("--machine", arguments.machine),
        ("--noise", arguments.noise),
        ("--tasks", arguments.tasks != INNERMOST),
    )
    for name, value in given:
        if value:
            raise StudyError(
                f"{name} is for the report of a run, and {arguments.directory} is the folder of a "
                "scan: leave it out, or give the folder of one of its points"
            )
    results = read_scan(arguments.directory)
    path = Path(arguments.output or Path(arguments.directory) / "report.html")
    answer = scanned_answer(
        results, [], captured(lambda: show_results(results, [])), arguments.argv
    )
    write_answer(answer, path)
    if arguments.json:
        print_json({"report": str(path), **results.to_dict()})
    else:
        message(f"report: {path}")
    return 0

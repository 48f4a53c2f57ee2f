"""``phasewise report``: one self-contained HTML file from a run."""

from __future__ import annotations

import argparse

from phasewise.options import Parser, add_json
from phasewise.output import message, print_json


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the report's figures as JSON")
    parser.add_argument("directory", metavar="DIR", help="folder of the run")
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


def main(arguments: argparse.Namespace) -> int:
    """Make the report of the folder ``arguments.directory``; the exit status."""
    from phasewise.report.contents import make_report

    report = make_report(arguments.directory, arguments.output, arguments.compare)
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
                        "caption": figure.caption,
                    }
                    for figure in report.figures
                ],
                "warnings": list(report.warnings),
            }
        )
    else:
        message(f"report: {report.path}; pictures: {report.pictures}")
        for warning in report.warnings:
            message(f"warning: {warning}")
    return 0

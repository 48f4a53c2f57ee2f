"""``phasewise report``: a run's folder as one self-contained HTML file, and its pictures as PNG."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from phasewise.output import message, print_json


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


def build(
    directory: str | Path, output: str | Path | None = None, compare: Sequence[str | Path] = ()
) -> Path:
    """Make the report of a run's folder; the HTML file, DIR/report.html unless `output` says.

    The communication of the runs in the folders `compare` is shown beside this one's. The pictures
    go as PNG into the folder pictures beside the file. StudyError where the folder is no run's,
    RunError where its records cannot be read or the report cannot be written.
    """
    from phasewise.report.contents import make_report

    return make_report(directory, output, compare).path


__all__ = ["build", "main"]

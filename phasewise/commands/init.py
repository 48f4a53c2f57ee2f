"""``phasewise init``: writes a commented study of a workload to begin with."""

from __future__ import annotations

import argparse
from pathlib import Path

from phasewise.errors import RunError, StudyError
from phasewise.options import Parser, add_json
from phasewise.output import console, print_json
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.tables.keys import nearest
from phasewise.workload.discovery import workload_of
from phasewise.workload.starters import RING, starters

STUDY = "study.toml"


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the name of the file as JSON")
    usual = workload_of({}).name
    parser.add_argument(
        "workload",
        nargs="?",
        default=usual,
        metavar="WORKLOAD",
        help=f"{', '.join(starters())} (default {usual}); {RING}: two workloads in one ring",
    )
    parser.add_argument(
        "--out", default=".", metavar="DIR", help="the folder of the study (default: this one)"
    )


def main(options: argparse.Namespace) -> int:
    """Write the study, and return the exit status."""
    known = starters()
    if options.workload not in known:
        raise StudyError(
            f'there is no workload "{options.workload}" to begin with'
            f"{nearest(options.workload, known)}; give one of {', '.join(known)}"
        )
    path = Path(options.out) / STUDY
    try:
        if path.exists():
            raise StudyError(f"{path} is there already: give another folder with --out")
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(path, known[options.workload].read_text(encoding="utf-8"))
    except OSError as error:
        raise RunError(f"{path} cannot be written ({disk_reason(error)})") from error
    if options.json:
        print_json({"file": str(path), "workload": options.workload})
    else:
        console().print(
            f"wrote {path}, a study to change; begin with\n"
            f"  phasewise check {path}\n"
            f"  phasewise run {path} --out {path.parent / 'out'}\n"
            f"  phasewise report {path.parent / 'out'}",
            soft_wrap=True,
            highlight=False,
        )
    return 0

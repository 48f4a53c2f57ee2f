"""``phasewise gauge``: checks files of gauge fields, and converts them between formats."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.options import Parser, add_json
from phasewise.output import message, print_json, print_table
from phasewise.workloads.qcd.gauge.files import (
    FORMATS,
    checked_links,
    open_links,
)
from phasewise.workloads.qcd.gauge.names import PRECISIONS as PRECISIONS_OF
from phasewise.workloads.qcd.gauge.names import form_of
from phasewise.workloads.qcd.gauge.stored import PRECISIONS
from phasewise.workloads.qcd.gauge.writing import write_links

ACTIONS = {"check": 1, "convert": 2}
"""Number of files that each action takes."""


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print what was found as JSON")
    parser.add_argument("action", choices=list(ACTIONS), help="what to do")
    parser.add_argument("files", nargs="+", metavar="FILE", help="check FILE, or convert IN OUT")
    parser.add_argument(
        "--format", choices=list(FORMATS), help="format of the file that is written"
    )
    parser.add_argument(
        "--precision",
        choices=list(PRECISIONS),
        help="precision of the file that is written (by default that of IN; single for MILC files)",
    )
    parser.add_argument(
        "--rows", type=int, choices=(2, 3), help="rows of each link that are written (3 by default)"
    )
    parser.add_argument(
        "--byte-order",
        choices=("big", "little"),
        help="byte order of the file that is written (big by default)",
    )


def main(options: argparse.Namespace) -> int:
    """Check or convert files, and return the exit status."""
    wanted = ACTIONS[options.action]
    if len(options.files) != wanted:
        raise StudyError(
            f"gauge {options.action} takes {'one file' if wanted == 1 else 'two files'}, "
            f"not {len(options.files)}"
        )
    if options.action == "check":
        _refuse_form(options)
    elif options.format is None:
        raise StudyError(f"gauge convert needs --format: {', '.join(FORMATS)}")
    source = Path(options.files[0])
    links, found = checked_links(open_links(source))
    if options.action == "convert":
        found = _converted(options, links, found)
    if options.json:
        print_json(found)
    else:
        show(found)
    return 0


def _refuse_form(options: argparse.Namespace) -> None:
    for name in ("format", "precision", "rows", "byte_order"):
        if getattr(options, name) is not None:
            raise StudyError(
                f"gauge check takes no --{name.replace('_', '-')}, which says what gauge convert "
                "writes: a file that is checked says itself what it is"
            )


def _converted(options: argparse.Namespace, links: Any, found: dict[str, Any]) -> dict[str, Any]:
    source, target = map(Path, options.files)
    if target.exists() and target.samefile(source):
        raise StudyError(f"{target} is the file that is read; name another one to write")
    precision = options.precision
    if precision is None and found["precision"] in PRECISIONS_OF[options.format]:
        precision = found["precision"]
    form = form_of(options.format, precision, options.rows, options.byte_order)
    x, y, z, t = found["size"]
    stored = write_links(target, form, (x, y, z, t), links, found)
    message(f"wrote {target}")
    return checked_links(stored)[1]


def show(found: dict[str, Any]) -> None:
    """Print what was found as a table."""
    rows = [
        ["format", f"{found['format']}, {found['precision']} precision"],
        ["size", "×".join(map(str, found["size"]))],
        ["plaquette", f"{found['plaquette']:.10f}"],
        ["in space, and time", f"{found['plaquette_space']:.10f}, {found['plaquette_time']:.10f}"],
        ["rectangle", f"{found['rectangle']:.10f}"],
        ["link trace", f"{found['link_trace']:.10f}"],
        ["unitary to", f"{found['unitarity']:.2g}"],
        *(
            [f"Polyakov loop along {axis}", f"{re:.10f}, {im:.10f}"]
            for axis, (re, im) in zip("xyzt", found["polyakov"], strict=True)
        ),
        *([name, value] for name, value in found["checksums"].items()),
    ]
    print_table("gauge field", ["", ""], rows)

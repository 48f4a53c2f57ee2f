"""``phasewise gauge``: checks files of gauge fields, and converts them between formats."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.options import Parser, add_json
from phasewise.output import message, print_json, print_table
from phasewise.runs.disk import is_special
from phasewise.workloads.qcd.gauge.files import check_links, open_links, remarks
from phasewise.workloads.qcd.gauge.names import PRECISIONS as PRECISIONS_OF
from phasewise.workloads.qcd.gauge.names import form_of
from phasewise.workloads.qcd.gauge.reading import FORMATS
from phasewise.workloads.qcd.gauge.stored import PRECISIONS, Stored, check_size
from phasewise.workloads.qcd.gauge.writing import FileSlices, write_links
from phasewise.workloads.qcd.grids import Extents

ACTIONS = {"check": 1, "convert": 2}
"""Number of files that each action takes."""


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print what was found as JSON")
    parser.add_argument("action", choices=list(ACTIONS), help="what to do")
    parser.add_argument("files", nargs="+", metavar="FILE", help="check FILE, or convert IN OUT")
    parser.add_argument(
        "--size", metavar="XxYxZxT", help="the lattice's size, where FILE does not give it"
    )
    parser.add_argument(
        "--trust", action="store_true", help="read FILE even if its checksums are not its links'"
    )
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
    stored = _opened(Path(options.files[0]), options.size)
    found = check_links(stored, options.trust)
    if options.action == "convert":
        found = _converted(options, stored)
    if options.json:
        print_json(found)
    else:
        show(found)
    return 0


def _opened(path: Path, given: str | None) -> Stored:
    """The file, with a message on what it does not say; StudyError if it has another size than is
    given.
    """
    size = None if given is None else _size(path, given)
    stored = open_links(path, size)
    if size is not None and stored.size != size:
        own = "x".join(map(str, stored.size))
        raise StudyError(f"--size {given} is not the size of {path}, which is {own}")
    for sentence in remarks(stored):
        message(f"phasewise: {sentence}")
    return stored


def _size(path: Path, given: str) -> Extents:
    if not re.fullmatch(r"[0-9]{1,9}(x[0-9]{1,9}){3}", given, re.ASCII):
        raise StudyError(f'--size "{given}" is not four extents, such as 16x16x16x32')
    return check_size(path, tuple(map(int, given.split("x"))))


def _refuse_form(options: argparse.Namespace) -> None:
    for name in ("format", "precision", "rows", "byte_order"):
        if getattr(options, name) is not None:
            raise StudyError(
                f"gauge check takes no --{name.replace('_', '-')}, which says what gauge convert "
                "writes: a file that is checked says itself what it is"
            )


def _converted(options: argparse.Namespace, stored: Stored) -> dict[str, Any]:
    source, target = map(Path, options.files)
    if target.exists() and target.samefile(source):
        raise StudyError(f"{target} is the file that is read; name another one to write")
    precision = options.precision
    if precision is None and stored.precision in PRECISIONS_OF[options.format]:
        precision = stored.precision
    form = form_of(options.format, precision, options.rows, options.byte_order)
    write_links(target, form, stored.size, FileSlices(stored))
    message(f"wrote {target}")
    # From a device or a pipe nothing can be read back.
    return check_links(stored if is_special(target) else open_links(target), options.trust)


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
        ["verified", ", ".join(found["verified"]) or "nothing that the file says of its links"],
    ]
    print_table("gauge field", ["", ""], rows)

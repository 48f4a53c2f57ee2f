"""``phasewise loopmarks``: a source file with its loops marked as gcc compiled them."""

from __future__ import annotations

import argparse

from phasewise.loopmarks.listing import as_json, as_text, loopmarks
from phasewise.options import Parser, add_json
from phasewise.output import print_json

LEGEND = (
    "a number: the loop's depth; P run by threads, V4 vectorised in four lanes, u unrolled; "
    "i: a call in this line is inlined"
)


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the marks of each line as JSON")
    parser.add_argument("file", metavar="FILE", help="a source in C, C++ or Fortran")
    parser.add_argument(
        "--compile",
        nargs="?",
        const="",
        metavar="COMMAND",
        help='how to compile it (as phasewise is built, or "gcc -O3 -march=native -fopenmp")',
    )


def main(options: argparse.Namespace) -> int:
    """Print the marks of ``options.file`` and return the exit status."""
    found = loopmarks(options.file, options.compile)
    if options.json:
        print_json(as_json(found))
    else:
        print(as_text(found))
        print(f"{LEGEND}\ncompiled by {found.command}")
    return 0

"""``phasewise twiss``: the optics along a lattice."""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path
from typing import Any

from phasewise.errors import RunError
from phasewise.options import Parser, add_json, add_overrides
from phasewise.output import message, print_json
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.workloads.spacecharge.optics import (
    COLUMNS,
    Optics,
    model_with_lattice,
    names_along,
    optics_of,
    show_optics,
)

Rows = list[list[Any]]
HEADS = ("NAME", "KEYWORD", *COLUMNS)
TFS = ".tfs"
"""The ending of a file for readers of MAD-X's tables."""


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the optics as JSON, with a list for each column of `twiss`")
    parser.add_argument("study", metavar="STUDY|LATTICE", help="a study, or a lattice file")
    parser.add_argument(
        "--csv",
        metavar="FILE",
        help=f"write a row for each element; as a table of MAD-X if FILE ends in {TFS}",
    )
    add_overrides(parser)


def main(options: argparse.Namespace) -> int:
    """Print the optics of ``options.study``, and write their course; the exit status."""
    model = model_with_lattice(options.study, options.set)
    optics = optics_of(model)
    rows: Rows = [
        [*names, *map(float, values)]
        for names, values in zip(names_along(model), optics.along, strict=True)
    ]
    if options.csv is not None:
        path = Path(options.csv)
        try:
            replace_text(path, as_tfs(optics, rows) if path.suffix == TFS else as_csv(rows))
        except OSError as error:
            raise RunError(f"{path} cannot be written: {disk_reason(error)}") from None
        message(f"wrote {path}: {len(rows)} rows")
    if options.json:
        columns = dict(zip(HEADS, map(list, zip(*rows, strict=True)), strict=True))
        print_json({"optics": optics.to_dict(), "twiss": columns})
    else:
        show_optics(model)
    return 0


def as_csv(rows: Rows) -> str:
    """Rows with comma-separated values, under the names of the columns."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADS, *rows])
    return text.getvalue()


def as_tfs(optics: Optics, rows: Rows) -> str:
    """A table in MAD-X's format TFS: parameters, names and types of columns, and rows."""
    given = {
        "LENGTH": rows[-1][2],
        "Q1": optics.tunes[0],
        "Q2": optics.tunes[1],
        "DQ1": optics.chromaticity[0],
        "DQ2": optics.chromaticity[1],
        "ALFA": optics.momentum_compaction,
    }
    kinds = ["%s", "%s", *("%le" for _ in COLUMNS)]
    lines = [
        '@ NAME %05s "TWISS"',
        '@ TYPE %05s "TWISS"',
        *(f"@ {name} %le {value!r}" for name, value in given.items() if value is not None),
        " ".join(["*", *HEADS]),
        " ".join(["$", *kinds]),
        *(
            " ".join(["", *(f'"{v}"' if isinstance(v, str) else repr(v) for v in row)])
            for row in rows
        ),
    ]
    return "\n".join(lines) + "\n"

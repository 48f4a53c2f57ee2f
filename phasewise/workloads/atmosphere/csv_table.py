"""Numbers of a CSV file: a row for each latitude, or a list."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np

from phasewise.driver import Floats
from phasewise.errors import StudyError
from phasewise.output import number_of
from phasewise.tables.keys import show

SEPARATORS = ";\t, "
"""In the order in which they are looked for."""
EMPTY = ("", "nan", "na", "null")
"""Words of cells without a value."""
PAIR = re.compile(r"[-+]?\d+,\d+(e[-+]?\d+)?", re.IGNORECASE)
"""A line of two whole numbers, or of one with a decimal comma."""


def table_in(path: Path, where: str) -> Floats:
    """The numbers of a file, (rows, columns), or those of a single row or column as a list; NaN
    where a cell is empty. A first row of words is left out, and so are lines that begin with `#`.

    StudyError where the file cannot be read, rows have different lengths, or a cell is no number.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise StudyError(f"{where}: {path} cannot be read ({reason})") from None
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    head = []
    if lines and not any(_number(cell) is not None for cell in re.split(r"[;\t, ]+", lines[0][1])):
        head, lines = [lines[0][1]], lines[1:]
    if not lines:
        raise StudyError(f"{where}: {path} has no numbers")
    if all(PAIR.fullmatch(line) for _, line in lines) and not any("," in line for line in head):
        raise StudyError(
            f"{where}: {path} has lines such as {show(lines[0][1])}, which may be two numbers or "
            "one with a decimal comma: write decimals with a point, or separate numbers by "
            "semicolons"
        )
    separator = next((one for one in SEPARATORS if any(one in line for _, line in lines)), ",")
    rows = [(number, _cells(line, separator)) for number, line in lines]
    wide = len(rows[0][1])
    found = np.empty((len(rows), wide))
    for at, (number, cells) in enumerate(rows):
        if len(cells) != wide:
            raise StudyError(
                f"{where}: {path} has {number_of(len(cells), 'number')} in line {number}, and "
                f"{wide} in line {rows[0][0]}"
            )
        for place, cell in enumerate(cells):
            value = _number(cell)
            if value is None:
                raise StudyError(
                    f"{where}: {path} has {show(cell)} in line {number}, which is no number"
                    f"{': decimals are written with a point' if ',' in cell else ''}"
                )
            found[at, place] = value
    return found.ravel() if 1 in found.shape else found


def _cells(line: str, separator: str) -> list[str]:
    """The cells of a line."""
    if separator == " ":
        return line.split()
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]


def _number(cell: str) -> float | None:
    """A cell as a number, NaN where it is empty; None where it is a word."""
    if cell.lower() in EMPTY:
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        return None

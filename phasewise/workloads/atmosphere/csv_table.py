"""Numbers of a CSV file: a row for each latitude, or a list."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from phasewise.driver import Floats
from phasewise.errors import StudyError
from phasewise.output import number_of
from phasewise.tables.keys import show

SEPARATORS = ",;\t "
EMPTY = ("", "nan", "na", "null")
"""Words of cells without a value."""


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
    rows = [(number, _cells(line)) for number, line in lines]
    if rows and not any(_number(cell) is not None for cell in rows[0][1]):
        rows = rows[1:]
    if not rows:
        raise StudyError(f"{where}: {path} has no numbers")
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
                )
            found[at, place] = value
    return found.ravel() if 1 in found.shape else found


def _cells(line: str) -> list[str]:
    """The cells of a line, by the first of the separators that it has."""
    separator = next((one for one in SEPARATORS if one in line), ",")
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

"""Reads a layout from a file, which has the number of each rank's place on a line of its own;
comments begin with ``#``.

Places are numbered from 0 with x fastest: x + P_x (y + P_y (z + P_z t)).
"""

from __future__ import annotations

from pathlib import Path

from phasewise.errors import StudyError
from phasewise.tables.files import read_text
from phasewise.tables.keys import nearest, show

DIGITS = 7
"""Most digits of a number: there are at most 10⁶ ranks."""


def places_in(given: str, path: Path, words: tuple[str, ...]) -> tuple[int, ...]:
    """The number of each rank's place. StudyError, with the line, if a line is not a number, if
    there is no place of that number, or if two ranks have the same place.

    given: the name of the file as the user wrote it, possibly one of `words` misspelt.
    """
    try:
        lines = _numbers(path)
    except StudyError as error:
        closing = nearest(given, words) if str(error).endswith("does not exist") else ""
        raise StudyError(f"communication.layout: {error}{closing}") from None
    return tuple(lines)


def _numbers(path: Path) -> dict[int, int]:
    """The numbers of places in the order of the ranks, with the line of each."""
    lines: dict[int, int] = {}
    for line, text in enumerate(read_text(path).split("\n"), 1):
        word = text.partition("#")[0].strip()
        if not word:
            continue
        if not (word.isascii() and word.isdigit() and len(word) <= DIGITS):
            raise StudyError(
                f"{path} line {line}: {show(word)} is not the number of a place: each line gives "
                "one, a whole number from 0 on, for one rank"
            )
        number = int(word)
        if number in lines:
            raise StudyError(
                f"{path} line {line}: place {number} is given in line {lines[number]} already; "
                "every rank has a place of its own"
            )
        lines[number] = line
    if not lines:
        raise StudyError(f"{path} gives no place: one number is needed for each rank")
    last = len(lines) - 1
    if beyond := next((number for number in lines if number > last), None):
        raise StudyError(
            f"{path} line {lines[beyond]}: there is no place {beyond}; the {len(lines)} ranks have "
            f"places 0 to {last}"
        )
    return lines

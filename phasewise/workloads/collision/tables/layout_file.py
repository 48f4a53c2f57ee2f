"""A layout from a file: one line ``beam column row`` for each rank, ``#`` before a comment."""

from __future__ import annotations

from pathlib import Path

from phasewise.errors import StudyError
from phasewise.tables.files import read_text
from phasewise.tables.keys import show
from phasewise.workloads.collision.tables.communication import Place, Shape, grid_value

LARGEST_INDEX = 10**6
"""Columns and rows are below the largest number of ranks."""


def read_places(path: Path) -> dict[Place, int]:
    """The place of each rank in order, and the line that gives it.

    StudyError, with file and line, if a line is not a place or gives one a second time.
    """
    places: dict[Place, int] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        place = _place(words)
        if place is None:
            raise StudyError(
                f"{path} line {number}: {show(' '.join(words))} is not a place, which is beam (1 "
                'or 2), column and row (from 0), as in "1 0 3"'
            )
        if place in places:
            raise StudyError(
                f"{path} line {number}: {_named(place)} is given in line {places[place]} already; "
                "every rank has a place of its own"
            )
        places[place] = number
    if not places:
        raise StudyError(f"{path} gives no place: one line beam column row is needed for each rank")
    return places


def _place(words: list[str]) -> Place | None:
    numbers = [int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 8]
    if len(words) != 3 or len(numbers) != 3:
        return None
    beam, column, row = numbers
    if beam not in (1, 2) or max(column, row) >= LARGEST_INDEX:
        return None
    return (beam, column, row)


def _named(place: Place) -> str:
    return f"beam {place[0]}, column {place[1]}, row {place[2]}"


def fill_grid(
    places: dict[Place, int], shapes: tuple[Shape, Shape] | None, path: Path
) -> tuple[Shape, Shape]:
    """The process grids that ``places`` fill: those given, or the ones that the places span.

    StudyError if a place lies outside of them or is missing. One rank alone stands for both beams.
    """
    if len(places) == 1 and shapes in (None, ((1, 1), (1, 1))):
        place, line = next(iter(places.items()))
        if place[1:] != (0, 0):
            raise StudyError(
                f"{path} line {line}: {_named(place)}: one rank alone has column 0 and row 0"
            )
        return ((1, 1), (1, 1))
    shapes = shapes or (_span(places, 1, path), _span(places, 2, path))
    for place, line in places.items():
        prow, pcol = shapes[place[0] - 1]
        if place[1] >= prow or place[2] >= pcol:
            raise StudyError(
                f"{path} line {line}: {_named(place)} is outside of communication.process_grid = "
                f"{show(grid_value(shapes))}, where beam {place[0]} has columns 0 to {prow - 1} "
                f"and rows 0 to {pcol - 1}"
            )
    if len(places) != sum(prow * pcol for prow, pcol in shapes):
        raise StudyError(
            f"{path} gives no rank to {_named(_missing(places, shapes))} of the process grid "
            f"{show(grid_value(shapes))}"
        )
    return shapes


def _span(places: dict[Place, int], beam: int, path: Path) -> Shape:
    own = [place for place in places if place[0] == beam]
    if not own:
        raise StudyError(f"{path} gives no place to beam {beam}")
    return (max(place[1] for place in own) + 1, max(place[2] for place in own) + 1)


def _missing(places: dict[Place, int], shapes: tuple[Shape, Shape]) -> Place:
    return next(
        (beam, column, row)
        for beam, (prow, pcol) in enumerate(shapes, 1)
        for column in range(prow)
        for row in range(pcol)
        if (beam, column, row) not in places
    )

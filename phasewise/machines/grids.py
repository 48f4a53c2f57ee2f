"""The process grids in which a machine is probed: two equal ones, each on half of the ranks."""

from __future__ import annotations

MAX_COLUMNS = 8
USUAL_LENGTH = 16


def probed_shape(ranks: int) -> tuple[int, int]:
    """Number and length of the columns of one grid; it follows from the number of its ranks alone,
    so that all measurements with as many ranks have the same probes.

    Ranks are numbered column by column. A grid has at most MAX_COLUMNS columns. A column has one
    rank if the ranks are that few; otherwise it has USUAL_LENGTH ranks or, if that does not fit,
    the fewest that divide the ranks.
    """
    if ranks <= MAX_COLUMNS:
        return ranks, 1
    if ranks % USUAL_LENGTH == 0 and ranks // USUAL_LENGTH <= MAX_COLUMNS:
        return ranks // USUAL_LENGTH, USUAL_LENGTH
    length = -(-ranks // MAX_COLUMNS)
    while ranks % length != 0:
        length += 1
    return ranks // length, length

"""Values of keys that have an entry for each axis."""

from __future__ import annotations

from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.keys import Key, convert, nearest, plain, show
from phasewise.workloads.hydro.coordinates import BOUNDARIES, Ends

MOST_ZONES, MOST_IN_ALL = 2**20, 2**40
COUNT = Key("integer", least=4, most=MOST_ZONES, unit="zones")
"""Fewer than four zones are fewer than a parabola's neighbours."""
BOUND = Key("number", least=-1e30, most=1e30)


def zones_in(value: Any) -> tuple[int, ...]:
    """hydro.zones as integers; StudyError if they are no grid."""
    found = plain(value)
    if isinstance(found, int) and not isinstance(found, bool):
        found = [found]
    if not isinstance(found, list | tuple) or not 1 <= len(found) <= 3:
        raise StudyError(
            f"hydro.zones must be a list of one to three integers, the zones along each axis, but "
            f"is {show(found)}"
        )
    zones = tuple(convert(one, COUNT, f"hydro.zones[{n}]") for n, one in enumerate(found, 1))
    count = 1
    for along in zones:
        count *= along
    if count > MOST_IN_ALL:
        raise StudyError(
            f"hydro.zones = {show(found)} are {count:.4g} zones; at most {MOST_IN_ALL:.4g} are "
            "accepted"
        )
    return zones


def numbers_in(value: Any, axes: int, where: str) -> tuple[float, ...] | None:
    """A number for each axis, None if there are none; StudyError if they are not that."""
    found = plain(value)
    if found is None:
        return None
    if isinstance(found, int | float) and axes == 1:
        found = [found]
    if not isinstance(found, list | tuple) or len(found) != axes:
        raise StudyError(
            f"{where} must be a list with a number for each axis of hydro.zones, {axes} in all, "
            f"but is {show(found)}"
        )
    return tuple(convert(one, BOUND, f"{where}[{n}]") for n, one in enumerate(found, 1))


def boundaries_in(value: Any, axes: int) -> tuple[Ends, ...] | None:
    """The boundaries of each axis, None if they are not given: a word for all ends, or for each
    axis a word or a list of two; StudyError if they are not that.
    """
    found = plain(value)
    if found is None:
        return None
    if isinstance(found, str):
        found = [found] * axes
    if not isinstance(found, list | tuple) or len(found) != axes:
        raise StudyError(
            f"hydro.boundaries must be a word, or a list with a word or a pair of words for each "
            f"axis of hydro.zones, {axes} in all, but is {show(found)}"
        )
    return tuple(_ends(one, f"hydro.boundaries[{n}]") for n, one in enumerate(found, 1))


def _ends(value: Any, where: str) -> Ends:
    pair = (value, value) if isinstance(value, str) else value
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise StudyError(
            f"{where} must be a word, or a list of two for the low and the high end, but is "
            f"{show(value)}"
        )
    for word in pair:
        if word not in BOUNDARIES:
            near = nearest(word, BOUNDARIES) if isinstance(word, str) else nearest("", BOUNDARIES)
            raise StudyError(f"{where}: {show(word)} is not known{near}")
    return str(pair[0]), str(pair[1])

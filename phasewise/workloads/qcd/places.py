"""The places of a study's sources, measure.source: one point, several, or random ones."""

from __future__ import annotations

from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.keys import Key, convert, plain, show
from phasewise.workloads.qcd.grids import Extents

LONGEST = 4096
"""Most sites along an axis."""
Places = tuple[Extents, ...] | str
"""Points that solves take in turn, or RANDOM."""
RANDOM = "random"
POINT = Key("integers", length=4, least=0, most=LONGEST)
"""A point of measure.source."""


def flat_of_places(sources: Places) -> str | tuple[int, ...]:
    """The value of measure.source as a flat parameter."""
    return sources if isinstance(sources, str) else tuple(at for point in sources for at in point)


def read_places(value: Any) -> Places:
    """measure.source as points, however it is given."""
    where, found = "measure.source", plain(value)
    if isinstance(found, str):
        if found != RANDOM:
            raise StudyError(
                f"{where} must be a point, a list of points or {show(RANDOM)}, but is {show(found)}"
            )
        return RANDOM
    if not isinstance(found, list | tuple) or not found:
        raise StudyError(f"{where} must be a point or a list of points, but is {show(found)}")
    if not all(isinstance(plain(one), list | tuple) for one in found):
        return (convert(found, POINT, where),)
    return tuple(convert(one, POINT, f"{where}[{i}]") for i, one in enumerate(found, 1))


def as_written(sources: Places) -> Any:
    """measure.source as a study writes it: one point, or a list of them."""
    if isinstance(sources, str):
        return sources
    return list(sources[0]) if len(sources) == 1 else [list(one) for one in sources]

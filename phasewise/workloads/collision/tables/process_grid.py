"""Whether a study's process grid suits a number of ranks; if not, which grids do."""

from __future__ import annotations

import math
from dataclasses import dataclass

from phasewise.errors import StudyError
from phasewise.tables.keys import shortest, show
from phasewise.workloads.collision.tables.communication import (
    BeamCommunication,
    Shape,
    grid_value,
    written,
)
from phasewise.workloads.collision.tables.model import Collision

MAX_SHOWN = 8
"""Most shapes that one sentence names."""

UNBOUNDED = 10**6
KEY = "communication.process_grid"


@dataclass(frozen=True)
class Room:
    """The most columns and rows of processes that a study's meshes have work for in a beam."""

    slices: int = UNBOUNDED
    slices_of: str = ""
    rows: int = UNBOUNDED
    rows_of: str = ""

    def holds(self, shape: Shape) -> bool:
        """Whether every column has a slice, and every process of it a row of the mesh."""
        return shape[0] <= self.slices and shape[1] <= self.rows

    def shapes(self, ranks: int) -> list[Shape]:
        """Every shape of a number of ranks, by rising number of columns."""
        most = min(ranks, self.slices)
        columns = (prow for prow in range(1, most + 1) if ranks % prow == 0)
        return [shape for prow in columns if self.holds(shape := (prow, ranks // prow))]


Rooms = tuple[Room, Room]
"""The rooms of beams 1 and 2."""


def check_process_grid(model: Collision, own: BeamCommunication, ranks: int) -> None:
    """StudyError, with the nearest shapes that are valid, if a study does not fit ``ranks``.

    The shares of a mesh that Pcol does not divide differ by one row, and are accepted.
    """
    if own.places and len(own.places) != ranks:
        raise StudyError(
            f"communication.layout: {own.layout_file} gives places to {len(own.places)} ranks, not "
            f"to {ranks}"
        )
    shapes, room = own.process_grid, rooms(model)
    if ranks == 1:
        _check_alone(shapes)
    elif shapes is None:
        if not all(_valid(ranks, room)):
            raise StudyError(f'{KEY} = "auto": {_advice(ranks, room, None)}')
    else:
        _check_given(shapes, ranks, room)


def halves(ranks: int) -> tuple[int, int]:
    """Ranks of beams 1 and 2; if the number is odd, beam 1 has the larger half."""
    return (ranks - ranks // 2, ranks // 2)


def rooms(model: Collision) -> Rooms:
    """The tightest rooms of beams 1 and 2 at all interaction points that have a mesh."""
    return _room(model, 1), _room(model, 2)


def _room(model: Collision, beam: int) -> Room:
    meshes = [(k, ip) for k, ip in enumerate(model.ips, 1) if ip.model == "strong-strong"]
    if not meshes:
        return Room()
    k, fewest = min(meshes, key=lambda mesh: mesh[1].slices[beam - 1])
    whose = "" if len(set(fewest.slices)) == 1 else f"beam {beam} at "
    rows_of, coarsest = min(meshes, key=lambda mesh: mesh[1].grid[0])
    return Room(fewest.slices[beam - 1], f"{whose}ip.{k}", coarsest.grid[0], f"ip.{rows_of}")


def _valid(ranks: int, room: Rooms) -> list[list[Shape]]:
    """The shapes that suit each beam."""
    return [own.shapes(part) for own, part in zip(room, halves(ranks), strict=True)]


def _check_alone(shapes: tuple[Shape, Shape] | None) -> None:
    if shapes in (None, ((1, 1), (1, 1))):
        return
    assert shapes is not None
    raise StudyError(
        f"{KEY} = {show(grid_value(shapes))} needs {_needed(shapes)} ranks, not 1; one rank alone "
        'takes "1x1" or "auto"'
    )


def _needed(shapes: tuple[Shape, Shape]) -> int:
    return sum(prow * pcol for prow, pcol in shapes)


def _check_given(shapes: tuple[Shape, Shape], ranks: int, room: Rooms) -> None:
    given = f"{KEY} = {show(grid_value(shapes))}"
    advice = _advice(ranks, room, shapes)
    if _needed(shapes) != ranks:
        each = " with such a grid for each beam" if shapes[0] == shapes[1] else ""
        raise StudyError(f"{given} needs {_needed(shapes)} ranks{each}, not {ranks}; {advice}")
    for shape, own in zip(shapes, room, strict=True):
        if shape[0] > own.slices:
            raise StudyError(
                f"{given} has {shape[0]} columns, more than the {_counted(own.slices)} of "
                f"{own.slices_of}; {advice}"
            )
        if shape[1] > own.rows:
            raise StudyError(
                f"{given} has {shape[1]} processes in a column, more than the {own.rows} rows of "
                f"the mesh of {own.rows_of}; {advice}"
            )


def _counted(slices: int | tuple[int, int]) -> str:
    return f"{show(slices)} slice{'' if slices == 1 else 's'}"


def _advice(ranks: int, room: Rooms, given: tuple[Shape, Shape] | None) -> str:
    """The shapes that are valid for the ranks, or numbers of ranks that have one."""
    valid = _valid(ranks, room)
    both = shortest((room[0].slices, room[1].slices))
    slices = _counted(both)
    beside = f" and {slices}" if room[0].slices_of else ""
    if not all(valid):
        return (
            f"no grid suits {ranks} ranks with {slices} and {room[0].rows} rows of the mesh; "
            f"{_other_ranks(ranks, room)}"
        )
    if ranks % 2 == 0 and not isinstance(both, tuple):
        return f"for {ranks} ranks{beside}: {_listed(valid[0], given[0] if given else None)}"
    wanted = given or (valid[0][0], valid[1][0])
    pair = [written(_nearest(v, g)[0]) for v, g in zip(valid, wanted, strict=True)]
    number = f"{ranks} ranks" if ranks % 2 == 0 else "an odd number"
    return f"for {number}{beside}, one for each beam, such as {show(pair)}"


def _listed(shapes: list[Shape], given: Shape | None) -> str:
    shown = sorted(_nearest(shapes, given or shapes[0])[:MAX_SHOWN])
    more = ", …" if len(shapes) > len(shown) else ""
    return ", ".join(written(shape) for shape in shown) + more


def _nearest(shapes: list[Shape], given: Shape) -> list[Shape]:
    """``shapes`` by how far their columns are, as a factor, from those of ``given``."""
    return sorted(shapes, key=lambda shape: abs(math.log(shape[0] / given[0])))


def _other_ranks(ranks: int, room: Rooms) -> str:
    """The next even numbers of ranks, below and above, that have a valid shape."""
    half, most = ranks // 2, min(own.slices * own.rows for own in room)
    below = next(n for n in range(min(half, most), 0, -1) if all(_valid(2 * n, room)))
    above = next((n for n in range(half + 1, most + 1) if all(_valid(2 * n, room))), None)
    near = [str(2 * n) for n in (below, above) if n is not None]
    return f"accepted next to it: {' and '.join(near)} ranks"

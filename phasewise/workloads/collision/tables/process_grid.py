"""Whether a study's process grid suits a number of ranks; if not, which grids do."""

from __future__ import annotations

import math
from dataclasses import dataclass

from phasewise.errors import StudyError
from phasewise.tables.keys import show
from phasewise.workloads.collision.tables.communication import (
    BeamCommunication,
    Shape,
    grid_value,
    written,
)
from phasewise.workloads.collision.tables.model import Collision

MAX_SHOWN = 8
"""Shapes that one sentence names."""

UNBOUNDED = 10**6
KEY = "communication.process_grid"


@dataclass(frozen=True)
class Room:
    """The most columns and rows of processes that a study's meshes have work for."""

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


def check_process_grid(model: Collision, own: BeamCommunication, ranks: int) -> None:
    """StudyError, with the nearest shapes that are valid, where a study does not fit ``ranks``.

    The shares of a mesh that Pcol does not divide differ by one row, and are accepted.
    """
    if own.places and len(own.places) != ranks:
        raise StudyError(
            f"communication.layout: {own.layout_file} gives places to {len(own.places)} ranks, not "
            f"to {ranks}"
        )
    shapes, room = own.process_grid, _room(model)
    if ranks == 1:
        _check_alone(shapes)
    elif shapes is None:
        if not all(room.shapes(part) for part in halves(ranks)):
            raise StudyError(f'{KEY} = "auto": {_advice(ranks, room, None)}')
    else:
        _check_given(shapes, ranks, room)


def halves(ranks: int) -> tuple[int, int]:
    """Ranks of beams 1 and 2: of an odd number, beam 1 has the larger half."""
    return (ranks - ranks // 2, ranks // 2)


def _room(model: Collision) -> Room:
    """The tightest of all interaction points that have a mesh."""
    meshes = [(f"ip.{k}", ip) for k, ip in enumerate(model.ips, 1) if ip.model == "strong-strong"]
    if not meshes:
        return Room()
    slices_of, fewest = min(meshes, key=lambda mesh: mesh[1].slices)
    rows_of, coarsest = min(meshes, key=lambda mesh: mesh[1].grid[0])
    return Room(fewest.slices, slices_of, coarsest.grid[0], rows_of)


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


def _check_given(shapes: tuple[Shape, Shape], ranks: int, room: Room) -> None:
    given = f"{KEY} = {show(grid_value(shapes))}"
    advice = _advice(ranks, room, shapes)
    if _needed(shapes) != ranks:
        each = " with such a grid for each beam" if shapes[0] == shapes[1] else ""
        raise StudyError(f"{given} needs {_needed(shapes)} ranks{each}, not {ranks}; {advice}")
    for shape in shapes:
        if shape[0] > room.slices:
            raise StudyError(
                f"{given} has {shape[0]} columns, more than the {room.slices} slices of "
                f"{room.slices_of}; {advice}"
            )
        if shape[1] > room.rows:
            raise StudyError(
                f"{given} has {shape[1]} processes in a column, more than the {room.rows} rows of "
                f"the mesh of {room.rows_of}; {advice}"
            )


def _advice(ranks: int, room: Room, given: tuple[Shape, Shape] | None) -> str:
    """The shapes that are valid for the ranks, or numbers of ranks that have one."""
    valid = [room.shapes(part) for part in halves(ranks)]
    slices = f"{room.slices} slice{'s' if room.slices > 1 else ''}"
    beside = f" and {slices}" if room.slices_of else ""
    if not all(valid):
        return (
            f"no grid suits {ranks} ranks with {slices} and {room.rows} rows of the mesh; "
            f"{_other_ranks(ranks, room)}"
        )
    if ranks % 2 == 0:
        return f"for {ranks} ranks{beside}: {_listed(valid[0], given[0] if given else None)}"
    wanted = given or (valid[0][0], valid[1][0])
    pair = [written(_nearest(v, g)[0]) for v, g in zip(valid, wanted, strict=True)]
    return f"for an odd number{beside}, one for each beam, such as {show(pair)}"


def _listed(shapes: list[Shape], given: Shape | None) -> str:
    shown = sorted(_nearest(shapes, given or shapes[0])[:MAX_SHOWN])
    more = ", …" if len(shapes) > len(shown) else ""
    return ", ".join(written(shape) for shape in shown) + more


def _nearest(shapes: list[Shape], given: Shape) -> list[Shape]:
    """``shapes`` by how far their columns are, as a factor, from those of ``given``."""
    return sorted(shapes, key=lambda shape: abs(math.log(shape[0] / given[0])))


def _other_ranks(ranks: int, room: Room) -> str:
    """The next even numbers of ranks, below and above, that have a valid shape."""
    half, most = ranks // 2, room.slices * room.rows
    below = next(n for n in range(min(half, most), 0, -1) if room.shapes(n))
    above = next((n for n in range(half + 1, most + 1) if room.shapes(n)), None)
    near = [str(2 * n) for n in (below, above) if n is not None]
    return f"accepted next to it: {' and '.join(near)} ranks"

"""Reads the links of a box slice by slice in time, puts them into SU(3), and measures them.

In memory are a few time slices, however long the lattice is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from operator import floordiv
from typing import Any, cast

import numpy as np

from phasewise.workloads.qcd.gauge import ildg, milc, nersc
from phasewise.workloads.qcd.gauge.stored import (
    Floats,
    Stored,
    core,
    empty_links,
    site_numbers,
)
from phasewise.workloads.qcd.grids import Extents

FORMATS: dict[str, Any] = {one.NAME: one for one in (ildg, milc, nersc)}
"""The module of each format."""
AXES = 4

Sums = tuple[int, int]


@dataclass(frozen=True)
class Deviations:
    """The largest deviations of links from SU(3): of an element of U U† from that of the unit
    matrix, and of the third row from the one that gives determinant 1. of_double: the same of those
    links whose first two rows do not fit into single precision.
    """

    unitary: float = 0.0
    special: float = 0.0
    unitary_of_double: float = 0.0
    special_of_double: float = 0.0

    def with_those(self, more: Iterable[float]) -> Deviations:
        """The larger ones of these and of more."""
        return Deviations(*map(max, vars(self).values(), more))


@dataclass(frozen=True)
class Reading:
    """What the links of a box are: their checksums in the file, whether all are finite, how far
    they are from SU(3), and, as they are in SU(3), their sums of loops.
    """

    checksums: Sums
    finite: bool
    deviations: Deviations
    loops: list[float]

    def to_bytes(self) -> bytes:
        """This reading for other ranks; no digit is lost."""
        return json.dumps(
            [self.checksums, self.finite, [*vars(self.deviations).values()], self.loops]
        ).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Reading:
        """The reading of which these are the bytes."""
        (first, second), finite, deviations, loops = json.loads(data)
        return cls((first, second), finite, Deviations(*deviations), loops)


def read_box(
    stored: Stored,
    origin: Extents = (0, 0, 0, 0),
    extents: Extents | None = None,
    *,
    loops: bool = True,
    rectangles: bool = False,
    kept: Floats | None = None,
) -> Reading:
    """Read the links of a box, by default of all sites; StudyError if they cannot be read.

    Args:
        stored: The file.
        origin: Where the box begins.
        extents: The box; it divides the lattice evenly.
        loops: Whether loops are measured; along a divided axis links beyond the box are read too.
        rectangles: Whether rectangles are measured too, which only an undivided slice has.
        kept: Takes the links in SU(3), [t][z][y][x][4][3][3][2].
    """
    box = extents or stored.size
    measured = _slices(stored.size, origin, box, rectangles) if loops else None
    ahead: int = measured.ahead if measured else 0
    sums: list[Sums] = []
    finite, deviations = True, Deviations()
    for step in range(box[3] + ahead):
        inside = step < box[3]
        at = _moved(origin, 3, step, stored.size)
        links = _read(stored, at, (*box[:3], 1), sums if inside else None)
        if not np.isfinite(links).all():
            finite, measured = False, None
            continue
        found = core().into_special_unitary(links)
        if inside:
            deviations = deviations.with_those(found)
            if kept is not None:
                kept[step] = links[0]
        if measured:
            measured.push(links)
            if step >= ahead:
                _put_faces(measured, stored, _moved(origin, 3, step - ahead, stored.size), box)
                measured.add()
    combined = cast(Sums, FORMATS[stored.format].combined(sums))
    return Reading(combined, finite, deviations, measured.sums() if measured else [])


def loop_means(size: Extents, parts: Iterable[Iterable[float]]) -> dict[str, Any]:
    """Plaquettes, rectangle, link trace and Polyakov loops, 1 for unit matrices, from the sums of
    the boxes of a lattice.
    """
    return dict(core().loop_means([sum(one) for one in zip(*parts, strict=True)], list(size)))


def _slices(size: Extents, origin: Extents, box: Extents, rectangles: bool) -> Any:
    grid = [*map(floordiv, size, box)]
    place = [*map(floordiv, origin, box)]
    return core().QcdSlices(list(size), grid, place, rectangles)


def _moved(at: Extents, axis: int, steps: int, size: Extents) -> Extents:
    """A site this many steps further, with the lattice periodic."""
    x, y, z, t = (
        (one + steps) % extent if number == axis else one
        for number, (one, extent) in enumerate(zip(at, size, strict=True))
    )
    return x, y, z, t


def _read(stored: Stored, origin: Extents, box: Extents, sums: list[Sums] | None) -> Floats:
    """The links of a box; their checksums are added to the list, plane by plane."""
    links = empty_links(box)
    kind = FORMATS[stored.format]
    for t, z, words in stored.planes(origin, box):
        stored.decode(words, links[t, z])
        if sums is not None:
            first = (*origin[:2], origin[2] + z, origin[3] + t)
            sites = site_numbers(stored.size, first, (*box[:2], 1, 1))
            sums.append(kind.found_checksums(stored, stored.numbers(words), sites))
    if stored.rows < 3:
        core().complete_links(links)
    return links


def _put_faces(measured: Any, stored: Stored, origin: Extents, box: Extents) -> None:
    """Hand over the links just beyond a slice of the box along each axis that is divided."""
    for axis in range(AXES - 1):
        if box[axis] == stored.size[axis]:
            continue
        local, thick = [0, 0, 0, 0], [*box[:3], 1]
        local[axis], thick[axis] = box[axis], 1
        lx, ly, lz, lt = thick
        face = stored.read(_moved(origin, axis, box[axis], stored.size), (lx, ly, lz, lt))
        if np.isfinite(face).all():
            core().into_special_unitary(face)
        measured.put(local, thick, face)

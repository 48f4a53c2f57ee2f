"""The part of a lattice that a rank has, and fields on it as arrays.

A field of a rank is an array [t][z][y][x][...] of the sites of its part, t slowest; on one process
the part is the whole lattice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasewise.driver import Communicator, load_core
from phasewise.errors import StudyError
from phasewise.runs.simulation import start_run
from phasewise.study import Study
from phasewise.workloads.qcd.driver import QcdRun
from phasewise.workloads.qcd.grids import Extents, fitting_grids, least_surface

ComplexField = NDArray[np.complex128]

LINK = (4, 3, 3)
"""What a site has of links: direction x, y, z, t, and the matrix."""
SPINOR = (4, 3)
"""What a site has of a quark: spin and colour."""


@dataclass(frozen=True)
class Part:
    """The sites of a rank: those of the lattice of `size` from `origin` on, `extents` of them along
    x, y, z and t.
    """

    size: Extents
    origin: Extents
    extents: Extents

    @property
    def shape(self) -> Extents:
        """The first four axes of a field of this rank: sites along t, z, y and x."""
        x, y, z, t = self.extents
        return t, z, y, x

    def own(self, whole: NDArray[Any]) -> NDArray[Any]:
        """This rank's part of a field of the whole lattice, [t][z][y][x][...]."""
        return whole[self.slices]

    @property
    def slices(self) -> tuple[slice, ...]:
        """Where this rank's sites lie in a field of the whole lattice."""
        edges = zip(self.origin, self.extents, strict=True)
        return tuple(slice(first, first + many) for first, many in edges)[::-1]

    def index_of(self, site: Iterable[int]) -> Extents | None:
        """The index [t][z][y][x] of a site of the lattice, None if it is another rank's."""
        local = [at - first for at, first in zip(site, self.origin, strict=True)]
        if any(not 0 <= at < many for at, many in zip(local, self.extents, strict=True)):
            return None
        x, y, z, t = local
        return t, z, y, x

    def coordinates(self, axis: int) -> NDArray[np.int64]:
        """The coordinates of this rank's sites along an axis of the lattice."""
        return self.origin[axis] + np.arange(self.extents[axis])

    def checked(self, name: str, field: ArrayLike, inner: tuple[int, ...]) -> ComplexField:
        """A field of this rank as contiguous complex numbers; StudyError if its shape is another
        one.
        """
        found = np.ascontiguousarray(field, dtype=np.complex128)
        wanted = (*self.shape, *inner)
        if found.shape != wanted:
            raise StudyError(
                f"{name} has the shape {found.shape}, and on this rank it is {wanted}: the sites "
                "along t, z, y and x, and what each of them has"
            )
        return found


def part_of(size: Extents, process_grid: str, comm: Communicator) -> Part:
    """The part of this rank; StudyError if the ranks do not divide the lattice. process_grid: as
    the key of [communication].
    """
    grid = _grid(size, process_grid, comm.size())
    place, number = [], comm.rank()
    for parts in grid:
        place.append(number % parts)
        number //= parts
    extents = tuple(one // parts for one, parts in zip(size, grid, strict=True))
    origin = tuple(at * one for at, one in zip(place, extents, strict=True))
    return Part(size, cast(Extents, origin), cast(Extents, extents))


def _grid(size: Extents, process_grid: str, ranks: int) -> Extents:
    if ranks == 1:
        return 1, 1, 1, 1
    sizes = "×".join(map(str, size))
    try:
        if process_grid == "auto":
            return least_surface(size, ranks)
    except ValueError:
        raise StudyError(
            f"no process grid of {ranks} ranks divides a lattice of {sizes} sites into parts of "
            "even extents"
        ) from None
    for grid in fitting_grids(size, ranks):
        if "x".join(map(str, grid)) == process_grid:
            return grid
    raise StudyError(
        f'process_grid = "{process_grid}" does not divide a lattice of {sizes} sites among {ranks} '
        'ranks into parts of even extents; give four numbers, such as "1x1x2x2", or "auto"'
    )


def run_of(
    part: Part, tables: Mapping[str, Mapping[str, Any]], threads: int = 1, seed: int = 1
) -> QcdRun:
    """A run of the core on a part, from the tables of a study; StudyError if a key or a value
    cannot be used.
    """
    grid = "x".join(str(one // own) for one, own in zip(part.size, part.extents, strict=True))
    study = Study.from_dict(
        {
            "workload": "qcd",
            "solves": 1,
            "seed": seed,
            "lattice": {"size": list(part.size)},
            "communication": {"process_grid": grid},
            **tables,
        }
    )
    return cast(QcdRun, start_run(load_core(), study.parameters(), threads))


def reals(field: ComplexField) -> NDArray[np.float64]:
    """A field as the core takes it: real and imaginary parts, flat."""
    return field.view(np.float64).reshape(-1)


def sum_of_ranks(values: ComplexField, comm: Communicator) -> ComplexField:
    """The sum of an array over the ranks, the same on all of them; collective."""
    if comm.size() == 1:
        return values
    parts = comm.gather(values.tobytes())
    total = b""
    if comm.rank() == 0:
        arrays = (np.frombuffer(one, np.complex128).reshape(values.shape) for one in parts)
        total = reduce(np.add, arrays).tobytes()
    return np.frombuffer(comm.broadcast(total), np.complex128).reshape(values.shape).copy()


def extents_of(size: Iterable[int]) -> Extents:
    """Four extents; StudyError if they are no lattice's."""
    given = tuple(size)
    if len(given) != 4 or not all(isinstance(one, int | np.integer) and one > 0 for one in given):
        raise StudyError(f"size = {given!r} is not four extents, along x, y, z and t")
    x, y, z, t = map(int, given)
    return x, y, z, t


def phase_of(momentum: Iterable[int], site: Extents, part: Part) -> ComplexField:
    """e^{-ip(x - site)}, [z][y][x], with p = 2π n/L for the whole numbers n of `momentum`."""
    found = np.ones((1, 1, 1), complex)
    for axis, number in enumerate(momentum):
        along = part.coordinates(axis) - site[axis]
        shape = [1, 1, 1]
        shape[2 - axis] = -1
        angle = -2j * math.pi * number / part.size[axis]
        found = found * np.exp(angle * along).reshape(shape)
    z, y, x = part.shape[1:]
    return np.broadcast_to(found, (z, y, x)).copy()

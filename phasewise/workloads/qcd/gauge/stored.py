"""The links in a file of any format: where they are, and how they are written.

Sites are ordered with x fastest, then y, z and t. A site has four links, along x, y, z and t; a
link has three rows of three complex numbers, or only the first two of these rows.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import StudyError
from phasewise.runs.disk import disk_reason
from phasewise.workloads.qcd.grids import Extents

Floats = NDArray[np.float64]
Words = NDArray[np.uint32]

PRECISIONS = {"single": 4, "double": 8}
"""Bytes of a real number."""
LONGEST = 4096
"""Most sites along an axis."""


@dataclass(frozen=True)
class Stored:
    """The links of a file. rows: rows of each link in the file, 3, or 2 if the last one is left
    out, since it follows from the others; big: most significant byte first; checksums, plaquette
    and link_trace: what the file gives of these; last_digits: the value of one unit in the last
    digit of plaquette and link_trace.
    """

    path: Path
    format: str
    size: Extents
    precision: str
    rows: int
    big: bool
    offset: int
    checksums: Mapping[str, str] = field(default_factory=dict)
    plaquette: float | None = None
    link_trace: float | None = None
    last_digits: Mapping[str, float] = field(default_factory=dict)

    @property
    def order(self) -> str:
        """The byte order as the prefix of a NumPy type."""
        return ">" if self.big else "<"

    @property
    def site_reals(self) -> int:
        """Reals of a site in the file."""
        return 4 * self.rows * 6

    @property
    def data_bytes(self) -> int:
        """Bytes of all links."""
        return math.prod(self.size) * self.site_reals * PRECISIONS[self.precision]

    def read(self, origin: Extents = (0, 0, 0, 0), extents: Extents | None = None) -> Floats:
        """The links of a box, [t][z][y][x][4][3][3][2]; StudyError if they cannot be read."""
        box = extents or self.size
        reals = np.empty((*reversed(box), self.site_reals))
        # A signalling NaN of a damaged file would raise a warning; callers refuse it.
        with np.errstate(over="ignore", invalid="ignore"):
            self._into(reals, f"f{PRECISIONS[self.precision]}", origin)
        links = reals.reshape(*reals.shape[:4], 4, self.rows, 3, 2)
        return links if self.rows == 3 else completed(links)

    def words(self, origin: Extents = (0, 0, 0, 0), extents: Extents | None = None) -> Words:
        """The data of a box as numbers of 32 bits, (sites, words of a site)."""
        each = self.site_reals * PRECISIONS[self.precision] // 4
        found = np.empty((*reversed(extents or self.size), each), np.uint32)
        self._into(found, "u4", origin)
        return found.reshape(-1, each)

    def _into(self, found: NDArray[Any], kind: str, origin: Extents) -> None:
        """Fill an array [t][z][y][x][...] with the data of a box. The file is read, not mapped: if
        another process shortened a mapped file, a signal would end this one.
        """
        first = origin[0]
        lt, lz, ly, lx, each = found.shape
        plane = np.empty((ly, self.size[0], each), f"{self.order}{kind}")
        try:
            with self.path.open("rb", buffering=0) as file:
                for t, z in product(range(lt), range(lz)):
                    self._read_at(file.fileno(), self._place(origin, t, z), plane)
                    found[t, z] = plane[:, first : first + lx]
        except OSError as error:
            raise StudyError(f"{self.path} cannot be read: {disk_reason(error)}") from None

    def _place(self, origin: Extents, t: int, z: int) -> int:
        """The byte at which the rows along x of a plane of a box begin."""
        x, y, depth, _ = self.size
        rows = origin[1] + y * (origin[2] + z + depth * (origin[3] + t))
        return self.offset + rows * x * self.site_reals * PRECISIONS[self.precision]

    def _read_at(self, file: int, place: int, plane: NDArray[Any]) -> None:
        left = plane.data.cast("B")
        while len(left) > 0:
            done = os.preadv(file, [left], place)
            if done == 0:
                raise StudyError(
                    f"{self.path} was cut short while it was read: it ends at byte {place}, within "
                    "its links"
                )
            left, place = left[done:], place + done


def completed(links: Floats) -> Floats:
    """Links of two rows with their third one, the conjugate of the cross product of the others."""
    rows = links[..., 0] + 1j * links[..., 1]
    third = np.conj(np.cross(rows[..., 0, :], rows[..., 1, :]))
    last = np.stack([third.real, third.imag], axis=-1)[..., None, :, :]
    return np.concatenate([links, last], axis=-3)


def deviation_from_special(links: Floats) -> float:
    """The largest deviation of a third row from the one that follows from the other two; it is 0
    for unitary matrices of determinant 1.
    """
    return float(np.abs(links - completed(links[..., :2, :, :])).max())


def site_numbers(size: Extents, origin: Extents, extents: Extents) -> NDArray[np.int64]:
    """The numbers of a box's sites in the lattice, in their order."""
    x, y, z, _ = size
    axes = [np.arange(o, o + e) for o, e in zip(origin, extents, strict=True)]
    t_at, z_at, y_at, x_at = np.meshgrid(*reversed(axes), indexing="ij")
    return np.asarray(x_at + x * (y_at + y * (z_at + z * t_at)), dtype=np.int64).reshape(-1)


def check_size(path: Path, size: tuple[int, ...]) -> Extents:
    """The extents that a file gives; StudyError if no lattice has them."""
    if len(size) != 4 or any(not 1 <= extent <= LONGEST for extent in size):
        given = " × ".join(map(str, size))
        raise StudyError(
            f"{path} has a lattice of {given} sites; four extents of 1 to {LONGEST} are accepted"
        )
    x, y, z, t = size
    return x, y, z, t


def check_length(stored: Stored) -> Stored:
    """Return `stored`; StudyError if the file ends before its links."""
    _bytes_after(stored)
    return stored


def check_end(stored: Stored) -> Stored:
    """Return `stored`; StudyError if the file does not end where its links do."""
    more = _bytes_after(stored)
    if more > 0:
        raise StudyError(
            f"{stored.path} is too long by {more} byte{'s' * (more > 1)}: its links have "
            f"{stored.data_bytes} bytes from byte {stored.offset} on, and nothing may follow"
        )
    return stored


def _bytes_after(stored: Stored) -> int:
    """Number of bytes after the links; StudyError if the file ends before them."""
    try:
        length = stored.path.stat().st_size - stored.offset
    except OSError as error:
        raise StudyError(f"{stored.path} cannot be read: {disk_reason(error)}") from None
    if length < stored.data_bytes:
        raise StudyError(
            f"{stored.path} is cut short: its links need {stored.data_bytes} bytes from byte "
            f"{stored.offset} on, and there are {max(length, 0)}"
        )
    return length - stored.data_bytes

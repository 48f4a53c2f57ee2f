"""The links in a file of any format: where they are, and how they are written.

Sites are ordered with x fastest, then y, z and t. A site has four links, along x, y, z and t; a
link has three rows of three complex numbers, or only the first two of these rows.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.runs.disk import disk_reason
from phasewise.workloads.qcd.grids import Extents

Floats = NDArray[np.float64]
Words = NDArray[np.uint32]

PRECISIONS = {"single": 4, "double": 8}
"""Bytes of a real number."""
LONGEST = 4096
"""Most sites along an axis."""
CHUNK = 1 << 20
"""Bytes that are looked at together."""
ROUGHLY = 1e-2
"""Rows of a link that are read in the right byte order differ less than this from length 1."""


@dataclass(frozen=True)
class Stored:
    """The links of a file. rows: rows of each link in the file, 3, or 2 if the last one is left
    out, since it follows from the others; big: most significant byte first; checksums, plaquette
    and link_trace: what the file gives of these; last_digits: the value of one unit in the last
    digit of plaquette and link_trace; fields: how many fields the file has, of which this is the
    first; others: where the others are.
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
    fields: int = 1
    others: tuple[str, ...] = ()

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

    @property
    def loops(self) -> dict[str, float]:
        """The plaquette and the link trace, as far as the file gives them."""
        given = {"plaquette": self.plaquette, "link_trace": self.link_trace}
        return {name: value for name, value in given.items() if value is not None}

    def read(self, origin: Extents = (0, 0, 0, 0), extents: Extents | None = None) -> Floats:
        """The links of a box as they are in the file, [t][z][y][x][4][3][3][2]; StudyError if they
        cannot be read.
        """
        box = extents or self.size
        links = empty_links(box)
        for t, z, words in self.planes(origin, box):
            self.decode(words, links[t, z])
        if self.rows == 2:
            core().complete_links(links)
        return links

    def words(self, origin: Extents = (0, 0, 0, 0), extents: Extents | None = None) -> Words:
        """The data of a box as numbers of 32 bits, (sites, words of a site)."""
        box = extents or self.size
        return np.concatenate([self.numbers(plane) for _, _, plane in self.planes(origin, box)])

    def decode(self, words: NDArray[Any], links: Floats) -> None:
        """Fill links [...][4][3][3][2] with words [...][words of a site] of the file, but no third
        rows that the file leaves out.
        """
        reals = words.view(f"{self.order}f{PRECISIONS[self.precision]}")
        # A signalling NaN of a damaged file would raise a warning; callers refuse it.
        with np.errstate(over="ignore", invalid="ignore"):
            links[..., : self.rows, :, :] = reals.reshape(*reals.shape[:-1], 4, self.rows, 3, 2)

    def numbers(self, words: NDArray[Any]) -> Words:
        """Words of the file as numbers of this machine, (sites, words of a site)."""
        return np.ascontiguousarray(words, dtype=np.uint32).reshape(-1, words.shape[-1])

    def planes(self, origin: Extents, box: Extents) -> Iterator[tuple[int, int, NDArray[Any]]]:
        """t, z and the words [y][x][words of a site] of each plane of a box, valid until the next.

        The file is read, not mapped: if another process shortened a mapped file, a signal would
        end this one.
        """
        each = self.site_reals * PRECISIONS[self.precision] // 4
        lx, ly, lz, lt = box
        plane = np.empty((ly, self.size[0], each), f"{self.order}u4")
        try:
            with self.path.open("rb", buffering=0) as file:
                for t, z in product(range(lt), range(lz)):
                    self._read_at(file.fileno(), self._place(origin, t, z), plane)
                    yield t, z, plane[:, origin[0] : origin[0] + lx]
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


def empty_links(box: Extents) -> Floats:
    """Links of a box, [t][z][y][x][4][3][3][2], with no values yet."""
    return np.empty((*reversed(box), 4, 3, 3, 2))


def core() -> Any:
    """The compiled core (core/qcd/bindings_gauge.cpp)."""
    return load_planner()


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
    """Return `stored`; StudyError if more than zeros follow its links."""
    more = _bytes_after(stored)
    if more > 0 and not only_zeros(stored.path, stored.offset + stored.data_bytes):
        raise StudyError(
            f"{stored.path} is too long by {more} byte{'s' * (more > 1)}: its links have "
            f"{stored.data_bytes} bytes from byte {stored.offset} on, and only zeros may follow"
        )
    return stored


def only_zeros(path: Path, first: int) -> bool:
    """Whether a file has nothing but zeros from a byte on."""
    try:
        with path.open("rb") as file:
            file.seek(first)
            while part := file.read(CHUNK):
                if part.count(0) < len(part):
                    return False
    except OSError as error:
        raise StudyError(f"{path} cannot be read: {disk_reason(error)}") from None
    return True


def with_likely_order(stored: Stored) -> Stored:
    """The links in the byte order in which those of the first site are unitary, or else in the
    order that is given.
    """
    own, other = stored, replace(stored, big=not stored.big)
    return other if _off_unitary(own) > ROUGHLY > _off_unitary(other) else own


def _off_unitary(stored: Stored) -> float:
    """By how much rows of the first site differ from length 1."""
    rows = stored.read(extents=(1, 1, 1, 1))[..., : stored.rows, :, :]
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.abs((rows**2).sum(axis=(-2, -1)) - 1.0).max()
    return float(off) if np.isfinite(off) else math.inf


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

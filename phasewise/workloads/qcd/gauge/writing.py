"""Writes links to a file: one process writes all of them, or each rank those of its own box of
sites. Both ways give the same file.

The header says what is read back from the file, before it takes the place of an earlier one.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Communicator
from phasewise.errors import PhasewiseError, RunError
from phasewise.mpi.ranks import collectively, on_rank_zero
from phasewise.runs.disk import disk_reason, is_special, replacing, sync_folder
from phasewise.workloads.qcd.gauge.files import open_links
from phasewise.workloads.qcd.gauge.names import Form
from phasewise.workloads.qcd.gauge.reading import FORMATS, Reading, Sums, loop_means, read_box
from phasewise.workloads.qcd.gauge.shared import check_readings
from phasewise.workloads.qcd.gauge.stored import PRECISIONS, Floats, Stored, site_numbers
from phasewise.workloads.qcd.grids import Extents

Values = Mapping[str, float]
"""Plaquette and link trace."""
NO_VALUES: Values = {"plaquette": 0.0, "link_trace": 0.0}
"""They keep the place of the values in a header."""


class Slices(Protocol):
    """Links by time slice, [z][y][x][4][3][3][2]; an array of all links is this too."""

    def __getitem__(self, t: int, /) -> Floats: ...


class FileSlices:
    """The time slices of a file, as they are in it."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored

    def __getitem__(self, t: int, /) -> Floats:
        x, y, z, _ = self._stored.size
        return cast(Floats, self._stored.read((0, 0, 0, t), (x, y, z, 1))[0])


def write_links(path: Path, form: Form, size: Extents, links: Slices) -> Stored:
    """Write links to a temporary file that then replaces `path`, and return that file. RunError if
    the disk refuses, or if what is read back is not what was written; StudyError if the links are
    not in SU(3).
    """
    stored = described(path, form, size)
    with _writing(path), _replacing(path) as file:
        sums = _write_slices(file, stored, links)
        file.flush()
        there = replace(stored, path=Path(file.name), offset=len(frame(stored, sums, NO_VALUES)[0]))
        reading = read_box(there, loops=_has_values(stored))
        file.seek(0)
        file.write(_head_of_read(path, stored, sums, [reading]))
        file.flush()
        _check(path, there.path, [reading])
    return stored if is_special(path) else open_links(path)


def _write_slices(file: BinaryIO, stored: Stored, links: Slices) -> Sums:
    """Write the whole file, but no values into the header, and return the checksums."""
    file.write(frame(stored, (0, 0), NO_VALUES)[0])
    x, y, z, t = stored.size
    parts: list[Sums] = []
    for time in range(t):
        data = encoded(stored, links[time])
        parts.append(
            sums_of(stored, data, site_numbers(stored.size, (0, 0, 0, time), (x, y, z, 1)))
        )
        file.write(data.tobytes())
    sums = cast(Sums, FORMATS[stored.format].combined(parts))
    file.write(frame(stored, sums, NO_VALUES)[1])
    return sums


def _has_values(stored: Stored) -> bool:
    return cast(bool, FORMATS[stored.format].VALUES)


def _head_of_read(path: Path, stored: Stored, sums: Sums, readings: list[Reading]) -> bytes:
    """The header with the values of the links that were read back from all boxes; RunError if they
    are not those that were written.
    """
    if FORMATS[stored.format].combined([reading.checksums for reading in readings]) != sums:
        raise RunError(
            f"{path} cannot be written: the links that are read back are not those that were "
            "written"
        )
    finite = all(reading.finite for reading in readings) and _has_values(stored)
    values = (
        loop_means(stored.size, [reading.loops for reading in readings]) if finite else NO_VALUES
    )
    return frame(stored, sums, values)[0]


def _check(path: Path, beside: Path, readings: list[Reading]) -> None:
    """StudyError if the file beside `path` is not what a check of it accepts."""
    check_readings(replace(open_links(beside), path=path), readings)


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """As `replacing`; what goes to a device or a pipe is first put into a temporary file, since it
    cannot be read back from there.
    """
    if not is_special(path):
        with replacing(path) as file:
            yield file
        return
    with NamedTemporaryFile() as whole:
        yield cast(BinaryIO, whole)
        whole.seek(0)
        with path.open("wb") as file:
            while part := whole.read(io.DEFAULT_BUFFER_SIZE):
                file.write(part)


def write_own_links(
    path: Path, form: Form, size: Extents, origin: Extents, links: Floats, comm: Communicator
) -> None:
    """As `write_links`, but each rank writes the links of its own box, which begins at `origin`;
    collective. An older file stays in place until the new one is complete.
    """
    stored = described(path, form, size)
    data = encoded(stored, links)
    extents: Extents = links.shape[3::-1]
    sites = site_numbers(size, origin, extents)
    sums = _sums_of_all(comm, stored, sums_of(stored, data, sites))
    before, after = frame(stored, sums, NO_VALUES)
    beside = path.with_name(path.name + ".partial")
    whole = len(before) + stored.data_bytes + len(after)
    there = replace(stored, path=beside, offset=len(before))
    try:
        on_rank_zero(comm, lambda: _begin(path, beside, before, after, whole))
        collectively(comm, lambda: _fill(path, beside, len(before), data, sites))
        reading = collectively(
            comm, lambda: read_box(there, origin, extents, loops=_has_values(stored))
        )
        readings = [Reading.from_bytes(one) for one in comm.gather(reading.to_bytes())]
        on_rank_zero(comm, lambda: _finish(path, beside, stored, sums, readings))
    except PhasewiseError:
        if comm.rank() == 0:
            beside.unlink(missing_ok=True)
        raise


def described(path: Path, form: Form, size: Extents) -> Stored:
    """A file that is to be written."""
    return Stored(path, form.format, size, form.precision, form.rows, form.big, 0)


def encoded(stored: Stored, links: Floats) -> NDArray[Any]:
    """The reals of the links in the precision and byte order of the file, (sites, reals of a
    site).
    """
    kind = f"{stored.order}f{PRECISIONS[stored.precision]}"
    rows = links[..., : stored.rows, :, :]
    return np.ascontiguousarray(rows, dtype=kind).reshape(-1, stored.site_reals)


def sums_of(stored: Stored, data: NDArray[Any], sites: NDArray[np.int64]) -> Sums:
    """The checksums of the encoded links of some sites."""
    words = data.view(f"{stored.order}u4").astype(np.uint32)
    return cast(Sums, FORMATS[stored.format].found_checksums(stored, words, sites))


def _sums_of_all(comm: Communicator, stored: Stored, own: Sums) -> Sums:
    parts = comm.gather(" ".join(map(str, own)).encode())
    text = b""
    if comm.rank() == 0:
        combined = FORMATS[stored.format].combined
        text = " ".join(map(str, combined(tuple(map(int, p.split())) for p in parts))).encode()
    first, second = map(int, comm.broadcast(text).split())
    return first, second


def frame(stored: Stored, sums: Sums, values: Values) -> tuple[bytes, bytes]:
    """The bytes before the links, and those after them."""
    kind = FORMATS[stored.format]
    before = cast(bytes, kind.header(stored, sums, values))
    return before, cast(bytes, getattr(kind, "footer", lambda _sums: b"")(sums))


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RunError(f"{path} cannot be written: {disk_reason(error)}") from None


def _begin(path: Path, beside: Path, before: bytes, after: bytes, whole: int) -> None:
    """Reserve the space of the whole file, so that a full disk is noticed before links are
    written.
    """
    with _writing(path):
        beside.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, whole)
            file.write(before)
            file.seek(whole - len(after))
            file.write(after)
            file.flush()
            os.fsync(file.fileno())


def _fill(
    path: Path, beside: Path, offset: int, data: NDArray[Any], sites: NDArray[np.int64]
) -> None:
    """Write each contiguous run of a rank's sites to its place in the file."""
    edges = [0, *(np.flatnonzero(np.diff(sites) != 1) + 1).tolist(), len(sites)]
    with _writing(path), beside.open("r+b", buffering=0) as file:
        for first, last in pairwise(edges):
            file.seek(offset + int(sites[first]) * data[0].nbytes)
            run = memoryview(data[first:last].tobytes())
            while run:
                run = run[file.write(run) :]
        os.fsync(file.fileno())


def _finish(path: Path, beside: Path, stored: Stored, sums: Sums, readings: list[Reading]) -> None:
    """Write the header, and let the file take its place if a check accepts it."""
    head = _head_of_read(path, stored, sums, readings)
    with _writing(path):
        with beside.open("r+b") as file:
            file.write(head)
            file.flush()
            os.fsync(file.fileno())
        _check(path, beside, readings)
        beside.replace(path)
        sync_folder(path.parent)

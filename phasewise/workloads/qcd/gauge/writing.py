"""Writes links to a file: one process writes all of them, or each rank those of its own box of
sites. Both ways give the same file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Communicator
from phasewise.errors import PhasewiseError, RunError
from phasewise.mpi.ranks import collectively, on_rank_zero
from phasewise.runs.disk import disk_reason, replacing, sync_folder
from phasewise.workloads.qcd.gauge.files import FORMATS, open_links
from phasewise.workloads.qcd.gauge.names import Form
from phasewise.workloads.qcd.gauge.stored import PRECISIONS, Floats, Stored, site_numbers
from phasewise.workloads.qcd.grids import Extents

Sums = tuple[int, int]
Values = Mapping[str, float]
"""Plaquette and link trace."""


def write_links(path: Path, form: Form, size: Extents, links: Floats, values: Values) -> Stored:
    """Write links, [t][z][y][x][4][3][3][2], to a temporary file that then replaces `path`, and
    return the file as it is read back. RunError if the disk refuses.
    """
    stored = _described(path, form, size)
    data = _encoded(stored, links)
    sums = _sums(stored, data, np.arange(len(data), dtype=np.int64))
    before, after = _frame(stored, sums, values)
    with _writing(path), replacing(path) as file:
        file.write(before)
        file.write(data.tobytes())
        file.write(after)
    return open_links(path)


def write_own_links(
    path: Path,
    form: Form,
    size: Extents,
    origin: Extents,
    links: Floats,
    values: Values,
    comm: Communicator,
) -> None:
    """As `write_links`, but each rank writes the links of its own box, which begins at `origin`;
    collective. An older file stays in place until the new one is complete.
    """
    stored = _described(path, form, size)
    data = _encoded(stored, links)
    extents: Extents = links.shape[3::-1]
    sites = site_numbers(size, origin, extents)
    sums = _sums_of_all(comm, stored, _sums(stored, data, sites))
    before, after = _frame(stored, sums, values)
    beside = path.with_name(path.name + ".partial")
    whole = len(before) + stored.data_bytes + len(after)
    try:
        on_rank_zero(comm, lambda: _begin(path, beside, before, after, whole))
        collectively(comm, lambda: _fill(path, beside, len(before), data, sites))
        on_rank_zero(comm, lambda: _finish(path, beside))
    except PhasewiseError:
        if comm.rank() == 0:
            beside.unlink(missing_ok=True)
        raise


def _described(path: Path, form: Form, size: Extents) -> Stored:
    return Stored(path, form.format, size, form.precision, form.rows, form.big, 0)


def _encoded(stored: Stored, links: Floats) -> NDArray[Any]:
    """The reals of the links in the precision and byte order of the file, (sites, reals of a
    site).
    """
    kind = f"{stored.order}f{PRECISIONS[stored.precision]}"
    rows = links[..., : stored.rows, :, :]
    return np.ascontiguousarray(rows, dtype=kind).reshape(-1, stored.site_reals)


def _sums(stored: Stored, data: NDArray[Any], sites: NDArray[np.int64]) -> Sums:
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


def _frame(stored: Stored, sums: Sums, values: Values) -> tuple[bytes, bytes]:
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


def _finish(path: Path, beside: Path) -> None:
    with _writing(path):
        beside.replace(path)
        sync_folder(path.parent)

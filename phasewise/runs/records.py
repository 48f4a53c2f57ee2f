"""Records of a run, written turn by turn to one HDF5 file that others may read meanwhile.

HDF5's single-writer multiple-reader mode (SWMR) keeps the file readable, and whole after a crash,
but forbids new objects once it is on: every dataset is made at the start, empty, and extended when
its turn has come. docs/records.md lists them.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Arrays
from phasewise.errors import PhasewiseError, RunError
from phasewise.runs.disk import DAMAGE, damage_reason, disk_reason, missing_bytes, reserve, trim
from phasewise.runs.layout import (
    Dataset,
    entries,
    numbered,
    row_layout,
    snapshot_groups,
    snapshot_layout,
)
from phasewise.study import Study
from phasewise.tables.files import special

FLUSH_SECONDS = 0.5, 2.0
"""The file is brought up to date no more often than the first and no less often than the second."""
BUFFERED_TURNS = 1024
BUFFERED_BYTES = 1 << 19
"""Most rows that wait to be written; a full disk loses no more than these."""
CHUNK_BYTES = 1 << 16
COPIED_BYTES = 1 << 22
RESERVED = 1 << 20
"""Bytes kept beyond the arrays to be written, for the file's own bookkeeping."""
OBJECT_BYTES = 2048
"""Bytes of the file's bookkeeping for each dataset, at most."""
NOT_RECORDED = {"f8": np.nan, "i8": -1}
"""The value of a dataset for turns that an earlier version recorded, if it did not have the
dataset.
"""
OPEN_FOR_WRITING = "already open for write"
"""Words in HDF5's refusal to open a file without SWMR that its writer has not closed."""


class RecordsWriter:
    """The only writer of a records file; OSErrors of the disk become RunErrors of one sentence."""

    def __init__(self, path: Path, study: Study, attributes: Mapping[str, Any]) -> None:
        """Make a new file; `attributes` are those of its root that are known before the run."""
        self._start(path, study)
        with self._writing():
            self._file = h5py.File(path, "w", libver="latest", locking=False)
            self._lay_out(attributes, None, 0)

    @classmethod
    def resume(
        cls, path: Path, study: Study, attributes: Mapping[str, Any], turn: int
    ) -> RecordsWriter:
        """Go on with the records at `path`, cut to the turns before `turn`.

        They are copied into a new file that then takes their place, so that a failure leaves the
        old file whole.
        """
        writer = cls.__new__(cls)
        writer._start(path, study)
        beside = path.with_name(path.name + ".new")
        with open_records(path) as old, reading(path):
            rows = len(old[writer._unit])
            if rows < turn:
                raise RunError(
                    f"{path} ends before {writer._unit} {turn}, at which the checkpoint stands"
                )
            with writer._writing():
                writer._file = h5py.File(beside, "w", libver="latest", locking=False)
                kept = dict(attributes) | {"created": text_of(old.attrs["created"])}
                writer._former_seconds = float(old.attrs[f"seconds_per_{writer._unit}"])
                writer._lay_out(kept, old, turn)
                beside.replace(path)
        return writer

    def _start(self, path: Path, study: Study) -> None:
        self.path = path
        self._study = study
        self._layout = row_layout(study)
        self._unit = study.workload.unit.one
        self._rows: list[dict[str, Any]] = []
        self._flushed = time.monotonic()
        self._failed = False
        self._former_seconds = np.nan
        self._chunks = self._row_bytes = 0

    def _lay_out(self, attributes: Mapping[str, Any], old: h5py.File | None, turn: int) -> None:
        """Make the attributes and every dataset, copy what `old` has of the turns before `turn`,
        and switch to SWMR.
        """
        file = self._file
        snapshots = snapshot_layout(self._study, turn)
        reserve(file, OBJECT_BYTES * (len(snapshots) + len(self._layout)) + RESERVED)
        now = datetime.now(UTC).isoformat("T", "seconds")
        fixed = {"complete": False, f"seconds_per_{self._unit}": np.nan}
        for name, value in ({"created": now} | dict(attributes) | fixed).items():
            file.attrs[name] = fixed_text(value) if isinstance(value, str) else value
        for name, declared in self._layout.items():
            made = self._extended(name, declared)
            if old is not None and name in old:
                _copy_rows(old[name], made, turn)
            else:
                made.resize(turn, axis=0)
        if old is not None:
            self._keep_snapshots(old, turn)
        for name, declared in snapshots.items():
            if name not in file:
                _written_once(file, name, declared)
        file.swmr_mode = True

    def _extended(self, name: str, declared: Dataset) -> h5py.Dataset:
        """An empty dataset that grows turn by turn."""
        shape, kind = declared.shape, declared.kind
        bytes_per_row = 8 * max(1, int(np.prod(shape)))
        wide = tuple(max(1, length) for length in shape)
        chunk = (max(1, min(BUFFERED_TURNS, CHUNK_BYTES // bytes_per_row)), *wide)
        self._chunks += bytes_per_row * chunk[0]
        self._row_bytes += bytes_per_row
        made = self._file.create_dataset(
            name,
            (0, *shape),
            kind,
            maxshape=(None, *wide),
            chunks=chunk,
            fletcher32=True,
            fillvalue=NOT_RECORDED[kind],
        )
        _describe(made, declared)
        return made

    def _keep_snapshots(self, old: h5py.File, turn: int) -> None:
        """Copy the snapshots of the turns before `turn`, and describe those of an earlier version,
        which did not describe them.
        """
        all_stay = numbered(self._study)
        for kind in snapshot_groups(self._study):
            for name in old.get(kind, {}):
                if all_stay or int(name) < turn:
                    old.copy(f"{kind}/{name}", self._file.require_group(kind))
        for name, declared in snapshot_layout(self._study).items():
            kept = self._file.get(name)
            if kept is not None and not kept.attrs:
                _describe(kept, declared)

    def append(self, turn: int, record: Mapping[str, Any]) -> None:
        """Keep the driver's record of `turn`; it reaches the file within seconds."""
        row: dict[str, Any] = {self._unit: turn}
        values = entries(self._study, record)
        for name, declared in self._layout.items():
            shape = declared.shape
            if name not in row:
                # It is copied because the driver may reuse what it hands over.
                row[name] = np.empty(shape) if 0 in shape else np.array(values[name]).reshape(shape)
        self._rows.append(row)
        waited = time.monotonic() - self._flushed
        often, seldom = FLUSH_SECONDS
        due = len(self._rows) >= self._study.records.every and waited >= often
        full = len(self._rows) >= min(BUFFERED_TURNS, BUFFERED_BYTES // self._row_bytes)
        if due or waited >= seldom or full:
            self.flush()

    def flush(self) -> None:
        """Bring the file up to date; what it held before stays readable if this fails."""
        with self._writing():
            self._check_there()
            if self._rows:
                self._reserve()
                last = self._file[self._unit].shape[0] + len(self._rows)
                for name in sorted(self._layout, key=lambda name: name == self._unit):
                    if name == self._unit:  # readers count these, which is why they come last
                        self._file.flush()
                    dataset = self._file[name]
                    dataset.resize(last, axis=0)
                    if dataset.size:
                        dataset[last - len(self._rows) :] = np.stack([r[name] for r in self._rows])
                self._rows.clear()
            self._file.flush()
        self._flushed = time.monotonic()

    def sync(self) -> None:
        """Flush, and wait until the disk has it."""
        self.flush()
        with self._writing():
            os.fsync(self._file.id.get_vfd_handle())

    def snapshot(self, group: str, values: Arrays) -> None:
        """Write the arrays of `values` under `group`, such as `slices/100/ip1/beam2`."""
        with self._writing():
            for name in values:
                dataset = self._file.get(f"{group}/{name}" if name else group)
                if dataset is not None:
                    array = np.asarray(values[name], dtype=np.float64)
                    reserve(self._file, 2 * array.nbytes + RESERVED)
                    dataset.resize(array.shape)
                    dataset[...] = array

    def close(self, complete: bool = False, seconds_per_turn: float = float("nan")) -> None:
        """Write what is left and close; `complete` says that the study ran to its end.

        Without `seconds_per_turn`, the value of the resumed records stays.
        """
        known = self._former_seconds if np.isnan(seconds_per_turn) else seconds_per_turn
        self.flush()
        with self._writing():
            self._file.attrs.modify("complete", complete)
            self._file.attrs.modify(f"seconds_per_{self._unit}", known)
            self._file.close()
            trim(self.path)

    def close_after_failure(self) -> None:
        """Write what can still be written, and close the file whatever state the disk is in."""
        with contextlib.suppress(RunError):
            if not self._failed:
                self.flush()
        with contextlib.suppress(OSError, RuntimeError):
            self._file.close()
            trim(self.path)

    def _check_there(self) -> None:
        """RunError if `path` no longer leads to the open file: further turns would be lost."""
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self._file.id.get_vfd_handle()), self.path.stat()):
                return
        self._failed = True
        raise RunError(f"{self.path} was removed while the run was writing to it")

    def _reserve(self) -> None:
        """Reserve the space that the buffered rows need, including one more chunk of every
        dataset.
        """
        rows = sum(np.asarray(value).nbytes for row in self._rows for value in row.values())
        reserve(self._file, 2 * rows + self._chunks + RESERVED)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except (OSError, RuntimeError) as error:
            if isinstance(error, RunError):
                raise
            self._failed = True
            raise RunError(
                f"records cannot be written to {self.path} ({disk_reason(error)}); "
                "what was written before is kept"
            ) from error


def open_records(path: Path) -> h5py.File:
    """A records file for reading, also while it is written or after its writer was killed.

    No lock is taken, so that a reader never stands in the way of the writer. RunError if there are
    no records, or they are damaged. In SWMR mode HDF5 reads damaged metadata again and again, in
    case a writer repairs them, so only a file that is marked as being written is opened in that
    mode.
    """
    try:
        with reading(path):
            if what := special(path):
                raise RunError(f"{path} {what}")
            if missing_bytes(path):
                raise OSError("it is truncated")
            try:
                return h5py.File(path, "r", locking=False)
            except OSError as error:
                if OPEN_FOR_WRITING not in str(error):
                    raise
            return h5py.File(path, "r", libver="latest", swmr=True, locking=False)
    except FileNotFoundError:
        raise RunError(f"there are no records at {path}") from None


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the errors that h5py and json raise for a damaged file at `path` into a RunError."""
    try:
        yield
    except (PhasewiseError, FileNotFoundError):
        raise
    except DAMAGE as error:
        reason = disk_reason(error) if isinstance(error, OSError) else damage_reason(error)
        raise RunError(f"{path} cannot be read as records: {reason}") from error


def json_attribute(value: Any) -> str:
    """A dictionary as the attributes `study` and `derived` hold it."""
    return json.dumps(value, ensure_ascii=False)


def fixed_text(text: str) -> np.bytes_:
    """A text of fixed length for the file. Texts of variable length would go into HDF5's global
    heap, which has no checksum, and in which one flipped bit makes the library search without end.
    """
    return np.bytes_(text.encode())


def text_of(value: Any) -> str:
    """A text from a file of any version; UnicodeError if it is none in UTF-8, of which HDF5 gives
    every wrong byte as half of a character.
    """
    return value.decode() if isinstance(value, bytes) else str(value).encode().decode()


def read_rows(dataset: h5py.Dataset, first: int, last: int) -> NDArray[Any]:
    """Rows [first, last) of a dataset that is extended turn by turn; OSError if one is damaged.

    Each flush writes the last chunk anew. Its checksum disagrees during that, or if the writer was
    killed during it, but the rows that were flushed before are the same in both versions. So in a
    file that its writer has not closed, the last chunk is read without its checksum.
    """
    try:
        return np.asarray(dataset[first:last])
    except OSError:
        if not dataset.file.id.get_intent() & h5py.h5f.ACC_SWMR_READ:
            raise
        length = dataset.chunks[0]
        start = max(first, (last - 1) // length * length)
        place = (start // length * length, *(0 for _ in dataset.shape[1:]))
        _, data = dataset.id.read_direct_chunk(place)
        count = int(np.prod(dataset.chunks))
        chunk = np.frombuffer(data, dataset.dtype, count).reshape(dataset.chunks)
        tail = chunk[start - place[0] : last - place[0]]
        return np.concatenate([dataset[first:start], tail]) if first < start else tail


def _describe(made: h5py.Dataset, declared: Dataset) -> None:
    """Give a new dataset its unit, description and columns as attributes."""
    texts = {"unit": declared.unit, "description": declared.description}
    named = {"columns": declared.columns} if declared.columns else {}
    for name, text in (texts | named).items():
        made.attrs.create(name, np.array(text, "S"))


def _written_once(file: h5py.File, name: str, declared: Dataset) -> None:
    axes = len(declared.shape)
    made = file.create_dataset(
        name,
        (0,) * axes,
        declared.kind,
        maxshape=(None,) * axes,
        chunks=declared.shape,
        fletcher32=True,
    )
    _describe(made, declared)


def _copy_rows(old: h5py.Dataset, new: h5py.Dataset, rows: int) -> None:
    new.resize(rows, axis=0)
    if not new.size:
        return
    bytes_per_row = old.dtype.itemsize * int(np.prod(old.shape[1:]))
    step = max(1, COPIED_BYTES // bytes_per_row)
    for first in range(0, rows, step):
        reserve(new.file, 2 * COPIED_BYTES)
        new[first : min(rows, first + step)] = read_rows(old, first, min(rows, first + step))

"""The file in which the core finds what the ranks did, ``core/recorded/program_file.hpp``."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from phasewise.errors import RunError
from phasewise.recorder.recording import Recording
from phasewise.runs.disk import disk_reason
from phasewise.runs.folder import TRACE_FOLDER
from phasewise.version import __version__
from phasewise.workloads.recorded.acts import Acts, RankActs, acts_of_all

VERSION = 4
"""Rises when a record becomes another program, or the file changes: programs are kept."""


@dataclass(frozen=True)
class Manner:
    """How a record becomes a program: as the keys of [recorded] say. places: of the recorded ranks
    among those of the replay; empty: their own.
    """

    steady: bool = False
    balanced: bool = False
    places: tuple[int, ...] = ()


def program_file(recording: Recording, manner: Manner) -> Path:
    """The path of the file for a record, made unless it is there; RunError if it cannot be."""
    name = f"replay-{_key(recording, manner)}.program"
    own = recording.folder / TRACE_FOLDER / name
    folders = (own.parent, Path(tempfile.gettempdir()))
    for folder in folders:
        if (folder / name).is_file():
            return (folder / name).resolve()
    acts = acts_of_all(recording, manner.steady, manner.balanced, manner.places)
    content = content_of(acts)
    reason = ""
    for folder in folders:
        try:
            return _kept(folder / name, content)
        except OSError as error:
            reason = disk_reason(error)
    raise RunError(f"the program of the record in {recording.folder} cannot be kept ({reason})")


def _kept(path: Path, content: bytes) -> Path:
    """Write the file such that it is there as a whole or not at all."""
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path.resolve()


def _key(recording: Recording, manner: Manner) -> str:
    """A word that changes with the record and the manner."""
    about = [VERSION, __version__, manner, str(recording.folder.resolve())]
    for file in recording.files:
        state = file.path.stat()
        about += [state.st_size, state.st_mtime_ns]
    return hashlib.sha256(repr(about).encode()).hexdigest()[:16]


def _number(value: int) -> bytes:
    return value.to_bytes(8, "little", signed=True)


def _array(values: object, kind: str) -> bytes:
    array = np.asarray(values, dtype=kind)
    return _number(len(array)) + array.tobytes()


def content_of(acts: Acts) -> bytes:
    """The file of the acts of all ranks."""
    head = [_number(VERSION), _number(len(acts.phases))]
    for phase in acts.phases:
        text = phase.encode()
        head.append(_number(len(text)) + text)
    head.append(_number(len(acts.teams)))
    head += [_array(team, "<i4") for team in acts.teams]
    parts = [_of_rank(one) for one in acts.ranks]
    length = sum(map(len, head)) + 8 * (1 + len(parts))
    places = length + np.cumsum([0, *(len(part) for part in parts)])[:-1]
    return b"".join([*head, _array(places, "<i8"), *parts])


def _of_rank(acts: RankActs) -> bytes:
    rows, row_of = np.unique(acts.rows, axis=0, return_inverse=True)
    lists = [_array(one, "<i8") for one in acts.lists]
    return b"".join(
        [
            _number(len(rows)),
            rows.astype("<i8").tobytes(),
            _number(len(lists)),
            *lists,
            _array(row_of.ravel(), "<i4"),
            _array(acts.gaps, "<i8"),
        ]
    )

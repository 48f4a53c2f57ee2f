"""The file in which the core finds what the ranks did, ``core/recorded/program_file.hpp``."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from phasewise.errors import RunError
from phasewise.recorder.recording import Recording, state_of
from phasewise.runs.disk import disk_reason
from phasewise.scratch import folder_of_process
from phasewise.workloads.recorded.acts import Acts, RankActs, acts_of_all

VERSION = 4
"""Rises when the file changes."""
FOLDER = "PHASEWISE_PROGRAMS"
"""The variable by which ranks find the programs of the process that has started them."""


@dataclass(frozen=True)
class Manner:
    """How a record becomes a program: as the keys of [recorded] say. places: of the recorded ranks
    among those of the replay; empty: their own.
    """

    steady: bool = False
    balanced: bool = False
    places: tuple[int, ...] = ()


def program_file(recording: Recording, manner: Manner) -> Path:
    """The path of the file for a record, which is there as long as this process or that which
    started it; RunError if it cannot be made.
    """
    name = f"replay-{_key(recording, manner)}.program"
    given = Path(os.environ.get(FOLDER, ""), name)
    if given.is_absolute() and given.is_file():
        return given
    try:
        folder = folder_of_process()
        os.environ.setdefault(FOLDER, str(folder))
        path = folder / name
        if not path.is_file():
            acts = acts_of_all(recording, manner.steady, manner.balanced, manner.places)
            path.write_bytes(content_of(acts))
    except OSError as error:
        raise RunError(
            f"the program of the record in {recording.folder} cannot be kept in "
            f"{tempfile.gettempdir()} ({disk_reason(error)}): set TMPDIR to another folder"
        ) from None
    return path


def _key(recording: Recording, manner: Manner) -> str:
    """A word that changes with the record and the manner."""
    about = [manner, state_of(recording.folder.resolve())]
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

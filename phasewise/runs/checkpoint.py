"""Checkpoints: everything a bit-exact resume needs, whatever the number of ranks.

A checkpoint is one HDF5 file, `checkpoint/turn-<turn>.h5`: the turn, the rows of the run's state by
ascending id, set by set, and the study. Random numbers are a function of the seed, the id and the
turn, so there is no other state. A checksum of the whole file is appended to it, and compared
before HDF5 opens it. The file is written under another name, synced and renamed, so that a file of
this name is whole; the last two are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Arrays, Communicator, Run
from phasewise.errors import RunError, StudyError
from phasewise.mpi.ranks import collectively, on_rank_zero
from phasewise.runs.disk import DAMAGE, damage_reason, disk_reason, replacing_hdf5
from phasewise.runs.gathering import ID, Columns, count_rows, gather_rows
from phasewise.runs.records import fixed_text, json_attribute
from phasewise.runs.sealing import check_seal
from phasewise.runs.state import State, state_of
from phasewise.study import Study
from phasewise.tables.files import special
from phasewise.workload.discovery import KEY, workload_of

FORMAT = 3
KEPT = 2
CHUNK_ROWS = 1 << 16
"""Rows under one of HDF5's own checksums; a chunk of numbers takes half of HDF5's cache."""

FREE_KEYS = r"title|records\.(every|checkpoint_every|checkpoint_minutes)|run\..*|communication\..*"
"""Keys of a study that may change between a checkpoint and the run that goes on from it: how ranks
divide and exchange their work changes no bit of the results, and where they compute changes at most
the last bits. The count of turns may change too.
"""


def write_checkpoint(folder: Path, run: Run, comm: Communicator, study: Study) -> Path:
    """Write a checkpoint of this moment into `folder`; collective.

    RunError if it cannot be written; the earlier ones stay.
    """
    path = folder / f"turn-{run.turn:012d}.h5"
    state = state_of(run, comm, study)
    counts = {
        name: count_rows(state.rows(name), comm, state.below(name)) for name in state.columns()
    }
    try:
        with ExitStack() as stack:
            file = None
            if comm.rank() == 0:
                file = stack.enter_context(replacing_hdf5(path, sealed=True))
                file.attrs["format"] = FORMAT
                file.attrs["turn"] = run.turn
                text = fixed_text(json_attribute(study.resolved()))
                file.create_dataset("study", data=[text], chunks=(1,), fletcher32=True)
            for name, columns in state.columns().items():
                sink = None if file is None else _Sink(file, name, columns, counts[name])
                for block in gather_rows(state.rows(name), columns, comm, state.below(name)):
                    if sink is not None:
                        sink.write(block)
        if comm.rank() == 0:
            for old in find_checkpoints(folder)[KEPT:]:
                old.unlink()
    except OSError as error:
        raise RunError(
            f"the checkpoint {path} cannot be written ({disk_reason(error)}); "
            "what was written before is kept"
        ) from error
    return path


class _Sink:
    """The datasets of one set of rows, filled block by block."""

    def __init__(self, file: h5py.File, name: str, columns: Columns, count: int) -> None:
        self._filled = 0
        # HDF5 keeps checksums of chunks, and an empty dataset has none.
        checked = {"chunks": (min(count, CHUNK_ROWS),), "fletcher32": True} if count else {}
        self._datasets = {
            column: file.create_dataset(f"{name}/{column}", (count,), kind, **checked)
            for column, kind in columns.items()
        }

    def write(self, block: Mapping[str, NDArray[Any]]) -> None:
        last = self._filled + len(block[ID])
        for name, dataset in self._datasets.items():
            dataset[self._filled : last] = block[name]
        self._filled = last


def find_checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in `folder`, newest first."""
    return sorted(folder.glob("turn-*.h5"), reverse=True)


def choose_checkpoint(
    folder: Path, study: Study, sets: Mapping[str, Columns]
) -> tuple[Path, list[str]]:
    """The newest whole checkpoint of `study` in `folder`, and a sentence for each that is damaged.

    sets: the sets of rows that it must hold, with their columns.

    RunError if there is none; StudyError if it belongs to another study.
    """
    notes: list[str] = []
    for path in find_checkpoints(folder):
        try:
            saved, turn = verify(path, sets)
        except DAMAGE as error:
            notes.append(f"the checkpoint {path} is damaged ({damage_reason(error)})")
        else:
            check_study(path, saved, study, turn)
            return path, notes
    if notes:
        raise RunError(f"{'; '.join(notes)}, and there is no older one to go on from")
    raise RunError(f"there is no checkpoint in {folder} to go on from; run without --resume")


def verify(path: Path, sets: Mapping[str, Columns]) -> tuple[dict[str, Any], int]:
    """The study and the turn of a checkpoint that is whole; one of DAMAGE is raised if it is
    not.
    """
    if what := special(path):
        raise OSError(f"it {what}")
    check_seal(path)
    with h5py.File(path, "r", locking=False) as file:
        if file.attrs["format"] != FORMAT:
            raise OSError(f"its format is {file.attrs['format']}, and this version reads {FORMAT}")
        for name in (f"{rows}/{column}" for rows, columns in sets.items() for column in columns):
            if name not in file:
                raise KeyError(name)
        return json.loads(file["study"][0]), int(file.attrs["turn"])


def check_study(path: Path, saved: dict[str, Any], study: Study, turn: int) -> None:
    """StudyError if the checkpoint at `path` belongs to another study than `study`."""
    now = json.loads(json_attribute(study.resolved()))
    unit = study.workload.unit.many
    free = re.compile("|".join(filter(None, (FREE_KEYS, unit, study.workload.free_keys))))
    here, there = _flat(now), _flat({KEY: workload_of(saved).name} | saved)
    there = _former(study, here, there) | there
    keys = sorted(k for k in here.keys() | there.keys() if here.get(k) != there.get(k))
    differing = [k for k in keys if not free.fullmatch(k)]
    if differing:
        shown = ", ".join(
            f"{k} ({there.get(k, 'not given')} there, {here.get(k, 'not given')} here)"
            for k in differing[:4]
        )
        more = f" and {len(differing) - 4} more" if len(differing) > 4 else ""
        raise StudyError(f"the checkpoint {path} is of another study: {shown}{more} differ")
    if study.count < turn:
        one = study.workload.unit.one
        raise StudyError(
            f"{unit} = {study.count}, but the checkpoint {path} stands at {one} {turn}"
        )


def former_keys(folder: Path, study: Study) -> dict[str, Any]:
    """The keys that `study` leaves out, that the newest checkpoint in `folder` does not know, and
    whose default is not what the version did that wrote it; with the values that are.
    """
    for path in find_checkpoints(folder):
        try:
            saved, _ = verify(path, {})
        except DAMAGE:
            continue
        here = _flat(json.loads(json_attribute(study.resolved())))
        found = _former(study, here, _flat(saved))
        return {key: value for key, value in found.items() if value != here[key]}
    return {}


def _former(study: Study, here: dict[str, Any], there: dict[str, Any]) -> dict[str, Any]:
    """What the keys that only `here` has would have been there, unless the study gives them."""
    former = study.workload.formerly(study.model)
    then = {
        key: former[key].value if key in former and former[key].matters else value
        for key, value in here.items()
        if key not in there
    }
    given = _flat(study.given)
    return {
        key: value
        for key, value in then.items()
        if key not in given or (key in former and value == here[key])
    }


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def restore(folder: Path, run: Run, comm: Communicator, study: Study) -> list[str]:
    """Set `run` to the state of the newest whole checkpoint in `folder`; collective.

    Every rank reads its own rows. Returns sentences about damaged checkpoints that were passed
    over.
    """
    state = state_of(run, comm, study)
    chosen = on_rank_zero(comm, lambda: choose_checkpoint(folder, study, state.columns()))
    path, notes = chosen if chosen is not None else (Path(), [])
    path = Path(comm.broadcast(str(path).encode()).decode())
    turn, found = collectively(comm, lambda: _read(path, state))
    for name, columns in found.items():
        state.restore(name, columns)
    run.set_turn(turn)
    return [f"{note}; going on from {path}" for note in notes]


def _read(path: Path, state: State) -> tuple[int, dict[str, Arrays]]:
    try:
        with h5py.File(path, "r", locking=False) as file:
            found = {}
            for name, columns in state.columns().items():
                ids = state.owned(name)
                if ids is not None:
                    found[name] = _read_rows(file[name], columns, ids)
            return int(file.attrs["turn"]), found
    except DAMAGE as error:
        raise RunError(f"the checkpoint {path} cannot be read: {damage_reason(error)}") from error


def _read_rows(group: h5py.Group, columns: Columns, ids: NDArray[np.int64]) -> Arrays:
    """The rows with these ids; rows that are missing were lost before the checkpoint."""
    if not len(ids):
        return {name: group[name][:0] for name in columns}
    first = _place(group[ID], int(ids.min()))
    last = _place(group[ID], int(ids.max()) + 1)
    own = np.isin(group[ID][first:last], ids)
    return {name: group[name][first:last][own] for name in columns}


def _place(ids: h5py.Dataset, id_: int) -> int:
    """Index of the first of the ascending `ids` not below `id_`, by bisection on the disk."""
    low, high = 0, int(ids.shape[0])
    while low < high:
        middle = (low + high) // 2
        if ids[middle] < id_:
            low = middle + 1
        else:
            high = middle
    return low

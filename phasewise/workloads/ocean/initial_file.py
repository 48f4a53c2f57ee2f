"""Fields at the start from an HDF5 file: `surface` [j][i], and `temperature`, `salinity`, `u`, `v`
[k][j][i], from the surface, from the south and from the west. One that the file lacks stays what a
stratified ocean at rest has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Communicator, Floats, StatefulRun
from phasewise.errors import RunError, StudyError
from phasewise.mpi.ranks import collectively
from phasewise.runs.records import reading
from phasewise.workloads.ocean.driver import CELLS, COLUMNS
from phasewise.workloads.ocean.gathered import FIELDS, OF_COLUMNS, fields_of, levels_of
from phasewise.workloads.ocean.table import FROM_FILE, OceanTable


@contextmanager
def opened(model: OceanTable) -> Iterator[h5py.File]:
    """The file; StudyError if it is none."""
    path = model.initial_file
    assert path is not None
    if not path.is_file():
        raise StudyError(f"ocean.initial_file: the file {path} does not exist")
    try:
        with reading(path), h5py.File(path, "r", locking=False) as file:
            yield file
    except RunError as error:
        raise StudyError(f"ocean.initial_file: {error}") from None


def check_initial_file(model: OceanTable) -> None:
    """StudyError if the fields of a study cannot be read from its file, or are those of another
    grid; nothing without a file.
    """
    if model.initial == FROM_FILE:
        with opened(model) as file:
            _names(file, model)


def _names(file: h5py.File, model: OceanTable) -> list[str]:
    """The fields that a file has; StudyError if it has none, or of another grid."""
    where = f"ocean.initial_file: {model.initial_file}"
    there = [name for name in fields_of(model) if name in file]
    if not there:
        raise StudyError(f"{where} has none of {', '.join(FIELDS)}")
    nx, ny, _ = model.size
    for name in there:
        shape = (ny, nx) if name in OF_COLUMNS else (levels_of(model), ny, nx)
        if not isinstance(file[name], h5py.Dataset) or file[name].dtype.kind not in "iuf":
            raise StudyError(f"{where} has {name}, which is no dataset of real numbers")
        if file[name].shape != shape:
            given = " × ".join(map(str, file[name].shape)) or "one number"
            raise StudyError(
                f"{where} has {name} of another grid, {given}, and the study's is "
                f"{' × '.join(map(str, shape))}"
            )
    return there


def load_fields(run: StatefulRun, comm: Communicator, model: OceanTable) -> None:
    """Read this rank's part of the fields at the start; collective."""
    found = collectively(comm, lambda: _read(run, model))
    for rows, columns in found.items():
        ids = np.ascontiguousarray(columns.pop("id"), dtype=np.int64)
        run.restore(rows, ids, columns)


def _read(run: StatefulRun, model: OceanTable) -> dict[str, dict[str, NDArray[Any]]]:
    """The rows of this rank with the file's values."""
    state = run.state()
    with opened(model) as file:
        names = _names(file, model)
        return {
            rows: _replaced(state[rows], file, [n for n in names if (n in OF_COLUMNS) == flat])
            for rows, flat in ((COLUMNS, True), (CELLS, False))
            if rows in state
        }


def _replaced(
    rows: Mapping[str, NDArray[Any]], file: h5py.File, names: list[str]
) -> dict[str, NDArray[Any]]:
    found = {name: np.array(rows[name]) for name in rows}
    for name in names:
        values: Floats = np.asarray(file[name], np.float64).ravel()[np.asarray(rows["id"])]
        if not np.isfinite(values).all():
            raise StudyError(
                f"ocean.initial_file has {name} with values in the sea that are no finite numbers"
            )
        found[name] = np.ascontiguousarray(values)
        if f"{name}_before" in found:  # the first timestep has none before it
            found[f"{name}_before"] = found[name]
    return found

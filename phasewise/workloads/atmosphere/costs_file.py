"""Seconds of each column from a file, at one or several times: NumPy, CSV, HDF5 or NetCDF.

An array is [latitude][longitude] from the south, or a list of columns; one axis more before these
is the time. Without atmosphere.grid the grid is that of the array, and a list is 1 × its length.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from phasewise.driver import Floats
from phasewise.errors import StudyError
from phasewise.output import number_of
from phasewise.tables.keys import show
from phasewise.workload.array_files import Sought, array_in
from phasewise.workloads.atmosphere.csv_table import table_in
from phasewise.workloads.atmosphere.grid import Grid
from phasewise.workloads.atmosphere.table import AtmosphereTable

WHERE = "atmosphere.costs"
SOUGHT = Sought(
    key=WHERE,
    variable_key="atmosphere.costs_variable",
    what="seconds",
    article="the costs",
    axes=(1, 2, 3),
    whole=True,
    in_words="one to three dimensions",
    names=("cost", "costs", "seconds", "time_of_column", "runtime"),
)
TEXTS, ARRAY = (".csv", ".txt", ".dat"), ".npy"
"""The ends of names of files whose numbers have no names."""
MOST_VALUES = 2**22
"""Most costs of a file: the driver gets them as text."""
MOST_SECONDS = 1e9
"""Of a column; sums over columns and timesteps stay within the range of numbers."""
DIGITS = 16
"""Of a fingerprint, which is hexadecimal."""


def costs_of(model: AtmosphereTable) -> Floats:
    """(times, columns): seconds of each column, columns by longitude + longitudes × latitude.
    StudyError if they are none of the study's grid, or are no costs.
    """
    found = _read(model)
    _check_fingerprint(model)
    latitudes, longitudes = model.grid
    count = latitudes * longitudes
    shapes = ((latitudes, longitudes), (count,))
    if found.shape not in shapes and found.shape[1:] not in shapes:
        given = " × ".join(map(str, found.shape))
        raise StudyError(
            f"{WHERE}: {model.costs} has {given} numbers, and atmosphere.grid = "
            f"{show(model.grid)} needs {latitudes} × {longitudes}, or a list of {count}, with an "
            "axis for the time before them where there are several"
        )
    table = found.reshape(-1, count)
    _check(model, table)
    return table


def grid_of_costs(model: AtmosphereTable) -> Grid:
    """The grid of a file's array; StudyError if it cannot be read."""
    shape = _read(model).shape
    return (1, shape[0]) if len(shape) == 1 else (shape[-2], shape[-1])


def fingerprint_of_costs(model: AtmosphereTable) -> str:
    """The beginning of the SHA-256 of a file's shape and numbers; StudyError if it cannot be
    read.
    """
    return _fingerprint(*_place(model))


def _read(model: AtmosphereTable) -> Floats:
    return _array(*_place(model))


def _place(model: AtmosphereTable) -> tuple[Path, str | None, int]:
    """The file, its variable, and when the file was changed."""
    assert model.costs is not None
    try:
        changed = model.costs.stat().st_mtime_ns
    except OSError:
        raise StudyError(f"{WHERE}: the file {model.costs} does not exist") from None
    return model.costs, model.costs_variable, changed


@lru_cache(maxsize=4)
def _fingerprint(path: Path, variable: str | None, changed: int) -> str:
    found = _array(path, variable, changed)
    numbers = np.ascontiguousarray(found, dtype="<f8").tobytes()
    return sha256(f"{found.shape}".encode() + numbers).hexdigest()[:DIGITS]


@lru_cache(maxsize=4)
def _array(path: Path, variable: str | None, _changed: int) -> Floats:
    text = path.suffix.lower() in TEXTS
    if variable is not None and (text or path.suffix == ARRAY):
        raise StudyError(
            f"atmosphere.costs_variable = {show(variable)} is for HDF5 and NetCDF: the array of "
            f"{path} has no name"
        )
    found = table_in(path, WHERE) if text else array_in(path, variable, SOUGHT).values
    if not found.size:
        raise StudyError(f"{WHERE}: {path} has no numbers")
    if found.size > MOST_VALUES:
        raise StudyError(
            f"{WHERE}: {path} has {found.size} numbers, and at most {MOST_VALUES} are accepted: "
            "give fewer times"
        )
    return found


def _check_fingerprint(model: AtmosphereTable) -> None:
    """StudyError if the file has other numbers than the study of a run had."""
    given, here = model.costs_fingerprint, fingerprint_of_costs(model)
    if given not in (None, here):
        raise StudyError(
            f"{WHERE}: {model.costs} has other costs than atmosphere.costs_fingerprint = "
            f"{show(given)} says, {show(here)}: give the former file, or leave this key out"
        )


def _check(model: AtmosphereTable, table: Floats) -> None:
    """StudyError if a cost is negative, missing or beyond all use, or if no column costs anything
    at a time.
    """
    bad = ~((table >= 0) & (table <= MOST_SECONDS))  # NaN too
    if bad.any():
        time, column = map(int, np.unravel_index(int(np.argmax(bad)), table.shape))
        value = float(table[time, column])
        what = "no cost" if np.isnan(value) else f"a cost of {value:g} s"
        what += ", which is not finite," if np.isinf(value) else ""
        latitude, longitude = divmod(column, model.grid[1])
        at = f" at time {time}" if len(table) > 1 else ""
        raise StudyError(
            f"{WHERE}: {model.costs} has {what} for the column at latitude {latitude} and "
            f"longitude {longitude}{at} (the first is 0), {number_of(int(bad.sum()), 'such value')}"
            f" in all; each column needs a number of seconds, from 0 to {MOST_SECONDS:g}"
        )
    idle = table.max(axis=1) < np.finfo(np.float64).tiny  # shares of less are no numbers
    if idle.any():
        at = f" at time {int(np.argmax(idle))}" if len(table) > 1 else ""
        raise StudyError(f"{WHERE}: {model.costs} has no cost above 0{at}")

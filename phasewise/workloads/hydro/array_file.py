"""Arrays at the start from an HDF5 file: density, pressure, and the velocities along the axes.

Each is [i], [i][j] or [i][j][k], with the zones of hydro.zones along the axes. A velocity that the
file lacks is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from phasewise.driver import Floats
from phasewise.errors import RunError, StudyError
from phasewise.output import number_of
from phasewise.runs.records import reading
from phasewise.workloads.hydro.table import HydroTable
from phasewise.workloads.hydro.zones import POSITIVE, VELOCITIES, Integers, fields_of, places_of

BLOCK = 1 << 20
"""Zones that are read at a time to check a file."""


@contextmanager
def opened(path: Path) -> Iterator[h5py.File]:
    """The file; StudyError if it is none."""
    if not path.is_file():
        raise StudyError(f"hydro.file: the file {path} does not exist")
    try:
        with reading(path), h5py.File(path, "r", locking=False) as file:
            yield file
    except RunError as error:
        raise StudyError(f"hydro.file: {error}") from None


def check_array_file(model: HydroTable) -> tuple[str, ...]:
    """Sentences on zones that are below the floors; StudyError if the arrays of a study cannot be
    read from its file, are those of another grid, or hold a state that no gas has. Nothing without
    a file.
    """
    if model.file is None:
        return ()
    with opened(model.file) as file:
        there = _names(file, model)
        floored = dict.fromkeys(POSITIVE, 0)
        for first, last in _blocks(model.zones):
            for name in there:
                part = np.asarray(file[name][first:last], np.float64)
                _check_values(model, name, part, first)
                if name in POSITIVE:
                    floored[name] += int((part < _floor(model, name)).sum())
    return tuple(
        f"hydro.file: {model.file} has {number_of(count, 'zone')} with a {name} below "
        f"hydro.{name}_floor = {_floor(model, name):g}, which get this {name}"
        for name, count in floored.items()
        if count
    )


def _names(file: h5py.File, model: HydroTable) -> list[str]:
    """The datasets that a file has; StudyError if one is missing, or of another grid."""
    where = f"hydro.file: {model.file}"
    there = [name for name in fields_of(model) if name in file]
    for name in POSITIVE:
        if name not in there:
            raise StudyError(f"{where} has no dataset {name}: it must have density and pressure")
    extra = [name for name in VELOCITIES if name in file and name not in there]
    if extra:
        raise StudyError(
            f"{where} has {extra[0]}, and the study's grid has "
            f"{number_of(len(model.zones), 'axis', 'axes')}"
        )
    for name in there:
        if not isinstance(file[name], h5py.Dataset) or file[name].dtype.kind not in "iuf":
            raise StudyError(f"{where} has {name}, which is no dataset of real numbers")
        if file[name].shape != model.zones:
            given = " × ".join(map(str, file[name].shape)) or "one number"
            raise StudyError(
                f"{where} has {name} of another grid, {given}, and hydro.zones are "
                f"{model.grid_text}"
            )
    return there


def _check_values(model: HydroTable, name: str, part: Floats, first: int) -> None:
    """StudyError if values are no finite numbers, or a density or a pressure is negative."""
    bad = ~np.isfinite(part)
    if name in POSITIVE:
        bad |= part < 0
    if not bad.any():
        return
    place = np.unravel_index(int(np.argmax(bad)), part.shape)
    value = float(part[place])
    zone = [int(place[0]) + first, *map(int, place[1:])]
    need = "must not be negative" if np.isfinite(value) else "must be a finite number"
    raise StudyError(
        f"hydro.file: {model.file} has a {name} of {value:g} in zone {zone} (the first is "
        f"{[0] * len(zone)}); it {need}"
    )


def _blocks(zones: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Stretches of the first axis."""
    step = max(1, BLOCK // int(np.prod(zones[1:], dtype=np.int64)))
    for first in range(0, zones[0], step):
        yield first, min(first + step, zones[0])


def _floor(model: HydroTable, name: str) -> float:
    return float(getattr(model, f"{name}_floor"))


def read_arrays(model: HydroTable, numbers: Integers) -> dict[str, Floats]:
    """The fields of some zones."""
    assert model.file is not None
    with opened(model.file) as file:
        there = _names(file, model)
        found = {name: np.zeros(len(numbers)) for name in VELOCITIES}
        if not len(numbers):
            return found | {name: np.zeros(0) for name in POSITIVE}
        places = places_of(numbers, model.zones)
        box = tuple(slice(int(along.min()), int(along.max()) + 1) for along in places)
        inside = tuple(along - part.start for along, part in zip(places, box, strict=True))
        for name in there:
            found[name] = np.asarray(file[name][box], np.float64)[inside]
    return found

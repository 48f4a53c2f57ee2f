"""Fields at the start from an HDF5 file: u, v, h, and the height of the ground, `mountain`.

Each is [latitude][longitude] or [level][latitude][longitude], latitudes from north to south on the
Gaussian grid and longitudes eastward from 0. The ground is the same for all levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from phasewise.driver import Floats
from phasewise.errors import RunError, StudyError
from phasewise.runs.records import reading
from phasewise.workloads.sphere.cases import Scales
from phasewise.workloads.sphere.grid import latitudes_of
from phasewise.workloads.sphere.model import Sphere

FIELDS = ("u", "v", "h")
MOUNTAIN, LATITUDE = "mountain", "latitude"
DEGREES = 1e-6
"""Largest difference of latitudes that are the same [degrees]."""
BLOCK = 64
"""Latitudes that are read at a time to find a file's scales."""


@contextmanager
def opened(path: Path) -> Iterator[h5py.File]:
    """The file; StudyError if it is none."""
    if not path.is_file():
        raise StudyError(f"sphere.file: the file {path} does not exist")
    try:
        with reading(path), h5py.File(path, "r", locking=False) as file:
            yield file
    except RunError as error:
        raise StudyError(f"sphere.file: {error}") from None


def check_field_file(model: Sphere) -> None:
    """StudyError if the fields of a study cannot be read from its file, if they are those of
    another grid, or if the timestep is too long for them; nothing without a file.
    """
    if model.file is None:
        return
    with opened(model.file) as file:
        check_shapes(file, model)
        scales = _scales(file, model)
    if not math.isfinite(scales.wind + scales.depth + scales.least):
        raise StudyError(f"sphere.file: {model.file} has values that are not finite numbers")
    if scales.least <= 0:
        raise StudyError(
            f"sphere.file: {model.file} has a depth h of {scales.least:.4g} m; it must be above 0"
        )
    model.check_timestep(scales)


def check_shapes(file: h5py.File, model: Sphere) -> None:
    """StudyError if the file lacks a field or has one of another grid."""
    where = f"sphere.file: {model.file}"
    grid = (model.latitudes, model.longitudes)
    there = [name for name in (*FIELDS, MOUNTAIN, LATITUDE) if name in file]
    for name in there:
        if not isinstance(file[name], h5py.Dataset) or file[name].dtype.kind not in "iuf":
            raise StudyError(f"{where} has {name}, which is no dataset of real numbers")
    shapes = {name: file[name].shape for name in there if name != LATITUDE}
    for name in FIELDS:
        if name not in shapes:
            raise StudyError(f"{where} has no dataset {name}: it must have u, v and h")
    for name, shape in shapes.items():
        accepted = [grid] if name == MOUNTAIN else [grid, (model.levels, *grid)]
        if shape not in accepted:
            raise StudyError(
                f"{where} has {name} on {_times(shape)} points, and the study's grid is "
                f"{' or '.join(_times(one) for one in accepted)}: its latitudes by its longitudes"
                f"{', for all levels or level by level' if len(accepted) > 1 else ''}"
            )
    if LATITUDE in file:
        given, own = np.asarray(file[LATITUDE]), latitudes_of(model.latitudes)
        if given.shape != own.shape or not np.allclose(given, own, rtol=0, atol=DEGREES):
            raise StudyError(
                f"{where} has other latitudes than the {model.latitudes} Gaussian ones from north "
                "to south"
            )


def _times(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))


def _scales(file: h5py.File, model: Sphere) -> Scales:
    """The fastest wind and the largest depth in a file, block by block."""
    squares, depth, ground = [], [], 0.0
    for first in range(0, model.latitudes, BLOCK):
        rows = list(range(first, min(first + BLOCK, model.latitudes)))
        u, v, h = (read_rows(file[name], rows, model.levels) for name in FIELDS)
        factors = np.asarray(model.level_amplitudes)
        squares.append((factors**2 * (u**2 + v**2)).max())
        depth += [h.max(), h.min()]
        if MOUNTAIN in file:
            ground += float(np.abs(read_rows(file[MOUNTAIN], rows, 1)).sum())
    # A ground that is no number makes the scales none.
    most = float(np.max(depth)) + 0.0 * ground
    return Scales(float(np.sqrt(np.max(squares))), most, float(np.min(depth)))


def read_rows(dataset: h5py.Dataset, rows: Sequence[int], levels: int) -> Floats:
    """Latitudes of a field in this order, [latitude][longitude][level]; a field without levels is
    that of all.
    """
    order = np.argsort(rows)
    sorted_rows = np.asarray(rows)[order]
    if dataset.ndim == 2:
        part = np.asarray(dataset[sorted_rows, :], np.float64)[:, :, None]
        part = np.broadcast_to(part, (*part.shape[:2], levels))
    else:
        part = np.asarray(dataset[:, sorted_rows, :], np.float64).transpose(1, 2, 0)
    found = np.empty(part.shape)
    found[order] = part
    return found


def read_fields(model: Sphere, rows: Sequence[int]) -> tuple[Floats, Floats, Floats, Floats]:
    """u, v [m/s], h and the ground [m] on some latitudes, flat, [latitude][longitude][level]."""
    assert model.file is not None
    with opened(model.file) as file:
        check_shapes(file, model)
        u, v, h = (read_rows(file[name], rows, model.levels) for name in FIELDS)
        ground = _ground(file, model, rows)
    factors = np.asarray(model.level_amplitudes)
    return (factors * u).ravel(), (factors * v).ravel(), h.ravel(), ground


def read_ground(model: Sphere, rows: Sequence[int]) -> Floats:
    """The height of the ground alone [m]."""
    assert model.file is not None
    with opened(model.file) as file:
        check_shapes(file, model)
        return _ground(file, model, rows)


def _ground(file: h5py.File, model: Sphere, rows: Sequence[int]) -> Floats:
    if MOUNTAIN in file:
        return read_rows(file[MOUNTAIN], rows, model.levels).ravel()
    return np.zeros(len(rows) * model.longitudes * model.levels)

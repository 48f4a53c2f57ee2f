"""Masks from files: depths in metres or 0 and 1, in NetCDF, HDF5 or NumPy's format.

A mask is [j][i], from the south and from the west, with the cells of ocean.grid. Numbers that are
only 0 and 1 say where the sea is, and others are depths, positive in the sea. Heights above the
sea level, which a variable's name or its attribute `positive = "up"` tells, are taken with their
sign changed.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Floats
from phasewise.errors import StudyError
from phasewise.output import number_of
from phasewise.workloads.ocean.arrays import depths_in
from phasewise.workloads.ocean.grid import PLANE, edges_of, interfaces
from phasewise.workloads.ocean.seas import MOST_NAMED, a_cell_of, seas_of, sizes_of
from phasewise.workloads.ocean.table import FILE, PERIODIC_X, PERIODIC_XY, OceanTable

Integers = NDArray[np.int64]
FEWEST_LEVELS = 2
"""Levels of the shallowest sea, where the grid has as many."""


def check_mask_file(model: OceanTable) -> None:
    """StudyError if a study's mask cannot be read from its file, has another grid, is land alone,
    or has seas that the largest does not reach; nothing without a file.
    """
    if model.mask == FILE:
        levels_of(model)


def sea_levels_of(model: OceanTable) -> tuple[int, ...]:
    """Levels and the number of cells that have them, pair after pair."""
    flat = levels_of(model).ravel()
    starts = np.concatenate([[0], np.nonzero(np.diff(flat))[0] + 1])
    counts = np.diff(np.concatenate([starts, [len(flat)]]))
    return tuple(int(one) for pair in zip(flat[starts], counts, strict=True) for one in pair)


def levels_of(model: OceanTable) -> Integers:
    """The number of sea levels of each cell of a mask from a file, [j][i]."""
    assert model.mask_file is not None
    try:
        changed = model.mask_file.stat().st_mtime_ns
    except OSError:
        raise StudyError(f"ocean.mask_file: the file {model.mask_file} does not exist") from None
    return _levels(model, model.mask_file, changed)


@lru_cache(maxsize=4)
def _levels(model: OceanTable, path: Path, _changed: int) -> Integers:
    depths = depths_in(path, model.mask_variable)
    nx, ny, _ = model.size
    if depths.shape != (ny, nx):
        given = " × ".join(map(str, depths.shape))
        raise StudyError(
            f"ocean.mask_file: {path} has {given} cells, and ocean.grid has {ny} × {nx}: rows from "
            "the south to the north, each from the west to the east"
        )
    levels = levels_at(depths, model.thicknesses)
    if not levels.any():
        raise StudyError(
            f"ocean.mask_file: {path} is land alone: the sea has depths above 0 m, or the value 1"
        )
    return _one_sea(model, path, levels)


def levels_at(depths: Floats, thicknesses: tuple[float, ...]) -> Integers:
    """Levels above the interface nearest to each depth; all of them where the numbers are 0 and 1
    alone; 0 on land.
    """
    known = np.where(np.isfinite(depths), depths, 0.0)
    water, count = known > 0, len(thicknesses)
    if np.isin(known, (0.0, 1.0)).all():
        return np.where(water, count, 0).astype(np.int64)
    below = interfaces(thicknesses)
    middles = 0.5 * (below[1:] + below[:-1])
    levels = np.clip(np.searchsorted(middles, known), min(FEWEST_LEVELS, count), count)
    return np.where(water, levels, 0).astype(np.int64)


def _one_sea(model: OceanTable, path: Path, levels: Integers) -> Integers:
    """The levels with the largest sea alone; StudyError if others are there and are not filled."""
    around_x = model.periodic in (PERIODIC_X, PERIODIC_XY)
    seas = seas_of(levels > 0, around_x, model.periodic == PERIODIC_XY)
    sizes = sizes_of(seas)
    if len(sizes) > 1 and not model.fill_seas:
        named = [f"{number_of(sizes[sea - 1], 'cell')} around {_place(model, seas, sea)}"
                 for sea in range(2, min(len(sizes), MOST_NAMED + 1) + 1)]  # fmt: skip
        more = len(sizes) - 1 - len(named)
        rest = f" and {more} more" if more else ""
        raise StudyError(
            f"ocean.mask_file: {path} has {number_of(len(sizes) - 1, 'sea')} that the largest one, "
            f"of {number_of(sizes[0], 'cell')}, does not reach: {', '.join(named)}{rest}; give "
            "ocean.fill_seas = true to make land of them"
        )
    return np.where(seas == 1, levels, 0)


def _place(model: OceanTable, seas: Integers, sea: int) -> str:
    """Where a sea is, in words."""
    i, j = a_cell_of(seas, sea)
    # Rounding would put a cell at the equator a little beside it.
    x, y = (np.round(0.5 * (edges[1:] + edges[:-1]), 9) for edges in edges_of(model))
    if model.geometry == PLANE:
        return f"x = {x[i]:.4g} km, y = {y[j]:.4g} km"
    return f"{abs(y[j]):.4g}° {'S' if y[j] < 0 else 'N'}, {x[i]:.4g}° E"

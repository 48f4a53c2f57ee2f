"""Grids of an ocean: named sizes, the thicknesses of levels, and the widths of cells.

Cells are counted from the west, from the south and from the surface. On the sphere they are equally
wide in longitude and latitude: Δx = R cos φ Δλ, Δy = R Δφ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from phasewise.driver import Floats
from phasewise.errors import StudyError
from phasewise.tables.keys import Key, convert, nearest, plain, show

SPHERE, PLANE = GEOMETRIES = ("sphere", "plane")
X1, X4TENTHS, TENTH = "x1", "x4tenths", "tenth"
SIZES = {X1: (320, 384, 40), X4TENTHS: (900, 600, 40), TENTH: (3600, 2400, 40)}
"""The grids of the Parallel Ocean Program at 1, 0.4 and 0.1 degrees: cells along x and y, levels.
"""
TIMESTEPS = {X1: 1800.0, X4TENTHS: 600.0, TENTH: 360.0}
"""Their timesteps [s]."""
USUAL_TIMESTEP = 1800.0
RADIUS = 6.37122e6
"""Of the Earth [m]."""
USUAL_LATITUDES = (-76.0, 76.0)
"""[degrees]"""
STRETCHED, UNIFORM = "stretched", "uniform"
USUAL_DEPTH = 5000.0
"""[m]"""
STRETCHING = 25.0
"""The thickness of the lowest level over that of the uppermost one, of many levels."""
CELLS = Key("integer", least=4, most=2**16, unit="cells")
LEVELS = Key("integer", least=1, most=1000, unit="levels")
THICKNESS = Key("number", above=0, most=1e5, unit="m")
MOST_CELLS = 2**40

Size = tuple[int, int, int]


def size_in(value: Any) -> Size:
    """ocean.grid as cells along x, along y, and levels; StudyError if it is no grid."""
    found = plain(value)
    if isinstance(found, str):
        if found not in SIZES:
            raise StudyError(f"ocean.grid: {show(found)} is not known{nearest(found, SIZES)}")
        return SIZES[found]
    if not isinstance(found, list | tuple) or len(found) != 3:
        raise StudyError(
            "ocean.grid must be one of "
            f"{', '.join(map(show, SIZES))}, or a list of three integers, the cells along x and y "
            f"and the levels, but is {show(found)}"
        )
    kinds = (CELLS, CELLS, LEVELS)
    nx, ny, nz = (
        int(convert(one, kind, f"ocean.grid[{number}]"))
        for number, (one, kind) in enumerate(zip(found, kinds, strict=True), 1)
    )
    if nx * ny * nz > MOST_CELLS:
        raise StudyError(
            f"ocean.grid = {show(found)} has {nx * ny * nz:.4g} cells; at most {MOST_CELLS:.4g} "
            "are accepted"
        )
    return nx, ny, nz


def thicknesses_in(value: Any, levels: int, depth: float | None) -> tuple[float, ...]:
    """The thickness of each level [m], from the uppermost one on; StudyError if `value` is neither
    a word nor a list with a thickness for each level, or if a depth is given beside a list.
    """
    found = plain(value)
    if isinstance(found, str):
        words = (STRETCHED, UNIFORM)
        if found not in words:
            raise StudyError(f"ocean.levels: {show(found)} is not known{nearest(found, words)}")
        whole = USUAL_DEPTH if depth is None else depth
        return stretched(levels, whole) if found == STRETCHED else (whole / levels,) * levels
    if not isinstance(found, list | tuple) or len(found) != levels:
        raise StudyError(
            f'ocean.levels must be "{STRETCHED}", "{UNIFORM}", or a list with the thickness of '
            f"each of the {levels} levels [m], but is {show(found)}"
        )
    given = tuple(
        float(convert(one, THICKNESS, f"ocean.levels[{n}]")) for n, one in enumerate(found, 1)
    )
    if depth is not None and not math.isclose(depth, math.fsum(given), rel_tol=1e-9):
        raise StudyError(
            f"ocean.depth = {depth:g} m and the sum of ocean.levels, {math.fsum(given):g} m, "
            "differ: leave ocean.depth out"
        )
    return given


def stretched(levels: int, depth: float) -> tuple[float, ...]:
    """Thicknesses that grow from the surface to the bottom, and little near both [m]."""
    weights = [
        1.0 + (STRETCHING - 1.0) * math.sin(0.5 * math.pi * (k + 0.5) / levels) ** 2
        for k in range(levels)
    ]
    return tuple(depth * weight / math.fsum(weights) for weight in weights)


def interfaces(thicknesses: Sequence[float]) -> Floats:
    """The depths between levels from the surface on [m], one more than levels."""
    return np.concatenate([[0.0], np.cumsum(np.asarray(thicknesses, np.float64))])


def edges_of(model: Any) -> tuple[Floats, Floats]:
    """The edges of cells along x and y: longitudes from 0 and latitudes [degrees] on the sphere, or
    distances from the south-western corner [km] in a plane.
    """
    nx, ny, _ = model.size
    if model.geometry == SPHERE:
        south, north = model.latitudes
        return np.linspace(0.0, 360.0, nx + 1), np.linspace(south, north, ny + 1)
    along, across = model.extent
    return np.linspace(0.0, along / 1e3, nx + 1), np.linspace(0.0, across / 1e3, ny + 1)


def widths_of(
    geometry: str, size: Size, latitudes: Sequence[float], extent: Sequence[float]
) -> tuple[float, float, float]:
    """The least Δx, the largest Δx, and Δy of the cells [m]."""
    nx, ny, _ = size
    if geometry == PLANE:
        return extent[0] / nx, extent[0] / nx, extent[1] / ny
    south, north = (math.radians(at) for at in latitudes)
    step = (north - south) / ny
    first, last = south + 0.5 * step, north - 0.5 * step
    whole = math.tau * RADIUS / nx
    nearest_to_equator = max(math.cos(first), math.cos(last))
    widest = 1.0 if first <= 0.0 <= last else nearest_to_equator
    return whole * min(math.cos(first), math.cos(last)), whole * widest, RADIUS * step

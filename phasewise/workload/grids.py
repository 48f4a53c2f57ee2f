"""Process grids as a study writes them, such as `4x2`, with any number of sides."""

from __future__ import annotations

import math
import re
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.declared import key
from phasewise.tables.keys import show
from phasewise.workload.communication import AUTO

MAX_RANKS = 10**6
SIDE = r"[1-9][0-9]{0,6}"
WORDS = {2: 'Px x Py, as "4x2"', 4: 'ranks along x, y, z and t, as "1x2x2x4"'}
"""How a grid is written, by its number of sides."""


def grid_key(sides: int) -> Any:
    """The key `process_grid`; its flat parameter is zeros where the ranks decide."""
    return key("text", AUTO, flat=True, as_flat=lambda grid: shape_of(grid, sides))


def shape_of(grid: str, sides: int = 2) -> tuple[int, ...]:
    """Ranks along each side; zeros where the grid is chosen for the ranks."""
    if not re.fullmatch(rf"{SIDE}(?:x{SIDE}){{{sides - 1}}}", grid, re.ASCII):
        return (0,) * sides
    return tuple(map(int, grid.split("x")))


def grid_of(*shape: int) -> str:
    """A process grid as a study writes it."""
    return "x".join(map(str, shape))


def grids(ranks: int) -> list[tuple[int, int]]:
    """Every process grid with two sides, by rising Px."""
    return [(px, ranks // px) for px in range(1, ranks + 1) if ranks % px == 0]


def check_written(grid: str, sides: int) -> None:
    """StudyError if a process grid is not written as one, or is too large."""
    shape, where = shape_of(grid, sides), f"communication.process_grid = {show(grid)}"
    if grid != AUTO and not any(shape):
        raise StudyError(f'{where} is not known: it is written {WORDS[sides]}, or is "auto"')
    if math.prod(shape) > MAX_RANKS:
        raise StudyError(f"{where} has {math.prod(shape)} ranks; at most {MAX_RANKS} are accepted")


def check_fits(grid: str, ranks: int) -> None:
    """StudyError, with the nearest one that fits, if a grid does not have this number of ranks."""
    px, py = shape_of(grid)
    if px * py in (0, ranks):
        return
    nearest = min(grids(ranks), key=lambda one: abs(math.log(one[0] * py / (one[1] * px))))
    raise StudyError(
        f'communication.process_grid = "{grid}" needs {px * py} ranks, not {ranks}; the nearest '
        f'that has {ranks} is "{grid_of(*nearest)}"'
    )

"""The maps that the compiled core makes of an ocean (core/ocean/bindings.cpp)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import load_planner
from phasewise.errors import StudyError

Integers = NDArray[np.int64]
CELLS, COLUMNS = "cells", "columns"
"""The sets of rows of a run's state: cells by i + nx (j + ny k), columns by i + nx j."""


@dataclass(frozen=True)
class Map:
    """The land and the blocks of a study on a number of ranks."""

    levels: Integers
    """Of each cell, [j][i]; 0 on land."""
    blocks: Integers
    """Of each block: its first cell along x and y, its cells along x and y, and its rank, -1 where
    it is land alone.
    """


@lru_cache(maxsize=8)
def map_of(parameters: str, ranks: int) -> Map:
    """The map of a study by its flat parameters; StudyError if there is none for the ranks."""
    core = cast(Any, load_planner())
    try:
        found = core.ocean_map(parameters, ranks)
    except ValueError as error:
        raise StudyError(str(error)) from None
    levels = np.asarray(found["levels"], dtype=np.int64)
    return Map(levels, np.asarray(found["blocks"], dtype=np.int64).reshape(-1, 5))


def check_blocks(study: Any) -> None:
    """StudyError if marches through the blocks of evp are unstable; it names the largest blocks."""
    try:
        cast(Any, load_planner()).ocean_check_blocks(study.parameters())
    except ValueError as error:
        raise StudyError(str(error)) from None

"""Process grids of halo exchanges that come in question where a study leaves its own open."""

from __future__ import annotations

from typing import Any

from phasewise.study import Study
from phasewise.workloads.halo.communication import grid_of, grids


def open_grids(_study: Study, ranks: int) -> list[dict[str, Any]]:
    """The core's default, the pair nearest to a square with Px not below Py; then those next to
    it. No model tells the variants apart.
    """
    found = sorted(grids(ranks), key=lambda grid: (max(grid), -grid[0]))
    return [{"process_grid": grid_of(*grid)} for grid in found]

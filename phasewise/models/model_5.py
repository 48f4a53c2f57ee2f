"""Model 5 of Shan et al. 2006: t = L + s/B of parallel ping-ping in a 2-D process grid.

L and B depend on direction and distance, and on the number of ranks. Without measured curves, the
values of the paper's Table 4 for 256 ranks are used.
"""

from __future__ import annotations

from phasewise.models.costs import Time, by_distance, grid_curve, missing, straight
from phasewise.models.model import Case

NAME = "5"
TITLE = "parallel ping-ping in a process grid"


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase."""

    def time(apart: int) -> Time:
        curve = grid_curve(case, apart)
        line = case.machine.paper.get("grid_256") if curve is None else curve.line
        if line is None:
            raise missing(case, NAME, "the curves of parallel ping-ping in a process grid")
        return straight(line)

    return by_distance(case, time)

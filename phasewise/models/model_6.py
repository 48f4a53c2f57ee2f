"""Model 6 of Shan et al. 2006: t(s) from the tables of parallel ping-ping in a 2-D process grid."""

from __future__ import annotations

from phasewise.models.costs import by_distance, grid_table
from phasewise.models.model import Case

NAME = "6"
TITLE = "tables of parallel ping-ping in a process grid"


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase."""
    return by_distance(case, lambda apart: grid_table(case, NAME, apart))

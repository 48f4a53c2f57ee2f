"""Model 4 of Shan et al. 2006: t(s) from the tables of parallel ping-ping, by level.

On nodes of several sockets, messages within a socket and between two have tables of their own.
"""

from __future__ import annotations

from phasewise.models.costs import by_level, parallel_table
from phasewise.models.model import Case

NAME = "4"
TITLE = "tables of parallel ping-ping within and between nodes"


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase."""
    return by_level(case, lambda level: parallel_table(case, NAME, level))

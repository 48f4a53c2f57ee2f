"""Model 3 of Shan et al. 2006: t = L + s/B of parallel ping-ping, within and between nodes.

On nodes of several sockets, messages within a socket and between two have times of their own.
"""

from __future__ import annotations

from phasewise.models.costs import by_level, parallel_line, straight
from phasewise.models.model import Case

NAME = "3"
TITLE = "parallel ping-ping within and between nodes"


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase."""
    return by_level(case, lambda level: straight(parallel_line(case, NAME, level)))

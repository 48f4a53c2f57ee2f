"""Model 2 of Shan et al. 2006: t = L + s/B of parallel ping-ping between nodes, for every message.

All ranks of two nodes exchange in pairs. On a machine with one rank per node it is model 1b.
"""

from __future__ import annotations

from phasewise.models.costs import NETWORK, NODE, add_up, parallel_line, straight
from phasewise.models.model import Case

NAME = "2"
TITLE = "parallel ping-ping between nodes"


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase."""
    level = NODE if case.machine.network.kind == "none" else NETWORK
    time = straight(parallel_line(case, NAME, level))
    return add_up(case, lambda phase: time(phase.bytes))

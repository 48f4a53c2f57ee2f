"""Model 1b of Shan et al. 2006: t = L + s/B of the ping-ping between two nodes."""

from __future__ import annotations

from phasewise.models.costs import add_up, between_two, straight
from phasewise.models.model import Case

NAME = "1b"
TITLE = "ping-ping between two nodes"


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase."""
    time = straight(between_two(case, NAME, "ping-ping"))
    return add_up(case, lambda phase: time(phase.bytes))

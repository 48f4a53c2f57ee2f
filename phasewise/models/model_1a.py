"""Model 1a of Shan et al. 2006: t = L + s/B of the ping-pong between two nodes."""

from __future__ import annotations

from phasewise.models.costs import add_up, between_two, straight
from phasewise.models.model import Case

NAME = "1a"
TITLE = "ping-pong between two nodes"


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase."""
    time = straight(between_two(case, NAME, "ping-pong"))
    return add_up(case, lambda phase: time(phase.bytes))

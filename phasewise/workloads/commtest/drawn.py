"""Exchanges between pairs that are drawn at random, by which models are judged."""

from __future__ import annotations

from phasewise.models.drawn import SIMULATED_PROTOCOLS, Draw, Drawn, Tables, Wanted, between, some
from phasewise.workloads.commtest.communication import PACKETS
from phasewise.workloads.commtest.model import OPERATORS

BYTES = (8, 4e6)
KEYS = {
    "operator": OPERATORS,
    "pairs": ("0-1", "i-(i+1)", "i-(i+4)"),
    "window": (16, 4, 64),
    "verify": (True, False),
}
MANNERS = {"protocol": SIMULATED_PROTOCOLS, "packet": PACKETS}


class CommtestDrawn(Drawn):
    """How its studies are drawn."""

    COUNTS = (1, 10)

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """Messages of 8 B to 4 MB between one pair or many, by any protocol."""
        return {
            "commtest": {"bytes": round(between(draw, *BYTES)), **some(draw, KEYS)},
            "communication": some(draw, MANNERS),
        }

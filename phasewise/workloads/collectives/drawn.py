"""Collectives that are drawn at random, by which models are judged."""

from __future__ import annotations

from phasewise.models.drawn import (
    SIMULATED_PROTOCOLS,
    Draw,
    Drawn,
    Tables,
    Wanted,
    between,
    one_of,
    some,
)
from phasewise.workloads.collectives.model import MOST_SUM_BYTES, OFFERED, OPERATORS

VALUES = (1, 2e4)
"""Doubles of a block."""
WORK = (1e3, 1e7)
"""Flops beside a collective that is started."""


class CollectivesDrawn(Drawn):
    """How its studies are drawn."""

    RANKS = (8, 12, 16, 24, 32, 48, 64)
    COUNTS = (1, 4)

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """Every operator as often as the others, in blocks of 8 B to 160 kB."""
        operator = str(one_of(draw, OPERATORS))
        size = 8 * round(between(draw, *VALUES))
        own = {
            "operator": operator,
            "bytes": min(size, MOST_SUM_BYTES) if operator == "sum" else size,
            **some(draw, {"verify": (True, False), "blocking": (True, False)}),
        }
        if draw.integers(2):
            own["work"] = between(draw, *WORK)
        ways = {"algorithm": OFFERED[operator], "protocol": SIMULATED_PROTOCOLS}
        return {"collectives": own, "communication": some(draw, ways)}

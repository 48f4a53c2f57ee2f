"""Halo exchanges that are drawn at random, by which models are judged."""

from __future__ import annotations

from phasewise.models.drawn import SIMULATED_PROTOCOLS, Draw, Drawn, Tables, Wanted, between, some

WORDS = (2, 2**15)
KEYS = {
    "rows": (1, 2),
    "word_size": (8, 4),
    "at_once": (False, True),
    "verify": (True, False),
}


class HaloDrawn(Drawn):
    """How its studies are drawn."""

    COUNTS = (1, 10)

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """Messages of 8 B to 262 kB by any protocol."""
        return {
            "halo": {"words": round(between(draw, *WORDS)), **some(draw, KEYS)},
            "communication": some(draw, {"protocol": SIMULATED_PROTOCOLS}),
        }

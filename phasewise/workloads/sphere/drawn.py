"""Timesteps of shallow water that are drawn at random, by which models are judged."""

from __future__ import annotations

from phasewise.models.drawn import SIMULATED_PROTOCOLS, Draw, Drawn, Tables, Wanted, one_of, some
from phasewise.workloads.sphere.choosing import BLOCKS, adding
from phasewise.workloads.sphere.communication import (
    DISTRIBUTED,
    ORDER_FREE,
    PLAIN,
    TRANSPOSES,
)
from phasewise.workloads.sphere.grid import fewest_latitudes

TRUNCATIONS = (42, 63, 85, 106, 127, 170)
LEVELS = (1, 2, 8, 18)
TIMESTEP = 60.0
"""Short enough for all of them [s]."""
CASES = ("williamson-5", "williamson-2")


class SphereDrawn(Drawn):
    """How its studies are drawn."""

    RANKS = (4, 6, 8, 12, 16, 24, 32, 48, 64)
    COUNTS = (1, 3)

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """Transposes as often as distributed sums, with a group of latitudes for each pair."""
        truncation = int(one_of(draw, TRUNCATIONS))
        own = {
            "case": one_of(draw, CASES),
            "truncation": truncation,
            "levels": int(one_of(draw, LEVELS)),
            "timestep": TIMESTEP,
            "latitude_groups": fewest_latitudes(truncation) // 2,
        }
        if draw.integers(2):
            ways = some(draw, {"transpose": TRANSPOSES})
            return {"sphere": own, "communication": ways}
        sums = {
            "protocol": tuple(adding(SIMULATED_PROTOCOLS)),
            "blocks": BLOCKS,
            "sums": (ORDER_FREE, PLAIN),
        }
        ways = {"legendre": one_of(draw, DISTRIBUTED), **some(draw, sums)}
        return {"sphere": own, "communication": ways}

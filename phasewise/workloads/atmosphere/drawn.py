"""Timesteps of an atmosphere's columns that are drawn at random, by which models are judged."""

from __future__ import annotations

from phasewise.models.drawn import SIMULATED_PROTOCOLS, Draw, Drawn, Tables, Wanted, one_of, some
from phasewise.workloads.atmosphere.communication import (
    ALL,
    BALANCES,
    DIVISIONS,
    KERNELS,
    LATITUDES,
    MEASURED,
)

GRIDS = ((64, 128), (64, 96), (96, 192), (128, 256), (72, 144))
"""Latitudes and longitudes."""
LEVELS = (10, 18, 26)
DAYS = (1, 80, 172, 265, 355)
HOURS = 24
STATIC = tuple(name for name in BALANCES if name not in (ALL, MEASURED))
"""The schemes that do not go by times, without the default."""


class AtmosphereDrawn(Drawn):
    """How its studies are drawn."""

    RANKS = (4, 6, 8, 12, 16, 24, 32, 48, 64)
    COUNTS = (1, 2)

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """Any day and hour, by each scheme and division, with columns in messages: the library's
        all-to-all is predicted less exactly, and would widen the intervals of both.
        """
        own = {
            "grid": list(one_of(draw, GRIDS)),
            "levels": int(one_of(draw, LEVELS)),
            "day": int(one_of(draw, DAYS)),
            "hour": float(draw.integers(HOURS)),
            "timestep": 3600.0,
        }
        ways = some(
            draw,
            {
                "balance": STATIC,
                "division": tuple(name for name in DIVISIONS if name != LATITUDES),
                "columns": tuple(SIMULATED_PROTOCOLS),
                "kernel": KERNELS[1:],
            },
        )
        return {"atmosphere": own, "communication": ways}

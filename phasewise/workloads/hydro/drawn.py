"""Timesteps of gas dynamics that are drawn at random, by which models are judged."""

from __future__ import annotations

from phasewise.models.drawn import SIMULATED_PROTOCOLS, Draw, Drawn, Tables, Wanted, one_of, some
from phasewise.workloads.hydro.communication import DECOMPOSITIONS, KERNELS, TRANSPOSES

PLANES = (64, 96, 128, 192, 256, 384, 512)
"""Zones along an axis of two."""
CUBES = (32, 48, 64, 96, 128)
"""The same of three."""


class HydroDrawn(Drawn):
    """How its studies are drawn."""

    RANKS = (4, 6, 8, 12, 16, 24, 32, 48, 64)
    COUNTS = (1, 2)

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """Two dimensions as often as three; transposes as often as messages under way."""
        cube = bool(draw.integers(2))
        sizes = CUBES if cube else PLANES
        zones = [int(one_of(draw, sizes)) for _ in range(3 if cube else 2)]
        own = {"problem": "evh1" if not cube else "sedov", "zones": zones}
        ways: Tables = some(draw, {"batch": (8, 32, 64), "kernel": KERNELS[1:]})
        if cube:
            ways |= some(draw, {"decomposition": DECOMPOSITIONS[1:]})
        if draw.integers(2):
            return {"hydro": own, "communication": ways | some(draw, {"transpose": TRANSPOSES})}
        under_way = {"overlap": True, **some(draw, {"protocol": tuple(SIMULATED_PROTOCOLS)})}
        return {"hydro": own, "communication": ways | under_way}

"""Passages with space charge that are drawn at random, by which models are judged."""

from __future__ import annotations

from phasewise.models.drawn import Draw, Drawn, Tables, Wanted, between, one_of, some
from phasewise.workloads.spacecharge.communication import (
    CHARGES,
    DECOMPOSITIONS,
    FIELDS,
    SCHEDULES,
    TRANSPOSES,
)
from phasewise.workloads.spacecharge.lattice import MAPS
from phasewise.workloads.spacecharge.model import GREENS, WEIGHTINGS

GRIDS = ((32, 32, 64), (16, 16, 16), (32, 32, 256), (64, 64, 64), (40, 40, 32))
MACROPARTICLES = (2e4, 5e5)
KICKS = (2, 24)
SOLVER = {"green_function": GREENS, "weighting": WEIGHTINGS}
COMMUNICATION = {
    "charge": CHARGES,
    "field": FIELDS,
    "schedule": SCHEDULES,
    "transpose": TRANSPOSES,
    "decomposition": DECOMPOSITIONS,
}


class SpaceChargeDrawn(Drawn):
    """How its studies are drawn."""

    COUNTS = (1, 3)

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """A matched proton bunch in FODO cells, as in `phasewise bench spacecharge`."""
        drift = {"kind": "drift", "length": 1.0}
        half = {"kind": "quadrupole", "length": 0.25, "k1": 0.7}
        defocusing = {"kind": "quadrupole", "length": 0.5, "k1": -0.7}
        return {
            "bunch": {
                "particle": "proton",
                "kinetic_energy": 0.8e9,
                "bunch_population": between(draw, 1e9, 3e11),
                "macroparticles": round(between(draw, *MACROPARTICLES)),
                "normalized_emittance": [2e-6, 2e-6],
                "bunch_length": 0.5,
                "momentum_spread": 1e-4,
            },
            "lattice": {
                "periods": int(one_of(draw, (1, 4, 8))),
                "element": [half, drift, defocusing, drift, half],
                **some(draw, {"maps": MAPS}),
            },
            "solver": {
                "kicks": round(between(draw, *KICKS)),
                "grid": list(one_of(draw, GRIDS)),
                **some(draw, SOLVER),
            },
            "communication": some(draw, COMMUNICATION),
        }

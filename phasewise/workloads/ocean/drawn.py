"""Timesteps of an ocean that are drawn at random, by which models are judged."""

from __future__ import annotations

from phasewise.models.drawn import SIMULATED_PROTOCOLS, Draw, Drawn, Tables, Wanted, one_of, some
from phasewise.workloads.ocean.choosing import adding
from phasewise.workloads.ocean.communication import DISTRIBUTIONS, PLAIN, SUMS
from phasewise.workloads.ocean.table import EVP, PCSI, PRECONDITIONERS, SOLVERS

GRIDS = ((96, 96), (128, 192), (160, 192), (320, 384), (240, 120))
"""Cells along x and y."""
LEVELS = (4, 10, 20)
BLOCKS = ([12, 16], [32, 24])
MOST_ITERATIONS = 30


class OceanDrawn(Drawn):
    """How its studies are drawn."""

    RANKS = (4, 6, 8, 12, 16, 24, 32, 48, 64)
    COUNTS = (1, 2)

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """Oceans with and without land, by each solver, of a few iterations."""
        nx, ny = one_of(draw, GRIDS)
        own = {
            "grid": [nx, ny, int(one_of(draw, LEVELS))],
            "timestep": 600.0,
            "iterations": int(draw.integers(5, MOST_ITERATIONS + 1)),
            "solver": one_of(draw, SOLVERS),
            "preconditioner": one_of(draw, PRECONDITIONERS),
            **some(draw, {"mask": ("none",), "baroclinic": (False,)}),
        }
        both = own["solver"] == PCSI and own["preconditioner"] != EVP
        ways = some(
            draw,
            {
                "boundary": tuple(SIMULATED_PROTOCOLS),
                "solver_halo": tuple(SIMULATED_PROTOCOLS),
                "solver_sum": SUMS,
                "solver_sum_protocol": tuple(adding(SIMULATED_PROTOCOLS)),
                "aggregate": (False,),
                "blocks": BLOCKS,
                "distribution": DISTRIBUTIONS,
                "kernel": (PLAIN,),
                "iterations_per_exchange": (2,) if both else (1,),
            },
        )
        if ways.get("iterations_per_exchange", 1) == 2:
            own["iterations"] += own["iterations"] % 2
        return {"ocean": own, "communication": ways}

"""Solves of lattice QCD that are drawn at random, by which models are judged."""

from __future__ import annotations

from phasewise.models.drawn import SIMULATED_PROTOCOLS, Draw, Drawn, Tables, Wanted, one_of, some
from phasewise.workload.grids import grid_of
from phasewise.workloads.qcd.communication import LAYOUTS, PACKED, RUNS, SPINORS, SUMS
from phasewise.workloads.qcd.grids import fitting_grids
from phasewise.workloads.qcd.model import METHODS, PIONS, PRECISIONS

SIZES = (
    (8, 8, 8, 16),
    (12, 12, 12, 24),
    (16, 16, 16, 32),
    (24, 24, 24, 48),
    (8, 16, 16, 64),
    (32, 12, 8, 16),
)
MOST_ITERATIONS, MOST_OF_PION = 8, 2
"""Iterations for each right-hand side; a pion has twelve of them."""
QUARKS = {
    "clover": (1.0, 1.5, 2.0),
    "anisotropy": (1.0, 2.0),
    "stout_steps": (0, 2),
}
SOLVER = {"method": METHODS, "precision": PRECISIONS}
COMMUNICATION = {
    "layout": LAYOUTS,
    "halo": SIMULATED_PROTOCOLS,
    "blocks": (PACKED, RUNS),
    "spinors": SPINORS,
    "overlap": (False, True),
    "sums": SUMS,
}


class QcdDrawn(Drawn):
    """How its studies are drawn."""

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """A solve of a few iterations; a quarter of them measure a pion."""
        size = one_of(draw, SIZES)
        quarks = {"kappa": 0.12, **some(draw, QUARKS)}
        if quarks.get("stout_steps"):
            quarks["stout_weight"] = 0.1
        pion = {"pion": PIONS[0]} if draw.integers(4) == 0 else {}
        most = MOST_OF_PION if pion else MOST_ITERATIONS
        own = some(draw, COMMUNICATION)
        grids = sorted(fitting_grids(size, wanted.ranks))
        if grids and draw.integers(2):
            own["process_grid"] = grid_of(*one_of(draw, tuple(grids)))
        return {
            "lattice": {"size": list(size)},
            "quarks": quarks,
            "solver": {"iterations": int(draw.integers(1, most + 1)), **some(draw, SOLVER)},
            "measure": {**pion, **some(draw, {"rectangles": (False, True)})},
            "communication": own,
        }

"""Solves and trajectories of lattice QCD that are drawn at random, by which models are judged."""

from __future__ import annotations

from typing import Any

from phasewise.models.drawn import SIMULATED_PROTOCOLS, Draw, Drawn, Tables, Wanted, one_of, some
from phasewise.workload.grids import grid_of
from phasewise.workloads.qcd.communication import LAYOUTS, PACKED, RUNS, SPINORS, SUMS
from phasewise.workloads.qcd.gauge_keys import RECTANGLES
from phasewise.workloads.qcd.grids import fitting_grids
from phasewise.workloads.qcd.model import METHODS, PIONS, PRECISIONS
from phasewise.workloads.qcd.update_keys import HEAT_BATH, HMC, OUTER_STEPS

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

QUENCHED, WITH_QUARKS = "quenched", "with quarks"
KINDS = (QUENCHED, WITH_QUARKS, HEAT_BATH)
"""Kinds of studies that make configurations."""
LIMITS = (2, 3, 4)
"""Iterations within which a solve of a trajectory must end, and which a plan expects."""
MOST_FLOW = 0.1


class QcdDrawn(Drawn):
    """How its studies are drawn."""

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """A solve of a few iterations, a quarter of them of a pion; a third of the studies are
        trajectories instead.
        """
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
        solve = {
            "quarks": quarks,
            "solver": {"iterations": int(draw.integers(1, most + 1)), **some(draw, SOLVER)},
            "measure": {**pion, **some(draw, {"rectangles": (False, True)})},
        }
        chosen = solve if draw.integers(3) else trajectory(draw, one_of(draw, KINDS))
        return {"lattice": {"size": list(size)}, **chosen, "communication": own}


def trajectory(draw: Draw, kind: str) -> Tables:
    """The tables of a study of short trajectories of this kind, a half of them with a gradient
    flow of a few steps.
    """
    flow = {"flow_step": 0.02, "flow_until": 0.02 * int(draw.integers(1, 6))}
    tables: Tables = {
        "gauge": {"beta": 5.7, "start": "hot"},
        "measure": flow if draw.integers(2) else {},
    }
    if kind == HEAT_BATH:
        return tables | {
            "update": {"method": HEAT_BATH, "over_relaxation": int(draw.integers(0, 5))}
        }
    tables["gauge"] |= some(draw, {"action": tuple(RECTANGLES)})
    integrator = some(draw, {"integrator": tuple(OUTER_STEPS)})
    update: dict[str, Any] = {"method": HMC, "length": 0.5, **integrator}
    if kind == QUENCHED:
        return tables | {"update": {**update, "steps": [int(draw.integers(1, 5))]}}
    masses = [0.2] if draw.integers(2) else []
    update |= {"hasenbusch": masses, "steps": [1, *(1 for _ in masses), int(draw.integers(1, 3))]}
    return tables | {
        "update": update,
        "quarks": {"kappa": 0.12, **some(draw, {"clover": QUARKS["clover"]})},
        "solver": {"limit": one_of(draw, LIMITS), **some(draw, {"precision": ("double", "mixed")})},
    }

"""Other ways to exchange boundaries and to add up: a run may try them at first, and a tuner
compares them.
"""

from __future__ import annotations

import math
from typing import Any

from phasewise.runs.choosing import Choosing, Shapes
from phasewise.workload.grids import grid_of
from phasewise.workload.protocols import available, comparable
from phasewise.workloads.ocean.communication import (
    ADDING,
    KERNELS,
    SUMS,
    OceanCommunication,
    changed_in,
    process_grids,
)
from phasewise.workloads.ocean.table import DIAGONAL, NONE, PCSI, OceanTable

GRIDS = 4
"""Most process grids that a tuner compares; they are those of least boundary."""


class OceanChoosing(Choosing):
    """Its ways to exchange."""

    ALONE = True

    def nothing_to_try(self, _model: OceanTable) -> str:
        """There is always another kernel."""
        return ""

    def study_key(self, model: OceanTable) -> dict[str, Any]:
        """What decides how much is sent."""
        names = ("size", "geometry", "periodic", "mask", "solver", "preconditioner", "baroclinic")
        found = {name: getattr(model, name) for name in names}
        return {**found, "size": list(model.size), "evp_block": list(model.evp_block)}

    def changes(
        self, given: OceanCommunication, model: OceanTable, shapes: Shapes, levels: bool
    ) -> list[dict[str, Any]]:
        """On several ranks each other protocol and algorithm, and the other kernel.

        levels: whether some ranks share a node and some do not.
        """
        found: list[dict[str, Any]] = []
        if math.prod(shapes[0]) > 1:
            found += [{"solver_halo": name} for name in available()]
            found += [{"solver_sum": name} for name in sums_on(levels)]
            found += [{"solver_sum_protocol": name} for name in adding(available())]
            found += [{"iterations_per_exchange": count} for count in shared(model)]
            found += [{"boundary": name} for name in available()]
            found += [{"aggregate": not given.aggregate}]
        found += [{"kernel": kernel} for kernel in KERNELS]
        return [change for change in found if changed_in(given, change)]

    def choices(self, model: OceanTable, ranks: int) -> dict[str, list[Any]]:
        """All values of the keys; `tuning` combines those that belong together."""
        several = ranks > 1
        protocols = list(comparable() if several else comparable()[:1])
        grids = [grid_of(*grid) for grid in process_grids(model, ranks)[:GRIDS]]
        return {
            "process_grid": grids or ["auto"],
            "aggregate": [True, False] if several else [True],
            "boundary": protocols,
            "solver_halo": protocols,
            "solver_sum": list(SUMS if several else SUMS[:1]),
            "solver_sum_protocol": adding(tuple(protocols)),
            "iterations_per_exchange": shared(model) if several else [1],
            "kernel": list(KERNELS),
        }


def adding(names: tuple[str, ...]) -> list[str]:
    """The protocols among these by which data can be added."""
    return [name for name in names if name in ADDING]


def sums_on(levels: bool) -> list[str]:
    """The algorithms that differ; levels: whether some ranks share a node and some do not."""
    return [name for name in SUMS if levels or name != "node-aware"]


def shared(model: OceanTable) -> list[int]:
    """How many iterations an exchange may serve."""
    both = model.solver == PCSI and model.preconditioner in (NONE, DIAGONAL)
    counts = (model.iterations or 0, model.most_iterations, model.check_every)
    return [1, 2] if both and all(count % 2 == 0 for count in counts) else [1]

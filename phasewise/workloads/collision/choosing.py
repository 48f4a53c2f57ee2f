"""Other ways to exchange that a run of colliding beams may try in its first turns."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from phasewise.runs.choosing import Choosing, Shapes
from phasewise.tables.keys import shortest
from phasewise.workloads.collision.tables.communication import (
    AT_ONCE,
    TRANSPOSES,
    BeamCommunication,
    Shape,
)
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tuning import PAIRS, Candidate, crossing_matters

ALIKE = (*(reduce for reduce, broadcast in PAIRS if reduce == broadcast), "mpi")
"""Algorithms that are set for reduce and broadcast together."""


class CollisionChoosing(Choosing):
    """Its ways to exchange."""

    def nothing_to_try(self, model: Collision) -> str:
        """Why there is nothing to tune; empty if there is something."""
        return "" if model.meshes else "this study has no mesh, whose exchanges could be tuned"

    def study_key(self, model: Collision) -> dict[str, Any]:
        """Meshes, slices, and the order of magnitude of the number of particles."""
        points = [
            [
                ip.model,
                *ip.grid,
                shortest(ip.slices),
                ip.interpolation,
                ip.planes,
                ip.luminosity,
                ip.green_function,
            ]
            for ip in model.ips
        ]
        orders = [round(math.log10(max(beam.macroparticles, 1))) for beam in model.beams]
        return {"points": points, "orders": orders}

    def changes(
        self, given: BeamCommunication, model: Collision, shapes: Shapes, levels: bool
    ) -> list[dict[str, Any]]:
        """Ways to exchange that send other messages than `given`, on these process grids, the most
        promising first. Each changes one thing.

        levels: whether some ranks share a node and some do not. What a study sets for single phases
        stays as it is.
        """
        pairs = max((min(ip.slices) for ip in model.meshes), default=1)
        prow, pcol = (max(shape[k] for shape in shapes) for k in (0, 1))
        several = any(shape[0] < pairs for shape in shapes)
        own = {phase.name.partition("_")[0] for phase in given.phases}
        found: list[dict[str, Any]] = []
        if prow * pcol > 1 and not own & {"reduce", "broadcast"}:
            found += [{"reduce": word, "broadcast": word} for word in _pairs(prow, pcol, levels)]
        if several:
            found.append({"overlap": not given.overlap})
        if pcol > 1 and not {"green", "solve"} <= own:
            # With two processes all algorithms exchange halves; only the library's differs.
            pair = "pairwise" if given.transpose == "alltoallw" else "alltoallw"
            found += [{"transpose": word} for word in (TRANSPOSES if pcol > 2 else (pair,))]
        if crossing_matters(Candidate(_both(shapes), broadcast=given.broadcast)):
            found.append({"crossing": "4b" if given.crossing == "4a" else "4a"})
        if several and (pcol > 1 or given.reduce in AT_ONCE or given.broadcast in AT_ONCE):
            found.append({"aggregate": not given.aggregate})
        if max(prow, pcol) > 2 and not own & {"reduce", "broadcast"}:
            found.append({"reduce": "mesh", "broadcast": "mesh", "schedule": "pairwise"})
        if prow * pcol > 1 and "broadcast" not in own:
            found.append({"broadcast": "mpi-gatherv"})
        return [change for change in found if replace(given, **change) != given]


def _both(shapes: Shapes) -> tuple[Shape, Shape]:
    first, second = ((prow, pcol) for prow, pcol in shapes)
    return first, second


def _pairs(prow: int, pcol: int, levels: bool) -> list[str]:
    """Algorithms that differ: direct is the mesh in a grid of one row or column, and node-aware is
    direct unless some ranks share a node and some do not.
    """
    words = [word for word in ALIKE if levels or word != "node-aware"]
    if min(prow, pcol) == 1:
        words.remove("direct")
    return words

"""Other ways to exchange faces, which a run may try in its first solves and a tuner compares."""

from __future__ import annotations

import math
from typing import Any

from phasewise.runs.choosing import Choosing, Shapes
from phasewise.workload.grids import grid_of
from phasewise.workload.protocols import PROTOCOLS, available, comparable
from phasewise.workloads.qcd.communication import (
    BRICKS,
    LINK_REALS,
    SPINORS,
    T_FIRST,
    X_FIRST,
    QcdCommunication,
    may_keep_two_rows,
)
from phasewise.workloads.qcd.grids import fitting_grids, surface_ratio
from phasewise.workloads.qcd.model import Qcd

GRIDS = 24
"""Most process grids that a tuner compares; they are those of least surface."""


class QcdChoosing(Choosing):
    """Its ways to exchange."""

    def nothing_to_try(self, model: Qcd) -> str:
        """A solve always has other protocols to try; trajectories have none that a run can
        compare.
        """
        if model.quarks is None:
            return "links without quarks are exchanged in one way"
        if model.update is not None:
            return (
                "trajectories differ in their iterations, so that their times do not tell which "
                "way to exchange is the fastest; phasewise tune compares predictions"
            )
        return ""

    def study_key(self, model: Qcd) -> dict[str, Any]:
        """What decides how much is sent."""
        return {"size": list(model.lattice.size), "right_sides": model.right_sides}

    def changes(
        self, given: QcdCommunication, model: Qcd, shapes: Shapes, _levels: bool
    ) -> list[dict[str, Any]]:
        """Links of 18 or 12 reals, and on several ranks the other overlap and the other protocols
        of this build.
        """
        found: list[dict[str, Any]] = []
        if may_keep_two_rows(given, model):
            found += [{"link_reals": reals} for reals in LINK_REALS if reals != given.link_reals]
        if math.prod(shapes[0]) == 1:
            return found
        found.append({"overlap": not given.overlap})
        return found + [{"halo": name} for name in available() if name != given.halo]

    def choices(self, model: Qcd, ranks: int) -> dict[str, list[Any]]:
        """Process grids of least surface and layouts; with quarks also protocols, spinors and
        overlap. Faces in runs are left out: they send the content of a packed face in more
        messages.
        """
        size = model.lattice.size
        grids = sorted(
            fitting_grids(size, ranks), key=lambda grid: (surface_ratio(size, grid), grid)
        )
        places: dict[str, list[Any]] = {
            "process_grid": [grid_of(*grid) for grid in grids[:GRIDS]],
            "layout": [X_FIRST, T_FIRST, BRICKS],
        }
        if model.quarks is None:
            return places
        return {
            **places,
            "halo": list(comparable() if ranks > 1 else PROTOCOLS[:1]),
            "spinors": list(SPINORS),
            "overlap": [False, True],
        }

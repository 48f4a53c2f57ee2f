"""Space charge for planning and comparing: its steps, which are alike, and its pieces."""

from __future__ import annotations

from phasewise.study.laboratory import Laboratory
from phasewise.workloads.spacecharge.model import SpaceCharge


class SpaceChargeLaboratory(Laboratory):
    """How it is planned, simulated and compared."""

    GROUPS = "all ranks"
    LOADS = {"grid": "planes of the mesh"}
    WHEN = {"mesh": "only when the mesh has changed", "sort": "in some turns"}
    PIECES = {"mesh": "meshes", "sort": "sorts"}

    def steps(self, model: SpaceCharge) -> tuple[int, int]:
        """All kicks are alike, and follow each other."""
        return model.solver.kicks, model.solver.kicks

"""Space charge for planning and comparing: its steps, which are alike, and its pieces."""

from __future__ import annotations

from phasewise.study.laboratory import Laboratory
from phasewise.workloads.spacecharge.model import SpaceCharge

GREEN = "green"
"""The piece that a new mesh needs: its Green function is made and sent."""


class SpaceChargeLaboratory(Laboratory):
    """How it is planned, simulated and compared."""

    GROUPS = "all ranks"
    LOADS = {"grid": "planes of the mesh"}
    WHEN = {"mesh": "only when the mesh has changed", "sort": "in some turns"}
    PIECES = {"mesh": "meshes", "sort": "sorts"}

    def steps(self, model: SpaceCharge) -> tuple[int, int]:
        """All kicks are alike, and follow each other."""
        return model.solver.kicks, model.solver.kicks

    def first_pieces(self, model: SpaceCharge) -> dict[str, float]:
        """In the first turn the mesh is new."""
        return {GREEN: 1.0} if model.solver.grid else {}

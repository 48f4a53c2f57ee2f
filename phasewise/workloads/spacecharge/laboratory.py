"""Space charge for planning and comparing: its steps, which are alike, and its pieces."""

from __future__ import annotations

from phasewise.workloads.spacecharge.model import SpaceCharge

GROUPS = "all ranks"
LOADS = {"grid": "planes of the mesh"}
WHEN = {"mesh": "only when the mesh has changed"}
PIECES = {"mesh": "meshes"}

GREEN = "green"
"""The piece that a new mesh needs: its Green function is made and sent."""


def steps(model: SpaceCharge) -> tuple[int, int]:
    """All kicks are alike, and follow each other."""
    return model.solver.kicks, model.solver.kicks


def first_pieces(model: SpaceCharge) -> dict[str, float]:
    """In the first turn the mesh is new."""
    return {GREEN: 1.0} if model.solver.grid else {}

"""Gas dynamics for planning and comparing."""

from __future__ import annotations

from typing import Any

from phasewise.errors import StudyError
from phasewise.study.laboratory import Laboratory, Pieces
from phasewise.workloads.hydro.model import from_file
from phasewise.workloads.hydro.table import STRANG, HydroTable


class HydroLaboratory(Laboratory):
    """How it is planned, simulated and compared."""

    GROUPS = "all ranks"
    LOADS = {"zones": "zones"}
    WHEN = {
        "start": "in a run's first timestep",
        "resumed": "after a checkpoint",
        "forwards": "in each second timestep, along the axes in order",
        "backwards": "in each second timestep, along the axes in reverse order",
    }
    PIECES = {
        "start": "starts",
        "resumed": "resumed states",
        "forwards": "timesteps forwards",
        "backwards": "timesteps backwards",
    }
    TASKS = {
        "sweeps": ("sweep", "sweep_plain", "between_loops"),
        "transposes": ("transpose_xy", "transpose_yx", "transpose_yz", "transpose_zy"),
        "timestep": ("courant",),
        "records": ("diagnose", "invariants", "compare", "norms"),
    }

    def check_simulated(self, model: HydroTable, skeleton: bool) -> None:
        """StudyError if arrays come from a file and are needed."""
        if from_file(model) and not skeleton:
            raise StudyError(
                "hydro.file: arrays from a file cannot be handed to simulated ranks; simulate "
                "another problem, or only the messages with --skeleton"
            )

    def iterated(self, model: HydroTable, _communication: Any, iterations: int | None) -> Pieces:
        """Timesteps take the axes forwards and backwards in turn; no solver iterates."""
        if iterations is not None or model.order != STRANG or len(model.zones) == 1:
            return {}
        return {"forwards": 0.5, "backwards": 0.5}

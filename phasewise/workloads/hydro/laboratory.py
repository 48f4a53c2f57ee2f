"""Gas dynamics for planning and comparing."""

from __future__ import annotations

from phasewise.errors import StudyError
from phasewise.study.laboratory import Laboratory
from phasewise.workloads.hydro.model import from_file
from phasewise.workloads.hydro.table import HydroTable


class HydroLaboratory(Laboratory):
    """How it is planned, simulated and compared."""

    GROUPS = "all ranks"
    LOADS = {"zones": "zones"}
    WHEN = {"start": "in a run's first timestep", "restored": "after a checkpoint"}
    PIECES = {"start": "starts", "restored": "restored states"}
    TASKS = {
        "sweeps": ("sweep", "load", "ppm", "riemann", "lagrange", "remap", "between_loops"),
        "transposes": ("transpose_xy", "transpose_yx", "transpose_yz", "transpose_zy"),
        "timestep": ("courant",),
        "records": ("diagnose", "invariants", "norms"),
    }

    def check_simulated(self, model: HydroTable, skeleton: bool) -> None:
        """StudyError if arrays come from a file and are needed."""
        if from_file(model) and not skeleton:
            raise StudyError(
                "hydro.file: arrays from a file cannot be handed to simulated ranks; simulate "
                "another problem, or only the messages with --skeleton"
            )

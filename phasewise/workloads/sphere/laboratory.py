"""Shallow water for planning and comparing."""

from __future__ import annotations

from phasewise.errors import StudyError
from phasewise.study.laboratory import Laboratory
from phasewise.workloads.sphere.cases import FILE
from phasewise.workloads.sphere.model import Sphere


class SphereLaboratory(Laboratory):
    """How it is planned, simulated and compared."""

    GROUPS = "all ranks"
    LOADS = {"coefficients": "coefficients of a field"}
    WHEN = {"start": "in a run's first timestep", "restored": "after a checkpoint"}
    PIECES = {"start": "starts", "restored": "restored states"}
    TASKS = {
        "Fourier transforms": ("forward", "backward"),
        "Legendre transforms": ("analysis", "synthesis"),
        "between them": ("legendre_transpose", "legendre_sum", "legendre_share", "bound"),
        "timestep": ("advance", "diagnose"),
        "sums": ("invariants", "norms", "stations"),
    }

    def check_simulated(self, model: Sphere, skeleton: bool) -> None:
        """StudyError if fields come from a file and are needed."""
        if model.case == FILE and not skeleton:
            raise StudyError(
                "sphere.file: fields from a file cannot be handed to simulated ranks; simulate "
                "another case, or only the messages with --skeleton"
            )

"""An ocean for planning and comparing."""

from __future__ import annotations

from typing import Any, cast

from phasewise.errors import StudyError
from phasewise.study import Study
from phasewise.study.laboratory import Laboratory, Pieces
from phasewise.workload.communication import Communication
from phasewise.workloads.ocean.communication import OceanCommunication
from phasewise.workloads.ocean.kernels import MOMENTUM, OF_SOLVER, RECORDED, SURFACE, TRACERS, both
from phasewise.workloads.ocean.model import model_of
from phasewise.workloads.ocean.table import FROM_FILE, PCSI, PIPELINED, OceanTable

CHECKS = 2.0
"""Times that `pipelined` computes the residual in a solve: when it has fallen by 1e5, and again."""
YEAR, DAY = 365.0 * 86400.0, 86400.0
"""[s]"""


class OceanLaboratory(Laboratory):
    """How it is planned, simulated and compared."""

    GROUPS = "all ranks"
    LOADS = {"columns": "columns of the sea"}
    WHEN = {
        "setup": "before a run's first timestep",
        "iteration": "once in an iteration of the solver",
        "check": "once for each time that the solver finds the residual",
    }
    PIECES = {"setup": "starts", "iteration": "iterations", "check": "checks"}
    TASKS = {
        "tracer updates": (*both(TRACERS), *RECORDED),
        "baroclinic": both(MOMENTUM),
        "baroclinic boundary": ("baroclinic_boundary", "tracer_boundary"),
        "barotropic without solver": SURFACE,
        "barotropic boundary": ("barotropic_boundary",),
        "solver": OF_SOLVER,
    }

    def rate(self, study: Study) -> tuple[float, str]:
        """Years that a timestep simulates over a day of the clock."""
        return model_of(study).timestep / YEAR * DAY, "simulated years a day"

    def check_simulated(self, model: OceanTable, skeleton: bool) -> None:
        """StudyError if fields come from a file and are needed."""
        if model.initial == FROM_FILE and not skeleton:
            raise StudyError(
                "ocean.initial_file: fields from a file cannot be handed to simulated ranks; "
                "simulate another start, or only the messages with --skeleton"
            )

    def placed(self, communication: Any, record: Any) -> Communication:
        """The communication with the process grid of a record, where blocks follow from it."""
        own = isinstance(communication, OceanCommunication) and communication.one_block_each
        return super().placed(communication, record) if own else cast(Communication, communication)

    def iterated(
        self, model: OceanTable, communication: OceanCommunication, iterations: int | None
    ) -> Pieces:
        """Iterations of a solve, two in each piece where they share an exchange, and how often it
        finds the residual; StudyError where the study fixes them. None: as many as it fixes.
        """
        fixed = model.iterations
        if iterations is not None and fixed is not None:
            raise StudyError(
                f"--iterations {iterations} and ocean.iterations = {fixed} exclude each other: the "
                "study fixes how many there are"
            )
        each = iterations or fixed
        if each is None:
            return {}
        found = {"iteration": float(-(-each // communication.iterations_per_exchange))}
        if model.solver == PCSI:
            found["check"] = float(-(-each // model.check_every))
        if model.solver == PIPELINED:
            found["check"] = CHECKS
        return found

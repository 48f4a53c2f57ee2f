"""Fields that come from a file at the start of a run."""

from __future__ import annotations

from typing import cast

from phasewise.driver import Communicator, Run, StatefulRun
from phasewise.runs.state import StateKeeping
from phasewise.study import Study
from phasewise.workloads.ocean.initial_file import load_fields
from phasewise.workloads.ocean.model import model_of
from phasewise.workloads.ocean.table import FROM_FILE


class OceanStateKeeping(StateKeeping):
    """Where its state comes from."""

    FAILS_ALIKE = (
        *("the operator ", "the right-hand side ", "the residual ", "the equation "),
        *("the solver ", "ocean.", "evp_block "),
    )

    def load(self, run: Run, comm: Communicator, study: Study) -> None:
        """Read this rank's part of the fields at the start; collective."""
        model = model_of(study)
        if model.initial == FROM_FILE:
            load_fields(cast(StatefulRun, run), comm, model)

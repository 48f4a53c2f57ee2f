"""Arrays that come from a file at the start of a run."""

from __future__ import annotations

from typing import cast

from phasewise.driver import Communicator, Run, StatefulRun
from phasewise.mpi.ranks import collectively
from phasewise.runs.state import StateKeeping
from phasewise.study import Study
from phasewise.workloads.hydro.array_file import read_arrays
from phasewise.workloads.hydro.model import from_file, model_of
from phasewise.workloads.hydro.zones import hand_over, own_zones


class HydroStateKeeping(StateKeeping):
    """Where its state comes from."""

    FAILS_ALIKE = ("the gas ",)

    def load(self, run: Run, comm: Communicator, study: Study) -> None:
        """Read this rank's zones of the arrays at the start; collective."""
        model, own = model_of(study), cast(StatefulRun, run)
        if from_file(model):
            arrays = collectively(comm, lambda: read_arrays(model, own_zones(own)))
            hand_over(own, comm, model, arrays)

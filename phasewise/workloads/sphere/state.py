"""Fields that come from a file at the start of a run, and the ground when it goes on."""

from __future__ import annotations

from typing import cast

from phasewise.driver import Communicator, Run
from phasewise.mpi.ranks import collectively
from phasewise.runs.state import StateKeeping
from phasewise.study import Study
from phasewise.workloads.sphere.cases import FILE
from phasewise.workloads.sphere.driver import SphereRun
from phasewise.workloads.sphere.field_file import read_fields, read_ground
from phasewise.workloads.sphere.model import model_of


class SphereStateKeeping(StateKeeping):
    """Where its state comes from."""

    def load(self, run: Run, comm: Communicator, study: Study) -> None:
        """Read this rank's latitudes of the fields at the start; collective."""
        model, own = model_of(study), cast(SphereRun, run)
        if model.case == FILE:
            fields = collectively(comm, lambda: read_fields(model, own.latitudes))
            own.set_fields(*fields)

    def renew(self, run: Run, comm: Communicator, study: Study) -> None:
        """Read the ground again after a checkpoint, which does not hold it; collective."""
        model, own = model_of(study), cast(SphereRun, run)
        if model.case == FILE and own.mountain_is_missing:
            own.set_mountain(collectively(comm, lambda: read_ground(model, own.latitudes)))

"""The state of several workloads in a checkpoint: that of the one that makes the bunches."""

from __future__ import annotations

from phasewise.driver import Communicator, Run
from phasewise.runs.state import State, StateKeeping
from phasewise.study import Study
from phasewise.workload.interface import Workload
from phasewise.workloads.composite.parts_of import part_of
from phasewise.workloads.composite.workload import ring_of


class CompositeStateKeeping(StateKeeping):
    """The state of the part that makes the bunches."""

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        self._ring = ring_of(workload)
        self._host = self._ring.ring[self._ring.host].part(StateKeeping)
        # Errors of the other parts are never alike: only ranks that hold a bunch act on it.
        self.FAILS_ALIKE = self._host.FAILS_ALIKE

    def state_of(self, run: Run, comm: Communicator, study: Study) -> State:
        if not self._host.overrides(StateKeeping.state_of):
            return super().state_of(run, comm, study)
        name = self._ring.host
        return self._host.state_of(run.part(name)[0], comm, part_of(study, name))

    def load(self, run: Run, comm: Communicator, study: Study) -> None:
        name = self._ring.host
        self._host.load(run.part(name)[0], comm, part_of(study, name))

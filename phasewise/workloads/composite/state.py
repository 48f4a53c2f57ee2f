"""The state of several workloads in a checkpoint: that of the one that makes the bunches."""

from __future__ import annotations

from typing import Any

from phasewise.driver import Communicator, Run
from phasewise.runs.state import State, load_state
from phasewise.study import Study
from phasewise.workloads.composite.parts import part_of, workload_of
from phasewise.workloads.composite.workload import Composite


def made_for(workload: Composite) -> dict[str, Any]:
    """FAILS_ALIKE and `state_of` of the part that makes the bunches, where it has its own.

    Errors of the others are never alike: only ranks that hold a bunch act on it.
    """
    host = workload.ring[workload.host].part("state")
    made: dict[str, Any] = {"FAILS_ALIKE": getattr(host, "FAILS_ALIKE", ())}
    make = getattr(host, "state_of", None)
    if make is None:
        return made

    def state_of(run: Run, study: Study) -> State:
        found: State = make(run.part(workload.host)[0], part_of(study, workload.host))
        return found

    return made | {"state_of": state_of}


def load(run: Run, comm: Communicator, study: Study) -> None:
    """Load the bunches from files; collective."""
    host = workload_of(study).host
    load_state(run.part(host)[0], comm, part_of(study, host))

"""What a checkpoint of space charge keeps: the compiled run gives its particles as rows."""

from phasewise.driver import Communicator, Run
from phasewise.runs.state import StateKeeping
from phasewise.study import Study
from phasewise.workloads.spacecharge.particle_files import load_particles


class SpaceChargeStateKeeping(StateKeeping):
    """Where its state comes from."""

    FAILS_ALIKE = ("the bunch has no finite size",)
    """A mesh's errors: they follow from a box that every rank has alike."""

    def load(self, run: Run, comm: Communicator, study: Study) -> None:
        """Hand over the particles of a bunch that comes from a file; collective."""
        load_particles(run, comm, study)

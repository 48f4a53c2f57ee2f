"""The state of colliding beams in a checkpoint, and particles that come from files at the start."""

from __future__ import annotations

from typing import cast

from phasewise.driver import Communicator, Run
from phasewise.runs.state import State, StateKeeping
from phasewise.study import Study
from phasewise.workloads.collision.driver import CollisionRun
from phasewise.workloads.collision.particle_files import load_particles
from phasewise.workloads.collision.particles import Particles


class CollisionStateKeeping(StateKeeping):
    """Where its state comes from."""

    FAILS_ALIKE = ("the beams have no finite size", "the slices are too far apart")
    """A mesh's errors: they follow from sizes and places that every rank has alike."""

    def state_of(self, run: Run, _comm: Communicator, _study: Study) -> State:
        """The state of a run of colliding beams."""
        return Particles(cast(CollisionRun, run))

    def load(self, run: Run, comm: Communicator, study: Study) -> None:
        """Hand over the particles of beams that come from files; collective."""
        load_particles(cast(CollisionRun, run), comm, study)

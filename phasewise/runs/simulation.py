"""A simulation step by step from Python, its particles as arrays without a copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Communicator, Core, Driver, Floats, load_core
from phasewise.errors import RunError, StudyError
from phasewise.mpi.ranks import AgreedError, collectively
from phasewise.study import Study
from phasewise.study.communication import Communication
from phasewise.workloads.collision.particle_files import load_particles

FAILS_ALIKE = "the beams have no finite size"
"""Beginning of the core's error on a mesh, which follows from sizes that every rank has alike."""


class BeamView:
    """The living particles of one beam that this process holds, in any order.

    The arrays share the driver's memory: writing to them moves the particles. They are valid until
    the next step; take them anew after it.
    """

    def __init__(self, driver: Driver, number: int) -> None:
        self._driver = driver
        self.number = number

    def _column(self, name: str) -> NDArray[Any]:
        return self._driver.particles(self.number)[name]

    @property
    def x(self) -> Floats:
        """(n,) horizontal position [m]."""
        return self._column("x")

    @property
    def px(self) -> Floats:
        """(n,) Px/P0."""
        return self._column("px")

    @property
    def y(self) -> Floats:
        """(n,) vertical position [m]."""
        return self._column("y")

    @property
    def py(self) -> Floats:
        """(n,) Py/P0."""
        return self._column("py")

    @property
    def z(self) -> Floats:
        """(n,) longitudinal position, ahead positive [m]."""
        return self._column("z")

    @property
    def delta(self) -> Floats:
        """(n,) (P - P0)/P0."""
        return self._column("delta")

    @property
    def id(self) -> NDArray[np.uint32]:
        """(n,) numbers of the particles in their beam, from 0."""
        return self._column("id")

    def __len__(self) -> int:
        return len(self.id)


class Simulation:
    """Two colliding beams, turn after turn.

    Under mpiexec each rank holds a share of the particles, and all ranks call the same methods.
    """

    def __init__(
        self, study: Study, threads: int = 1, core: Core | None = None, events: int = 0
    ) -> None:
        """Bunches at the first interaction point, turn 0; `threads` in each process.

        events: of the time line that each rank keeps at most; 0: it keeps none.
        StudyError where the study cannot be run, RunError where the core is not built.
        """
        self.study = study
        self.threads = threads
        self.events = events
        self.communication = study.communication
        """How the ranks exchange now."""
        self.tuned_turns = 0
        """Turns so far in which other ways to exchange were tried."""
        self.comm: Communicator = core or load_core()
        parameters = study.parameters()
        if events:
            parameters += f"records.events = {events}\n"
        make = (core or load_core()).start
        self.driver: Driver = collectively(self.comm, lambda: _make(make, parameters, threads))
        self._fresh = True

    def start(self) -> None:
        """Load the particles of beams that come from files; done by the first step where needed."""
        if self._fresh:
            self._fresh = False
            load_particles(self.driver, self.comm, self.study)

    def resumed(self) -> None:
        """The particles come from a checkpoint instead."""
        self._fresh = False

    @property
    def turn(self) -> int:
        """Turns done."""
        return self.driver.turn

    def step(self) -> None:
        """One turn: record at the first interaction point, collide, and through the arc.

        RunError where the turn cannot be done, such as with beams without any size.
        """
        self.start()
        try:
            self.driver.step()
        except MemoryError:
            raise RunError(f"there is not enough memory for turn {self.turn}") from None
        except (RuntimeError, ValueError) as error:
            sentence = f"turn {self.turn} cannot be done: {' '.join(str(error).split())}"
            if str(error).startswith(FAILS_ALIKE):
                raise AgreedError(sentence, RunError.exit_status) from error
            raise RunError(sentence) from error

    def set_communication(self, communication: Communication) -> None:
        """Exchange as `communication` says from the next turn on; no bit of the results changes.

        Its process grid, layout and node size are not looked at: the ranks keep their places.
        On all ranks alike. StudyError where it cannot be used; then all goes on as before.
        """
        parameters = communication.exchanges()
        try:
            collectively(self.comm, lambda: _set(self.driver, parameters))
        except RunError:
            # Where one rank alone refused, the others have changed already.
            _set(self.driver, self.communication.exchanges())
            raise
        self.communication = communication

    def run(
        self,
        turns: int | None = None,
        callback: Callable[[Simulation], None] | None = None,
    ) -> None:
        """So many turns, by default to the study's end, `callback(simulation)` after each."""
        last = self.study.turns if turns is None else self.turn + turns
        while self.turn < last:
            self.step()
            if callback is not None:
                callback(self)

    def beam(self, number: int) -> BeamView:
        """The particles of beam 1 or 2."""
        if number not in (1, 2):
            raise ValueError(f"there is no beam {number}: 1 or 2")
        self.start()
        return BeamView(self.driver, number)

    def record(self) -> dict[str, Any]:
        """What the last turn measured, on arrival at the first interaction point (docs/records.md).

        `luminosity` (IP,) [m⁻²], and for each beam b `b/mean`, `b/covariance`, `b/emittance`, …
        """
        if self.turn == 0:
            raise RunError("there is no record before the first turn: call step() first")
        return self.driver.record()


def _set(driver: Driver, parameters: str) -> None:
    try:
        driver.set_communication(parameters)
    except ValueError as error:
        raise StudyError(str(error)) from error
    except MemoryError:
        raise RunError("there is not enough memory to exchange in another way") from None


def _make(make: Callable[[str, int], Driver], parameters: str, threads: int) -> Driver:
    try:
        return make(parameters, threads)
    except ValueError as error:
        raise StudyError(str(error)) from error
    except MemoryError:
        sentence = "there is not enough memory for the particles and meshes of this study"
        raise RunError(sentence) from None
    except RuntimeError as error:
        raise RunError(str(error)) from error

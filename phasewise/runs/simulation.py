"""Runs a study turn by turn from Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from phasewise.driver import Communicator, Core, Run, load_core
from phasewise.errors import RunError, StudyError
from phasewise.mpi.ranks import AgreedError, collectively
from phasewise.runs.core_share import ProcessorTimes
from phasewise.runs.state import fails_alike, load_state, renew_state
from phasewise.runs.views import Naming, Views, attribute_of
from phasewise.study import Study
from phasewise.workload.communication import Communication


class Simulation:
    """A study that runs, turn after turn.

    Under mpiexec each rank holds a share of it, and all ranks call the same methods. The workload's
    `Views` add attributes, such as `beam(number)` for colliding beams.
    """

    def __init__(
        self, study: Study, threads: int = 1, core: Core | None = None, events: int = 0
    ) -> None:
        """The initial state, turn 0.

        Args:
            study: What is simulated.
            threads: Threads of this process.
            core: The compiled core, where it is not the installed one.
            events: How many events of the time line each rank keeps at most.

        Raises:
            StudyError: The study cannot be run on these ranks.
            RunError: The core is not built, or there is not enough memory.
        """
        self.study = study
        self.threads = threads
        self.events = events
        self.communication = study.communication
        """How the ranks exchange now."""
        self.tuned_turns = 0
        """The number of turns in which other ways to exchange were tried."""
        self.batch = 1
        """The number of runs, this one included, whose turns were done together."""
        self.processor = ProcessorTimes()
        """What the system gave this rank during its turns."""
        loaded = core or load_core()
        self.comm: Communicator = loaded
        parameters = study.parameters()
        if events:
            parameters += f"records.events = {events}\n"
        self.driver: Run = collectively(self.comm, lambda: start_run(loaded, parameters, threads))
        self._fresh = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "study" not in self.__dict__:
            raise AttributeError(name)
        # It is made anew each time, so that a simulation without users goes away at once.
        view = self.study.workload.part(Views).simulation_view(self)
        return attribute_of(view, name, f"a simulation of {self.study.workload.name} has")

    def start(self) -> None:
        """Load the initial state that comes from files; otherwise the first step does it."""
        if self._fresh:
            self._fresh = False
            load_state(self.driver, self.comm, self.study)

    def resumed(self) -> None:
        """Mark the state as restored from a checkpoint."""
        self._fresh = False

    @property
    def turn(self) -> int:
        """The number of turns done."""
        return self.driver.turn

    @property
    def ended(self) -> bool:
        """Whether the run is at its end: the study's count, or the workload's own end before it."""
        return self.turn >= self.study.count or self.driver.finished

    def step(self) -> None:
        """Do one turn; RunError if it cannot be done, for instance if a beam has no size."""
        self.start()
        if self.turn > 0:
            renew_state(self.driver, self.comm, self.study)
        try:
            with self.processor.counted():
                self.driver.step()
        except (MemoryError, RuntimeError, ValueError) as error:
            raise self.failed(error) from error

    def failed(self, error: Exception) -> RunError:
        """The sentence that says why the turn in which the driver raised `error` cannot be done."""
        one = self.study.workload.unit.one
        if isinstance(error, MemoryError):
            return RunError(f"there is not enough memory for {one} {self.turn}")
        sentence = f"{one} {self.turn} cannot be done: {' '.join(str(error).split())}"
        if fails_alike(self.study, str(error)):
            return AgreedError(sentence, RunError.exit_status)
        return RunError(sentence)

    def set_communication(self, communication: Communication) -> None:
        """Exchange as `communication` says from the next turn on; no bit of the results changes.

        Its process grid, layout and node size are ignored: the ranks keep their places. All ranks
        must call it alike. StudyError if `communication` cannot be used; nothing changes then.
        """
        parameters = communication.exchanges()
        try:
            collectively(self.comm, lambda: _set(self.driver, parameters))
        except RunError:
            # If only some ranks refused, the others have changed already.
            _set(self.driver, self.communication.exchanges())
            raise
        self.communication = communication

    def run(
        self,
        turns: int | None = None,
        callback: Callable[[Simulation], None] | None = None,
    ) -> None:
        """Run `turns` turns; by default run to the study's end, or to the workload's own end before
        it. `callback(simulation)` is called after each turn.

        RunError if a turn cannot be done.
        """
        last = self.study.count if turns is None else self.turn + turns
        while self.turn < last and not self.driver.finished:
            self.step()
            if callback is not None:
                callback(self)

    def record(self) -> dict[str, Any]:
        """What the last turn measured, the same on every rank, by the names of its datasets
        (docs/records.md): arrays such as ``beam1/mean`` (6,) [m, 1] and ``luminosity`` (IP,) [m⁻²].
        RunError before the first turn.
        """
        if self.turn == 0:
            one = self.study.workload.unit.one
            raise RunError(f"there is no record before the first {one}: call step() first")
        return self._named(self.driver.record())

    @cached_property
    def _named(self) -> Naming:
        """Gives the driver's record the names of the datasets."""
        return self.study.workload.part(Views).naming(self.study)


def _set(driver: Run, parameters: str) -> None:
    try:
        driver.set_communication(parameters)
    except ValueError as error:
        raise StudyError(str(error)) from error
    except MemoryError:
        raise RunError("there is not enough memory to exchange in another way") from None


def start_run(core: Core, parameters: str, threads: int) -> Run:
    """A run from the flat parameters; StudyError or RunError where the core refuses."""
    try:
        return core.start(parameters, threads)
    except ValueError as error:
        raise StudyError(str(error)) from error
    except MemoryError:
        raise RunError("there is not enough memory for this study") from None
    except RuntimeError as error:
        raise RunError(str(error)) from error

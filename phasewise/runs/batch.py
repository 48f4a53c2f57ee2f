"""Several independent runs at once in one rank. On a device they share launches of kernels, for
studies whose bunches are too small to fill it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from phasewise.driver import Core, load_core
from phasewise.errors import PhasewiseError, RunError, StudyError
from phasewise.mpi.signals import Interrupts
from phasewise.runs.loop import Work
from phasewise.runs.results import Results
from phasewise.runs.run_options import RunOptions
from phasewise.runs.simulation import Simulation
from phasewise.study import Study


@dataclass(frozen=True)
class Planned:
    """A run of a batch; the fields are those of `phasewise.tuning.running.run`."""

    study: Study
    out: Path | None = None
    source: Path | None = None
    resume: bool = False


T = TypeVar("T")

Outcome = Results | PhasewiseError
"""What became of a run: its results, or why it has none."""


def run_batch(
    plans: Sequence[Planned],
    threads: int = 1,
    core: Core | None = None,
    ended: Callable[[int, Outcome], object] = lambda _number, _outcome: None,
) -> list[Outcome]:
    """Run all plans together, turn by turn, and return the outcome of each, in their order.

    A run that fails ends alone, but a device that fails, or has too little memory for what the runs
    do together, ends all of them. Every bit of the results is as if each run had been alone. ended:
    called with the number of a run, from 0, and its outcome as soon as it has ended. After a
    signal, runs that have not ended write a checkpoint and fail.

    Raises:
        StudyError: There are several ranks.
    """
    core = core or load_core()
    if core.size() > 1:
        raise StudyError(f"a batch runs in one rank, not in {core.size()}: leave mpiexec out")
    outcomes: dict[int, Outcome] = {}

    def end(number: int, outcome: Outcome) -> None:
        outcomes[number] = outcome
        ended(number, outcome)

    with ExitStack() as stack:
        interrupts = stack.enter_context(Interrupts())
        works: dict[int, Work] = {}
        stack.callback(_close, works)
        for number, plan in enumerate(plans):
            options = RunOptions(
                out=plan.out, threads=threads, resume=plan.resume, source=plan.source
            )
            begin = partial(Work, plan.study, options, core)
            work = _attempt(begin)
            if isinstance(work, Work):
                works[number] = work
            else:
                end(number, work)
        unfinished = sum(work.left for work in works.values())
        for work in works.values():
            work.simulation.batch = unfinished
            work.recording.start_clock()
        while works:
            _turn(core, works, interrupts, end)
    return [outcomes[number] for number in range(len(plans))]


def _attempt(action: Callable[[], T]) -> T | PhasewiseError:
    """What an action returns, or why it failed."""
    try:
        return action()
    except MemoryError:
        return RunError("there is not enough memory for this study")
    except PhasewiseError as error:
        return error


def _close(works: Mapping[int, Work]) -> None:
    for work in works.values():
        work.close()


def step_together(core: Core, simulations: Sequence[Simulation]) -> list[RunError | None]:
    """Do one turn of each simulation; returns for each why that failed, or None."""
    with ExitStack() as stack:
        for simulation in simulations:
            simulation.start()
        for simulation in simulations:
            stack.enter_context(simulation.processor.counted())
        errors = core.step_together([simulation.driver for simulation in simulations])
    return [
        None if error is None else simulation.failed(error)
        for simulation, error in zip(simulations, errors, strict=True)
    ]


def _turn(
    core: Core,
    works: dict[int, Work],
    interrupts: Interrupts,
    end: Callable[[int, Outcome], None],
) -> None:
    """Do a turn of all runs that have one left, and take out those that have ended."""
    numbers = [number for number, work in works.items() if work.left]
    errors = step_together(core, [works[number].simulation for number in numbers])
    faults: Mapping[int, RunError | None] = dict(zip(numbers, errors, strict=True))
    for number, work in list(works.items()):
        outcome = _attempt(
            partial(_after_turn, work, faults.get(number), number in faults, interrupts)
        )
        if outcome is not None:
            del works[number]
            work.close()
            end(number, outcome)


def _after_turn(
    work: Work, fault: RunError | None, stepped: bool, interrupts: Interrupts
) -> Outcome | None:
    """Record a run's turn; returns the outcome of the run if it has ended."""
    if fault is not None:
        return fault
    if stepped:
        work.recording.turn_done()
        if work.recording.agree(interrupts.requested) and work.left:
            return work.stop()
    if work.left:
        return None
    work.recording.finish()
    return work.results()

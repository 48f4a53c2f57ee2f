"""How long the turns of studies take on the ranks of a run, with intervals.

They are measured as messages are (core/probe, phasewise.machines.measure): every repetition begins
at a start that the ranks agree upon and takes as long as the slowest rank; the time is the median,
with its 95 % confidence interval. All studies are timed in several passes, each in a random order
of its own and with a new run, so that the interval also covers what changes with the place in
memory and with time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, TypeVar

import numpy as np

from phasewise.driver import Core, Floats
from phasewise.errors import StoppedError
from phasewise.mpi.ranks import collectively
from phasewise.mpi.signals import Interrupts
from phasewise.mpi.working import at
from phasewise.study import Study
from phasewise.workload.protocols import available, check_protocol

T = TypeVar("T")

PASSES = 5
FEWEST = 5
"""Fewest repetitions in a pass, however long they take."""
MOST = 400
SECONDS = 0.01
"""Time for the repetitions of a pass [s], if FEWEST take less."""


@dataclass(frozen=True)
class TurnTime:
    """Seconds of a turn: the median and the bounds of its 95 % confidence interval.

    quickest: the shortest repetition. noisy: the interval is wide, or the ranks often came too late
    for a common start. predicted: the seconds of a model, if the ranks are simulated.
    """

    seconds: float
    low: float
    high: float
    quickest: float
    noisy: bool
    predicted: float | None = None


def time_turns(
    core: Core, studies: Sequence[Study], threads: int = 1, repetitions: int | None = None
) -> list[TurnTime]:
    """Time the turns of studies on the ranks of this run, in their order; collective.

    repetitions: in each pass; by default as many as fit into SECONDS. StoppedError if a signal
    comes before every study has a time.
    """
    found = [time for time in time_until_signal(core, studies, threads, repetitions) if time]
    if len(found) < len(studies):
        raise StoppedError("a signal stopped the measurement")
    return found


def time_until_signal(
    core: Core, studies: Sequence[Study], threads: int = 1, repetitions: int | None = None
) -> list[TurnTime | None]:
    """As `time_turns`, but a signal ends it: what was measured until then counts. A study that was
    not timed at all has None.
    """
    least, most = (repetitions, repetitions) if repetitions else (FEWEST, MOST)
    samples: list[list[Floats]] = [[] for _ in studies]
    missed: list[list[Floats]] = [[] for _ in studies]
    with Interrupts() as interrupts:
        for done, index in enumerate(_order(len(studies))):
            if core.any(interrupts.requested):
                break
            at("measurement", done, PASSES * len(studies))
            run = core.start(studies[index].parameters(), threads)
            found = run.time(least, most, SECONDS)
            samples[index].append(found["seconds"])
            missed[index].append(found["missed"])
    return [_turn_time(*parts) if parts[0] else None for parts in zip(samples, missed, strict=True)]


def _order(count: int) -> Iterator[int]:
    """Which study is timed next: all in each pass, in a random order."""
    for number in range(PASSES):
        order = list(range(count))
        random.Random(number).shuffle(order)
        yield from order


def _turn_time(samples: Sequence[Floats], missed: Iterable[Floats]) -> TurnTime:
    # These are imported only here because they bring SciPy, which takes 70 MB.
    from phasewise.machines.measure import MISSED
    from phasewise.machines.statistics import estimate

    found = estimate(samples)
    late = float(np.mean(np.concatenate(list(missed)))) > MISSED
    quickest = min(float(np.min(sample)) for sample in samples)
    return TurnTime(found.median, found.low, found.high, quickest, found.wide or late)


class Timer(Protocol):
    """Times the turns of studies on some ranks."""

    @property
    def ranks(self) -> int:
        """The number of ranks."""

    @property
    def head(self) -> dict[str, Any]:
        """What results say about their origin: `reference`, which is hardware or simulator, and
        more.
        """

    @property
    def protocols(self) -> tuple[str, ...]:
        """The protocols that these ranks have."""

    def agreed(self, action: Callable[[], T]) -> T:
        """The result of `action()`; if it fails on one rank, all ranks raise its error."""

    def __call__(self, studies: Sequence[Study]) -> Sequence[TurnTime | None]:
        """The times of a turn of each study; None for one that a signal left untimed."""


@dataclass(frozen=True)
class Timed:
    """Lines of studies, each with its times, without the studies that a signal left untimed.

    unfinished: the number of these.
    """

    lines: list[tuple[list[Study], list[TurnTime]]]
    unfinished: int

    @property
    def head(self) -> dict[str, int]:
        """What results say about it: nothing if every study has a time."""
        return {"unfinished": self.unfinished} if self.unfinished else {}


def time_lines(timer: Timer, lines: Sequence[Sequence[Study]]) -> Timed:
    """Time the studies of several lines together; StoppedError if a signal left nothing."""
    times = iter(timer([study for line in lines for study in line]))
    found, unfinished = [], 0
    for line in lines:
        pairs = [(study, next(times)) for study in line]
        studies = [study for study, time in pairs if time is not None]
        unfinished += len(pairs) - len(studies)
        if studies:
            found.append((studies, [time for _, time in pairs if time is not None]))
    if not found:
        raise StoppedError("a signal stopped the measurement before anything was measured")
    return Timed(found, unfinished)


def protocols_of(timer: Timer, communication: Mapping[str, Any]) -> tuple[str, ...]:
    """The protocol that a table of [communication] gives, or all that these ranks have; StudyError
    if the build lacks the one that is given.
    """
    given = communication.get("protocol")
    if given is None:
        return timer.protocols
    if timer.head["reference"] == "hardware":
        check_protocol(given)
    return (given,)


@dataclass(frozen=True)
class RanksHere:
    """The ranks of this run; every call is collective. repetitions: as in `time_turns`."""

    core: Core
    threads: int = 1
    repetitions: int | None = None

    @property
    def ranks(self) -> int:
        """The number of ranks of the run."""
        return self.core.size()

    @property
    def head(self) -> dict[str, Any]:
        """Says that these ranks run on hardware."""
        return {"reference": "hardware", "ranks": self.ranks, "threads": self.threads}

    @property
    def protocols(self) -> tuple[str, ...]:
        """The protocols of this build."""
        return available()

    def agreed(self, action: Callable[[], T]) -> T:
        """The result of `action()`; if it fails on one rank, all ranks raise its error."""
        return collectively(self.core, action)

    def __call__(self, studies: Sequence[Study]) -> list[TurnTime | None]:
        """The times of a turn of each study; None for one that a signal left untimed."""
        return time_until_signal(self.core, studies, self.threads, self.repetitions)


def columns(times: Sequence[TurnTime]) -> dict[str, list[Any]]:
    """The times as the columns of a curve in JSON: seconds, low, high, noisy, and predicted if it
    is known.
    """
    found = {one.name: [getattr(time, one.name) for time in times] for one in fields(TurnTime)}
    return {name: column for name, column in found.items() if None not in column}


def best_protocols(curves: Sequence[Mapping[str, Any]], sizes: str) -> dict[str, str]:
    """For each of the sizes (`words` or `bytes`) of any curve, the protocol with the least time."""
    found: dict[int, tuple[float, str]] = {}
    for curve in curves:
        for size, seconds in zip(curve[sizes], curve["seconds"], strict=True):
            known = found.setdefault(size, (seconds, curve["protocol"]))
            found[size] = min(known, (seconds, curve["protocol"]))
    return {str(size): protocol for size, (_, protocol) in sorted(found.items())}

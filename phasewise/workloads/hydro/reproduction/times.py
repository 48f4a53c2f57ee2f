"""Times of a timestep of EVH1's problem on the source's machine, in MSP and in SSP mode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from phasewise.machines import Machine, load_machine
from phasewise.models.computation import kernel_seconds
from phasewise.models.model import Case
from phasewise.models.prediction import turn_of
from phasewise.output import number_of
from phasewise.reproduction.telling import Telling
from phasewise.simulated.simulate import Request
from phasewise.simulated.timing import time_simulated
from phasewise.simulated.workers import in_workers
from phasewise.study import Study
from phasewise.study.laboratory import iterated
from phasewise.workloads.hydro.bench import case_tables
from phasewise.workloads.hydro.communication import FAST, PLAIN, TRANSPOSES
from phasewise.workloads.hydro.table import ORDERS

MSP, SSP = "phoenix", "phoenix-ssp"
SSPS = 4
"""SSPs of an MSP."""
MODEL = "contention"
GRIDS = (128, 256, 512)
"""Zones along each axis."""
PAIRWISE, _, BRUCK, _ = TRANSPOSES
STRANG, FIXED = ORDERS
BETWEEN = "between_loops"


@dataclass(frozen=True)
class Way:
    """A problem with `zones` along each axis on so many MSPs, or on their SSPs. By default the
    axes are in the source's order, and each rank sends a message to every other one.
    """

    zones: int
    msps: int
    ssp: bool
    transpose: str = PAIRWISE
    order: str = FIXED

    @property
    def ranks(self) -> int:
        """One on each processor."""
        return self.msps * (SSPS if self.ssp else 1)

    @property
    def machine(self) -> str:
        """Its name."""
        return SSP if self.ssp else MSP

    def study(self, kernel: str = PLAIN) -> Study:
        """It as a study. With loops over many pencils all those of a rank are a batch."""
        tables: dict[str, Any] = case_tables(f"evh1-{self.zones}")
        tables["hydro"]["order"] = self.order
        tables["communication"] = {"kernel": kernel, "transpose": self.transpose}
        if kernel == FAST:
            tables["communication"]["batch"] = self.zones
        return Study.from_dict(tables)


@dataclass(frozen=True)
class Time:
    """Seconds of a timestep: of the whole, of its communication with waiting, of its kernels and
    the copies around messages, and of that the scalar work between loops and the starts of loops;
    gain: what loops over all pencils of a rank save. All ranks have the same work, so that its time
    changes no waiting.
    """

    seconds: float
    communicating: float
    computing: float
    between: float
    starts: float
    gain: float

    @property
    def fast(self) -> float:
        """Seconds with loops over all pencils of a rank."""
        return self.seconds - self.gain

    def with_more(self, between: float = 1.0, starts: float = 1.0, computing: float = 1.0) -> float:
        """Seconds if a part took so many times as long."""
        more = (between - 1.0) * self.between + (starts - 1.0) * self.starts
        return self.seconds + more + (computing - 1.0) * self.computing


Times = Mapping[Way, Time]
Ratios = Mapping[int, float]
"""By the number of MSPs."""


@dataclass(frozen=True)
class Extent:
    """How much is predicted. msps: by the zones along an axis, those numbers of MSPs on which the
    problem runs with a rank on each SSP, too. alone: those on which it runs with a rank on each MSP
    only. others: those for which another order of the axes and another algorithm are looked at.
    simulated: ways whose predictions are compared with simulations.
    """

    msps: Mapping[int, tuple[int, ...]]
    alone: Mapping[int, tuple[int, ...]]
    others: tuple[int, ...]
    simulated: tuple[Way, ...]

    def ways(self) -> list[Way]:
        """All of them, the longest to predict first."""
        modes = (False, True)
        usual = [
            Way(zones, number, ssp)
            for zones, numbers in self.msps.items()
            for number in numbers
            for ssp in modes
        ]
        others = [
            other
            for way in usual
            if way.msps in self.others
            for other in (replace(way, order=STRANG), replace(way, transpose=BRUCK))
        ]
        alone = [Way(zones, n, False) for zones, numbers in self.alone.items() for n in numbers]
        return sorted([*usual, *others, *alone], key=lambda way: -way.ranks)


def numbers_up_to(most: int) -> tuple[int, ...]:
    """Powers of two."""
    return tuple(2**n for n in range(most.bit_length()))


FULL = Extent(
    msps={zones: numbers_up_to(zones // SSPS) for zones in GRIDS},
    alone={128: (64, 128), 256: (128,), 512: ()},
    others=numbers_up_to(32),
    simulated=tuple(Way(zones, 4, ssp) for zones in GRIDS for ssp in (False, True)),
)
QUICK = Extent(
    msps={128: (1, 2, 4, 8, 32), 256: (1, 4, 8, 16), 512: (1, 4, 8, 16)},
    alone={},
    others=(),
    simulated=(),
)


@dataclass(frozen=True)
class Compared:
    """The largest difference between a prediction and a simulation, as a share of the latter, and
    how many were compared.
    """

    largest: float
    count: int


def predict_all(extent: Extent, workers: int) -> tuple[Times, Compared | None]:
    """The times of all ways, and how far those that are simulated are off; workers: predictions at
    the same time.
    """
    jobs: dict[str, _Job] = {repr(way): _Job(way) for way in extent.ways()}
    jobs |= {f"simulated {way}": _Job(way, simulated=True) for way in extent.simulated}
    telling = Telling("timesteps of EVH1")
    found: dict[str, Time | float] = {}
    for key, one in in_workers(_run, jobs, workers, lambda job: job.name):
        found[key] = one
        telling(len(found), len(jobs))
    times = {job.way: one for key, job in jobs.items() if isinstance(one := found[key], Time)}
    return times, _compared(times, {way: found[f"simulated {way}"] for way in extent.simulated})


@dataclass(frozen=True)
class _Job:
    way: Way
    simulated: bool = False

    @property
    def name(self) -> str:
        way = self.way
        ranks = number_of(way.ranks, "rank")
        return f"EVH1 with {way.zones} × {way.zones} zones on {ranks} of {way.machine}"


def _run(job: _Job) -> Time | float:
    return _simulated(job.way) if job.simulated else predicted(job.way)


def predicted(way: Way) -> Time:
    """The time of a way by the model."""
    study, fast = way.study(), way.study(FAST)
    machine = load_machine(way.machine)
    case = Case(study, machine, way.ranks, pieces=iterated(study, None))
    turn = turn_of(case, MODEL)
    # Copies around messages are the same in all cases, and need no planning without messages.
    alone = replace(case, program=())
    kernels = kernel_seconds(alone)
    starts, gain = (
        sum(kernels.values()) - sum(kernel_seconds(other).values())
        for other in (replace(alone, machine=_at_once(machine)), replace(alone, study=fast))
    )
    return Time(turn.seconds, turn.communicating, turn.computing, kernels[BETWEEN], starts, gain)


def _at_once(machine: Machine) -> Machine:
    """The machine as if loops took no time to start."""
    assert machine.vector is not None
    return replace(machine, vector=replace(machine.vector, loop_start=0.0))


def _simulated(way: Way) -> float:
    request = Request(load_machine(way.machine), way.ranks, skeleton=True)
    return time_simulated([way.study()], request)[0].seconds


def _compared(times: Times, simulated: Mapping[Way, Any]) -> Compared | None:
    if not simulated:
        return None
    errors = [abs(times[way].seconds / seconds - 1.0) for way, seconds in simulated.items()]
    return Compared(max(errors), len(errors))


def pairs(
    times: Times, zones: int, transpose: str = PAIRWISE, order: str = FIXED
) -> dict[int, tuple[Time, Time]]:
    """By the number of MSPs, the times in MSP and in SSP mode."""
    own = [way for way in times if way == Way(zones, way.msps, True, transpose, order)]
    return {
        way.msps: (times[replace(way, ssp=False)], times[way])
        for way in sorted(own, key=lambda way: way.msps)
    }


def leads(times: Times, zones: int, transpose: str = PAIRWISE, order: str = FIXED) -> Ratios:
    """How many times as fast timesteps are in SSP mode."""
    own = pairs(times, zones, transpose, order)
    return {number: msp.seconds / ssp.seconds for number, (msp, ssp) in own.items()}


def rounded(ratios: Iterable[float]) -> str:
    """Ratios in words."""
    return ", ".join(f"{ratio:.2f}" for ratio in ratios)

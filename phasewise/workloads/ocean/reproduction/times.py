"""Times of a timestep of POP's problem at each stage of the program, by task and by machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from phasewise.models import described
from phasewise.models.computation import IMBALANCE, OTHER, kernel_seconds
from phasewise.models.model import Case
from phasewise.models.platforms import BOUND
from phasewise.models.prediction import turn_of
from phasewise.output import number_of
from phasewise.report.fields import spread
from phasewise.reproduction.telling import Telling
from phasewise.simulated.workers import in_workers
from phasewise.study import Study
from phasewise.study.laboratory import iterated, rate_of
from phasewise.workload.grids import grid_of
from phasewise.workloads.ocean.communication import process_grids
from phasewise.workloads.ocean.grid import TENTH, X1
from phasewise.workloads.ocean.kernels import MOMENTUM, TRACERS, both
from phasewise.workloads.ocean.laboratory import OceanLaboratory
from phasewise.workloads.ocean.reproduction.stages import (
    ALTIX,
    COARRAYS,
    LARGER,
    MESSAGES,
    MSP,
    ORIGINAL,
    SIMULATOR,
    STORES,
    VECTOR,
    Way,
    machine_of,
)

MODEL = "contention"
FOLLOWED = 3
ELONGATED = {X1: (1 / 200, 200.0), TENTH: (1.0, 40.0)}
"""The least and the most cells along x of a block for each along y."""
CHARTED = 128
"""Ranks of the charts, and of the comparison of tasks."""
TWICE = (96, 192)
"""Ranks between which two-sided messages gain little."""
POSTED = "irecv-isend"
"""The protocol that makes no difference on the X1."""
BAROCLINIC = ("tracer updates", "baroclinic", "baroclinic boundary")
"""The tasks of the baroclinic phase; the others are those of the barotropic phase."""


@dataclass(frozen=True)
class Time:
    """Seconds of a timestep: of the whole, of its communication with waiting, of its kernels, and
    of each kernel and phase.
    """

    seconds: float
    communicating: float
    computing: float
    parts: Mapping[str, float]
    years: float
    """Simulated years a day of the clock."""
    process_grid: str = ""

    @property
    def share(self) -> float:
        """The share of communication."""
        return self.communicating / (self.communicating + self.computing)

    def task(self, *names: str) -> float:
        """Seconds of declared tasks."""
        own = {part for name in names for part in OceanLaboratory.TASKS[name]}
        return sum(seconds for part, seconds in self.parts.items() if part in own)

    @property
    def loops(self) -> float:
        """Seconds of the kernels of the baroclinic phase."""
        own = {*both(MOMENTUM), *both(TRACERS)}
        return sum(seconds for part, seconds in self.parts.items() if part in own)


Times = Mapping[Way, Time]


@dataclass(frozen=True)
class Extent:
    """The numbers of ranks that are looked at."""

    compared: tuple[int, ...]
    """On which every stage is compared."""
    coarrays: tuple[int, ...]
    """On the larger X1."""
    simulator: tuple[int, ...]
    altix: tuple[int, ...]
    tenth: tuple[int, ...]
    """The solver alone on the X1."""
    tenth_simulator: tuple[int, ...]
    """The same on the Earth Simulator."""
    grids: int
    """Most process grids that are tried."""

    def ways(self) -> list[Way]:
        """All of them, those of the most ranks first."""
        found = [Way(stage, MSP, ranks) for stage in (ORIGINAL, VECTOR, MESSAGES, COARRAYS)
                 for ranks in self.compared]  # fmt: skip
        found += [Way(MESSAGES, MSP, ranks) for ranks in (*TWICE, CHARTED)]
        found += [Way(stage, MSP, CHARTED) for stage in (ORIGINAL, VECTOR, COARRAYS)]
        found.append(posted())
        found += [Way(COARRAYS, LARGER, ranks) for ranks in self.coarrays]
        found += [Way(MESSAGES, SIMULATOR, ranks) for ranks in self.simulator]
        found += [Way(stage, ALTIX, ranks) for stage in (MESSAGES, STORES) for ranks in self.altix]
        found += [Way(COARRAYS, LARGER, ranks, TENTH) for ranks in self.tenth]
        found += [Way(MESSAGES, SIMULATOR, ranks, TENTH) for ranks in self.tenth_simulator]
        return sorted(dict.fromkeys(found), key=lambda way: -way.ranks)


FULL = Extent(
    compared=(16, 32, 64, 128, 192, 256),
    coarrays=(96, 128, 160, 192, 224, 240, 256, 288, 320, 360, 400),
    simulator=(16, 32, 48, 64, 96, 128, 192, 256),
    altix=(32, 64, 128, 192, 256),
    tenth=(128, 256, 384, 500, 512),
    tenth_simulator=(320, 480, 640, 1280, 2560),
    grids=100,
)
QUICK = Extent(
    compared=(32, 128),
    coarrays=(96, 160, 240, 360),
    simulator=(48, 128, 256),
    altix=(256,),
    tenth=(500,),
    tenth_simulator=(480, 640),
    grids=5,
)


def posted() -> Way:
    """The charted way with messages that are posted before they are received."""
    return Way(MESSAGES, MSP, CHARTED, changes=(("boundary", POSTED), ("solver_halo", POSTED)))


def predict_all(extent: Extent, workers: int) -> Times:
    """The times of all ways; workers: predictions at the same time."""
    jobs = {repr(way): _Job(way, extent.grids) for way in extent.ways()}
    telling, found = Telling("timesteps of POP"), dict[Way, Time]()
    for key, one in in_workers(_run, jobs, workers, _name):
        found[jobs[key].way] = one
        telling(len(found), len(jobs))
    return found


@dataclass(frozen=True)
class _Job:
    way: Way
    grids: int


def _run(job: _Job) -> Time:
    return predicted(job.way, job.grids)


def _name(job: _Job) -> str:
    return f"POP on {number_of(job.way.ranks, 'rank')} of {job.way.machine}"


def predicted(way: Way, grids: int = FULL.grids) -> Time:
    """The time of a way by the model on the best of so many process grids, as the source has it."""
    machine, pieces = machine_of(way.machine), iterated(way.study, None)
    cases = [Case(study, machine, way.ranks, pieces=pieces) for study in on_grids(way, grids)]
    # A cheap model chooses those that are followed message by message.
    cases = sorted(cases, key=lambda case: turn_of(case, described).seconds)[:FOLLOWED]
    turns = [turn_of(case, MODEL) for case in cases]
    best = min(range(len(turns)), key=lambda number: turns[number].seconds)
    case, turn = cases[best], turns[best]
    assert case.study is not None
    kernels = {
        name: seconds
        for name, seconds in kernel_seconds(case).items()
        if name not in (IMBALANCE, OTHER)
    }
    return Time(
        turn.seconds,
        turn.communicating,
        turn.computing,
        {**kernels, **turn.phases},
        rate_of(case.study)[0] / turn.seconds,
        case.study.communication.grid_text,
    )


def on_grids(way: Way, most: int) -> list[Study]:
    """A way on at most so many process grids, from those with the fewest ranks along x to those
    with the most; on a large grid blocks are longer along x than along y, which suits vectors.
    """
    study = way.study
    nx, ny, _ = study.model.size
    low, high = ELONGATED[way.grid]
    found = sorted(
        grid
        for grid in process_grids(study.model, way.ranks)
        if low <= nx * grid[1] / (ny * grid[0]) <= high
    )
    return [
        study.replace(**{"communication.process_grid": grid_of(*grid)})
        for grid in spread(found, most)
    ] or [study]


def of_stage(times: Times, stage: str, machine: str, grid: str = X1) -> dict[int, Time]:
    """The times of a stage on a machine by the number of ranks."""
    own = [
        way
        for way in times
        if (way.stage, way.machine, way.grid, way.changes) == (stage, machine, grid, ())
    ]
    return {way.ranks: times[way] for way in sorted(own, key=lambda way: way.ranks)}


def bound_from(times: Mapping[int, Time]) -> int | None:
    """The number of ranks from which on communication takes more than half of a timestep; None if
    it does not on the largest number.
    """
    found: int | None = None
    for ranks in sorted(times, reverse=True):
        if times[ranks].share <= BOUND:
            break
        found = ranks
    return found


def rounded(values: Iterable[float]) -> str:
    """Numbers in words."""
    return ", ".join(f"{value:.3g}" for value in values)

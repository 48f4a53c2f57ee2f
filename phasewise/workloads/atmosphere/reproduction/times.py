"""Times of a timestep with each scheme of balance on the source's machines, predicted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from phasewise.machines import load_machine
from phasewise.models.model import Case
from phasewise.models.prediction import turn_of
from phasewise.output import number_of
from phasewise.reproduction.telling import Telling
from phasewise.simulated.workers import in_workers
from phasewise.study import Study
from phasewise.workloads.atmosphere.communication import (
    ALL,
    LATITUDES,
    MOST_CHUNK,
    NODE,
    NONE,
    PAIRS,
    TWIN,
)
from phasewise.workloads.atmosphere.crossover import DAY, with_bandwidth
from phasewise.workloads.atmosphere.driver import schedule_of
from phasewise.workloads.atmosphere.grid import LONGEST
from phasewise.workloads.atmosphere.laboratory import BACK, OUT
from phasewise.workloads.atmosphere.model import model_of

MSP = "phoenix"
OTHERS = ("p690", "altix", "seaborg")
MODERN = "modern"
"""A machine of today beside those of the source."""
MACHINES = (MSP, *OTHERS, MODERN)
SCHEMES = (NONE, NODE, TWIN, PAIRS, ALL)
CHEAPER = (NODE, TWIN, PAIRS)
"""Schemes that are easier to carry out than ALL."""
MODEL = "contention"
GRID, LEVELS = (128, 256), 26
"""Of CAM at T85."""
TIMESTEPS = 4
"""That stand for the hours of a day."""
CHARTED = 128
"""Ranks of the charts, and of the claims."""


@dataclass(frozen=True)
class Way:
    """A scheme on so many ranks of a machine, whose messages have `factor` times its bandwidth."""

    machine: str
    ranks: int
    balance: str
    factor: float = 1.0


def study_of(balance: str) -> Study:
    """The day of the source's imbalance: the solstice, with whole latitudes on each rank. Chunks
    are as long as can be, which suits vectors.
    """
    return Study.from_dict(
        {
            "title": f"CAM's columns, balance {balance}",
            "workload": "atmosphere",
            "timesteps": TIMESTEPS,
            "atmosphere": {
                "grid": list(GRID),
                "levels": LEVELS,
                "day": LONGEST,
                "timestep": DAY / TIMESTEPS,
            },
            "communication": {"division": LATITUDES, "balance": balance, "chunk": MOST_CHUNK},
        }
    )


@dataclass(frozen=True)
class Time:
    """Seconds of a timestep: of the slowest rank, and means over the ranks of communication with
    waiting, of the phases in which columns move, and of kernels. load: largest over mean cost;
    sent: bytes of all ranks.
    """

    seconds: float
    communicating: float
    moving: float
    computing: float
    load: float
    sent: float


Times = Mapping[Way, Time]


@dataclass(frozen=True)
class Extent:
    """The numbers of ranks, and the bandwidths over a machine's own at which schemes are
    compared.
    """

    ranks: tuple[int, ...]
    factors: tuple[float, ...]

    def ways(self) -> list[Way]:
        """All of them, those of the most ranks first."""
        found = [
            Way(machine, ranks, balance)
            for ranks in self.ranks
            for machine in MACHINES
            for balance in SCHEMES
        ]
        found += [
            Way(machine, CHARTED, balance, factor)
            for machine in (MSP, *OTHERS)
            for balance in SCHEMES
            for factor in self.factors
        ]
        return sorted(dict.fromkeys(found), key=lambda way: -way.ranks)


FULL = Extent((32, 64, 128), tuple(10.0 ** (power / 2) for power in range(-8, 3) if power))
QUICK = Extent((128,), (1e-3, 1e-2, 1e-1))


def predict_all(extent: Extent, workers: int) -> Times:
    """The times of all ways; workers: predictions at the same time."""
    jobs = {repr(way): way for way in extent.ways()}
    telling, found = Telling("timesteps of CAM's columns"), dict[Way, Time]()
    for key, one in in_workers(predicted, jobs, workers, _name):
        found[jobs[key]] = one
        telling(len(found), len(jobs))
    return found


def _name(way: Way) -> str:
    return f"CAM's columns on {number_of(way.ranks, 'rank')} of {way.machine}"


def predicted(way: Way) -> Time:
    """The time of a way by the model, a mean over the hours."""
    machine = with_bandwidth(load_machine(way.machine), way.factor)
    study = study_of(way.balance).replace(**{"communication.node_size": machine.node_ranks})
    turn = turn_of(Case(study, machine, way.ranks), MODEL)
    schedules = [schedule_of(study, way.ranks, timestep) for timestep in range(TIMESTEPS)]
    model = model_of(study)
    moved = sum(one.moved for one in schedules) / TIMESTEPS
    return Time(
        turn.seconds,
        turn.communicating,
        sum(turn.phases.get(name, 0.0) for name in (OUT, BACK)),
        turn.computing,
        sum(float(one.after.max()) for one in schedules) / TIMESTEPS,
        moved * (model.bytes_out + model.bytes_back),
    )


def on(times: Times, machine: str, ranks: int, factor: float = 1.0) -> dict[str, Time]:
    """The times of each scheme on ranks of a machine."""
    found = {name: times.get(Way(machine, ranks, name, factor)) for name in SCHEMES}
    return {name: one for name, one in found.items() if one is not None}


def ranks_in(times: Times) -> Sequence[int]:
    """The numbers of ranks that were looked at."""
    return sorted({way.ranks for way in times})


def factors_in(times: Times) -> Sequence[float]:
    """The bandwidths over a machine's own, rising."""
    return sorted({way.factor for way in times if way.machine == MSP})


def does_not_pay(of: Mapping[str, Time]) -> bool:
    """Whether what `all` adds in communication is more than what it gains, so that `none` is as
    fast, or a cheaper scheme is at least as fast as it.
    """
    return any(of[name].seconds <= of[ALL].seconds for name in (NONE, *CHEAPER))


def crossing(times: Times, machine: str) -> float | None:
    """The largest bandwidth over a machine's own at which a timestep with `none` is as short as
    with `all`, between those that were looked at; None if it is nowhere.
    """
    found, above = None, None
    for factor in factors_in(times):
        own = on(times, machine, CHARTED, factor)
        if own[NONE].seconds <= own[ALL].seconds:
            found, above = factor, None
        elif found is not None and above is None:
            above = factor
    if found is None:
        return None
    return found if above is None else math.sqrt(found * above)


def rounded(values: Iterable[float]) -> str:
    """Numbers in words."""
    return ", ".join(f"{value:.4g}" for value in values)

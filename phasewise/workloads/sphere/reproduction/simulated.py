"""What is simulated for the chapter: rates on one processor of the source's machines, times of a
timestep of the large problem, and a run of each algorithm whose events are kept for charts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from phasewise.machines import load_machine
from phasewise.models.computation import kernel_work
from phasewise.models.model import Case
from phasewise.output import number_of
from phasewise.reproduction.telling import Telling
from phasewise.simulated.simulate import Request, simulate
from phasewise.simulated.timing import time_simulated
from phasewise.simulated.workers import in_workers
from phasewise.study import Study
from phasewise.traces.records import Events, read_communication
from phasewise.traces.turns import one_turn
from phasewise.workloads.sphere.bench import LEVELS, LEVELS_AT, TRUNCATIONS
from phasewise.workloads.sphere.communication import BY_LEVEL, FAST
from phasewise.workloads.sphere.reproduction.variants import (
    ALGORITHMS,
    COMPARED_LEVELS,
    RANKS,
    SLOW,
    Extent,
    Variant,
    algorithm_study,
)

MSP, SSP, P690, ALTIX = "phoenix", "phoenix-ssp", "p690", "altix"
MACHINES = (MSP, SSP, P690, ALTIX)
EVENTS = 20_000
"""Events that each rank keeps, more than two timesteps have."""
CHARTED = 2
"""Timesteps of a run for charts, which show the second one."""

Rates = Mapping[str, Mapping[Variant, float]]
"""Gflop/s of one processor, by machine."""


@dataclass(frozen=True)
class Way:
    """An algorithm of the Legendre transforms, and how sums are added; slow: with the slow rank, as
    in the charts.
    """

    legendre: str
    sums: str
    slow: bool = False


@dataclass(frozen=True)
class Simulated:
    """What was simulated. seconds: of a timestep of the large problem. charts: the folders of the
    runs with the slow rank, by algorithm; loads: the work of that rank in them over that of the
    busiest other one; blocks: of wavenumbers that the ring sends one after another.
    """

    rates: Rates
    seconds: Mapping[Way, float]
    charts: Mapping[str, Path]
    loads: Mapping[str, float]
    blocks: int


@dataclass(frozen=True)
class _Job:
    """Timesteps of studies that are timed one after another; folder: keep events of the only one
    in it instead.
    """

    studies: tuple[Study, ...]
    request: Request
    folder: Path | None = None


def simulate_all(extent: Extent, out: Path, workers: int) -> Simulated:
    """Simulate everything; runs for charts go into folders of `out`."""
    variants = variants_on_machines()
    ways = [Way(algorithm, sums) for sums in extent.sums for algorithm in ALGORITHMS]
    charts = {algorithm: out / f"sphere-{algorithm}" for algorithm in ALGORITHMS}
    # The longest begin first: runs for charts, then the ring.
    jobs = {f"chart {name}": _chart(name, extent, charts[name]) for name in reversed(ALGORITHMS)}
    jobs |= {repr(way): _timed(way, extent) for way in reversed(ways)}
    studies = tuple(variant.study for variant in variants)
    jobs |= {name: _Job(studies, _request(name, 1)) for name in MACHINES}
    telling, found = Telling("simulations of the sphere"), {}
    for key, times in in_workers(_run, jobs, workers, _name):
        found[key] = times
        telling(len(found), len(jobs))
    flops = {variant: _flops(study) for variant, study in zip(variants, studies, strict=True)}
    rates = {
        name: {v: 1e-9 * flops[v] / one for v, one in zip(variants, found[name], strict=True)}
        for name in MACHINES
    }
    loads = {algorithm: _load(folder) for algorithm, folder in charts.items()}
    seconds = {way: found[repr(way)][0] for way in ways}
    slow = {Way(name, extent.sums[0], slow=True): found[f"chart {name}"][0] for name in ALGORITHMS}
    return Simulated(rates, seconds | slow, charts, loads, extent.blocks)


def variants_on_machines() -> list[Variant]:
    """Those of the slides' curves; the model knows no difference between compiled-in levels and
    others.
    """
    versions = [
        Variant(truncation, levels, kernel)
        for levels in COMPARED_LEVELS
        for truncation in TRUNCATIONS
        for kernel in (BY_LEVEL, FAST)
    ]
    return list(dict.fromkeys([*versions, *(Variant(LEVELS_AT, one) for one in LEVELS)]))


def assumed_rates() -> str:
    """A sentence on the rates of the machines beside the X1, which their files assume."""
    processors = {name: load_machine(name).processor for name in (P690, ALTIX)}
    shares = (
        f"{name} ({100 * one.flops / one.peak:.0f} % of its peak)"
        for name, one in processors.items()
    )
    return f"The rates of {' and '.join(shares)} are assumed."


def _chart(algorithm: str, extent: Extent, folder: Path) -> _Job:
    study = algorithm_study(algorithm, extent.sums[0], extent.blocks).with_count(CHARTED)
    return _Job((study,), _request(MSP, RANKS, SLOW, EVENTS), folder)


def _timed(way: Way, extent: Extent) -> _Job:
    study = algorithm_study(way.legendre, way.sums, extent.blocks)
    return _Job((study,), _request(MSP, RANKS))


def _request(
    machine: str, ranks: int, slow: Mapping[int, float] | None = None, events: int = 0
) -> Request:
    return Request(
        load_machine(machine), ranks, skeleton=True, events=events, slow=dict(slow or {})
    )


def _run(job: _Job) -> list[float]:
    """Seconds of a timestep of each study; of a run for charts, of the one that they show."""
    if job.folder is None:
        return [one.seconds for one in time_simulated(job.studies, job.request)]
    _, record = simulate(job.studies[0], job.request, job.folder)
    span = one_turn(Events(record), record)
    assert span is not None
    return [span[1] - span[0]]


def _load(folder: Path) -> float:
    """The work of the slow rank, as if it were not slow, over the most work of another one."""
    computing = np.sum([phase.computing for phase in read_communication(folder).phases], axis=0)
    ((rank, times),) = SLOW.items()
    return float(computing[rank] / times / np.delete(computing, rank).max())


def _name(job: _Job) -> str:
    on = number_of(job.request.ranks, "rank")
    return (
        f"{number_of(len(job.studies), 'study', 'studies')} on {on} of {job.request.machine.name}"
    )


def _flops(study: Study) -> float:
    """The flops of a timestep, by the cards of the kernels."""
    case = Case(study, load_machine(MSP), 1)
    return sum(float(kernel["flops"]) for kernel in kernel_work(case))

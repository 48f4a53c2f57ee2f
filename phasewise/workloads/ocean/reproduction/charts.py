"""Pairs of charts of a timestep on 128 ranks of the X1, before and after each stage, one below the
other as `phasewise report --beside` makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from phasewise.output import number_of
from phasewise.report.figure import Drawing, Figure, Missing, make_figure
from phasewise.report.reported_run import ReportedRun
from phasewise.report.timeline import draw_states, draw_tasks, draw_utilisation
from phasewise.reproduction.telling import Telling
from phasewise.simulated.simulate import Request, simulate
from phasewise.simulated.workers import in_workers
from phasewise.study import Study
from phasewise.traces.excerpt import Excerpt
from phasewise.traces.timeline import DECLARED
from phasewise.workloads.ocean.reproduction.stages import (
    COARRAYS,
    MESSAGES,
    MSP,
    ORIGINAL,
    VECTOR,
    Way,
    machine_of,
)
from phasewise.workloads.ocean.reproduction.times import Times

Draw = Callable[[ReportedRun], Drawing | Missing]
SOLVER = "solver"
IMPACTS = {
    "vectorization": (ORIGINAL, VECTOR),
    "mpi-tuning": (VECTOR, MESSAGES),
    "co-array-fortran": (MESSAGES, COARRAYS),
}
TITLES = {
    "vectorization": "Performance Impact of Vectorization",
    "mpi-tuning": "Performance Impact of MPI Tuning",
    "co-array-fortran": "Performance Impact of Co-Array Fortran",
}
"""By pair of stages: the slide's title."""
CHARTS: Mapping[str, tuple[str, Draw]] = {
    "tasks": ("tasks", draw_tasks),
    "utilisation": ("utilisation count", draw_utilisation),
    "states": ("busy, overhead and idle", draw_states),
}
EVENTS = 60_000
"""Events that each rank keeps."""
ITERATIONS, RANKS = 30, 128
QUICK_ITERATIONS, QUICK_RANKS = 5, 32


@dataclass(frozen=True)
class Charted:
    """The folders of the simulated runs by stage, and how large these are."""

    folders: Mapping[str, Path]
    ranks: int
    iterations: int


def simulate_stages(times: Times, quick: bool, out: Path, workers: int) -> Charted:
    """Simulate a run of each stage on its best process grid into a folder of `out`; workers: so
    many at the same time.
    """
    ranks, iterations = (QUICK_RANKS, QUICK_ITERATIONS) if quick else (RANKS, ITERATIONS)
    stages = (ORIGINAL, VECTOR, MESSAGES, COARRAYS)
    folders = {stage: out / f"ocean-{stage.replace(' ', '-')}" for stage in stages}
    jobs = {
        stage: _Job(_study(times, stage, ranks, iterations), ranks, folder)
        for stage, folder in folders.items()
    }
    telling = Telling("simulations of POP")
    for done, _ in enumerate(in_workers(_run, jobs, workers, _name), 1):
        telling(done, len(jobs))
    return Charted(folders, ranks, iterations)


@dataclass(frozen=True)
class _Job:
    study: Study
    ranks: int
    folder: Path


def _study(times: Times, stage: str, ranks: int, iterations: int) -> Study:
    """A stage with fewer iterations, which charts show one by one."""
    way = Way(stage, MSP, ranks)
    grid = times[way].process_grid
    return way.study.replace(**{"ocean.iterations": iterations, "communication.process_grid": grid})


def _run(job: _Job) -> None:
    request = Request(machine_of(MSP), job.ranks, skeleton=True, events=EVENTS)
    simulate(job.study, request, job.folder)


def _name(job: _Job) -> str:
    return f"POP on {number_of(job.ranks, 'rank')} of {MSP}"


def make_charts(charted: Charted, out: Path) -> tuple[Figure, ...]:
    """All pairs; PNG files go into `out`."""
    found: list[Figure] = []
    for impact, pair in IMPACTS.items():
        with _both(charted, pair, Excerpt(tasks=DECLARED)) as run:
            found += [
                make_figure(
                    f"ocean-{impact}-{name}",
                    f"{TITLES[impact]} ({words})",
                    partial(_drawn, run, pair, charted, draw),
                    out,
                )
                for name, (words, draw) in CHARTS.items()
            ]
    impact, pair = list(IMPACTS.items())[-1]
    with _both(charted, pair, Excerpt(tasks=SOLVER)) as run:
        title = f"{TITLES[impact]} (tasks within the solver)"
        draw = partial(_drawn, run, pair, charted, draw_tasks)
        found.append(make_figure(f"ocean-{impact}-solver", title, draw, out))
    return tuple(found)


@contextmanager
def _both(charted: Charted, pair: tuple[str, str], excerpt: Excerpt) -> Iterator[ReportedRun]:
    """The run of one stage with that of another below it."""
    above, below = (charted.folders[stage] for stage in pair)
    run = ReportedRun(above, excerpt=excerpt, beside=below)
    try:
        yield run
    finally:
        run.close()


def _drawn(
    run: ReportedRun, pair: tuple[str, str], charted: Charted, draw: Draw
) -> Drawing | Missing:
    drawing = draw(run)
    if isinstance(drawing, Missing):
        return drawing
    above, below = pair
    caption = (
        f"Above: {above}; below: {below}. A timestep on {number_of(charted.ranks, 'rank')} of "
        f"{MSP} with {charted.iterations} iterations of the solver. {drawing.caption}"
    )
    return replace(drawing, caption=caption)

"""The pair of charts of a timestep on 128 ranks of the X1, without and with load balance, one below
the other as `phasewise report --beside` makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from phasewise.machines import load_machine
from phasewise.output import number_of
from phasewise.report.figure import Drawing, Figure, Missing, make_figure
from phasewise.report.reported_run import ReportedRun
from phasewise.report.timeline import draw_states, draw_tasks, draw_utilisation
from phasewise.reproduction.telling import Telling
from phasewise.simulated.simulate import Request, simulate
from phasewise.simulated.workers import in_workers
from phasewise.workloads.atmosphere.communication import ALL, NONE
from phasewise.workloads.atmosphere.reproduction.times import CHARTED, MSP, study_of

Draw = Callable[[ReportedRun], Drawing | Missing]
SLIDE = "Performance Impact of Load Balancing"
CHARTS: Mapping[str, tuple[str, Draw]] = {
    "atmosphere-states": ("busy, overhead and idle", draw_states),
    "atmosphere-tasks": ("tasks", draw_tasks),
    "atmosphere-utilisation": ("utilisation count", draw_utilisation),
}
"""By name: what it shows, and what draws it."""
PAIR = (NONE, ALL)
EVENTS = 5_000
"""Events that each rank keeps, more than two timesteps have."""
SHOWN = 2
"""Timesteps of a run for charts, which show the second one."""


@dataclass(frozen=True)
class _Job:
    balance: str
    folder: Path


def simulate_pair(out: Path, workers: int) -> Mapping[str, Path]:
    """Simulate a run without and with balance into folders of `out`; workers: at the same time."""
    folders = {name: out / f"atmosphere-{name}" for name in PAIR}
    jobs = {name: _Job(name, folder) for name, folder in folders.items()}
    telling = Telling("simulations of CAM's columns")
    for done, _ in enumerate(in_workers(_run, jobs, workers, _name), 1):
        telling(done, len(jobs))
    return folders


def _run(job: _Job) -> None:
    request = Request(load_machine(MSP), CHARTED, skeleton=True, events=EVENTS)
    simulate(study_of(job.balance).with_count(SHOWN), request, job.folder)


def _name(job: _Job) -> str:
    return f"CAM's columns, {job.balance}, on {number_of(CHARTED, 'rank')} of {MSP}"


def make_charts(folders: Mapping[str, Path], out: Path) -> tuple[Figure, ...]:
    """The pairs of charts; PNG files go into `out`."""
    above, below = (folders[name] for name in PAIR)
    run = ReportedRun(above, beside=below)
    try:
        return tuple(
            make_figure(name, f"{SLIDE} ({words})", partial(_drawn, run, draw), out)
            for name, (words, draw) in CHARTS.items()
        )
    finally:
        run.close()


def _drawn(run: ReportedRun, draw: Draw) -> Drawing | Missing:
    drawing = draw(run)
    if isinstance(drawing, Missing):
        return drawing
    caption = (
        f"Above with balance = {PAIR[0]}, below with {PAIR[1]}, on {CHARTED} ranks of {MSP}. "
        f"{drawing.caption}"
    )
    return replace(drawing, caption=caption)

"""How far model `measured` is off beyond the runs that it is fitted to.

    .venv/bin/python -m benchmarks.extrapolation --cache DIR --workers 2

A series is one study on growing numbers of ranks of a machine. Its turns on 8 to 64 ranks are
simulated as runs are, and the model fitted to them predicts 128 and 256 ranks. Series follow from
their number: with even ones the model was made, odd ones judge it. The reference is a simulator,
not hardware.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from phasewise.errors import StudyError
from phasewise.machines import load_machine
from phasewise.models import Case, predict
from phasewise.models.judged import Judged, figures, grouped, times_of
from phasewise.output import message, print_table
from phasewise.reproduction.telling import Telling
from phasewise.runs.folder import RECORD_FILE
from phasewise.simulated.many import Task, simulate_many
from phasewise.simulated.simulate import simulate
from phasewise.workloads.collision.reproduction.cases import (
    ALGORITHMS,
    SIZES,
    TRANSPOSES,
    SimulatedCase,
    messages,
    paper_case,
)
from phasewise.workloads.collision.reproduction.holdout import FIRST_TURN

MACHINES = ("bassi", "jaguar", "jacquard")
FITTED = (8, 16, 32, 64)
BEYOND = (128, 256)
"""Ranks of the runs that the model is fitted to, and of those that it predicts."""
MAX_MESSAGES = 150_000
"""Most messages of a drawn study's turn."""
SAMPLED_STEPS = 5
"""Of the 15 steps of the source paper's case on its most ranks, which stand for all."""
PAPERS = 2
"""Series that are the source paper's own."""
SERIES = 16
"""Of each machine."""


@dataclass(frozen=True)
class Series:
    """A study on growing numbers of ranks. columns: of each beam's process grid at most."""

    number: int
    base: SimulatedCase
    columns: int

    @property
    def held_out(self) -> bool:
        """Whether it judges the model."""
        return self.number % 2 == 1

    def on(self, ranks: int) -> SimulatedCase:
        """The study on this many ranks."""
        columns = min(self.columns, ranks // 4)
        return replace(self.base, ranks=ranks, process_grid=f"{columns}x{ranks // 2 // columns}")

    def bearable(self) -> bool:
        """Whether it is valid on all numbers of ranks, and can be simulated in some seconds."""
        try:
            for ranks in (*FITTED, *BEYOND):
                sample = self.on(ranks)
                study = sample.study()
                study.check_ranks(ranks)
                if messages(study, sample) > MAX_MESSAGES:
                    return False
        except StudyError:
            return False
        return True


def series_of(machine: str, number: int) -> Series:
    """The series of a number: the source paper's two, then drawn ones."""
    if number < PAPERS:
        own = paper_case(machine, 256, ("base", "optimised")[number])
        return Series(number, own, columns=8)
    for trial in range(1000):
        found = _drawn(machine, number, np.random.default_rng([3, number, trial]))
        if found.bearable():
            return found
    raise StudyError(f"no series was found for number {number}")


def _drawn(machine: str, number: int, draw: np.random.Generator) -> Series:
    nodes, slices = SIZES[draw.integers(len(SIZES))]
    alone = load_machine(machine).node_ranks == 1
    pairs = [pair for pair in ALGORITHMS if not alone or "node" not in pair[0]]
    reduce, broadcast = pairs[draw.integers(len(pairs))]
    base = SimulatedCase(
        machine=machine,
        ranks=BEYOND[-1],
        process_grid="auto",
        layout=str(draw.choice(("row-first", "column-first"))),
        reduce=reduce,
        broadcast=broadcast,
        schedule=str(draw.choice(("ring", "pairwise"))),
        transpose=str(draw.choice(TRANSPOSES)),
        aggregate=bool(draw.integers(2)),
        crossing=str(draw.choice(("4a", "4b"))),
        nodes=nodes,
        slices=slices,
        planes=int(draw.choice((1, 2))),
        green=str(draw.choice(("every-step", "as-needed"))),
        luminosity=bool(draw.integers(2)),
    )
    return Series(number, base, columns=int(draw.choice([n for n in (1, 2, 4, 8) if n <= slices])))


def runs_of(series: Series, cache: Path) -> list[Path]:
    """Folders of the series' simulated runs; those that the cache holds are not run again."""
    return [_run(series.on(ranks), cache) for ranks in FITTED]


def _run(sample: SimulatedCase, cache: Path) -> Path:
    task = sample.task()
    folder = cache / "runs" / sample.text.replace(" ", ",")
    if not (folder / RECORD_FILE).exists():
        simulate(task.study, task.request, folder)
    return folder


def _task(series: Series, ranks: int) -> Task:
    task = series.on(ranks).task()
    if series.number >= PAPERS or ranks < BEYOND[-1]:
        return task
    return replace(task, request=replace(task.request, steps=SAMPLED_STEPS))


def judge(series: Sequence[Series], cache: Path, workers: int) -> Iterator[Judged[Series]]:
    """Predictions beyond the runs of each series that the model does not refuse."""
    tasks = [_task(one, ranks) for one in series for ranks in BEYOND]
    summaries = iter(simulate_many(tasks, cache, workers, Telling("simulations")))
    for one in series:
        records = tuple(_run(one.on(ranks), cache) for ranks in FITTED)
        for ranks in BEYOND:
            sample, times = one.on(ranks), times_of(next(summaries))
            machine = load_machine(sample.machine)
            case = Case(sample.study(), machine, ranks, pieces=FIRST_TURN, records=records)
            try:
                yield Judged(one, case, times, predict(case, "measured"))
            except StudyError as error:
                message(f"{sample.machine}, series {one.number}, {ranks} ranks: {error}")


def show(judged: Sequence[Judged[Series]]) -> None:
    """The table of errors, by machine and ranks."""
    keys = ("mean_error", "worst_error", "turn_mean_error", "turn_worst_error")
    rows = [
        [name, *(f"{100 * found[key]:.1f} %" for key in keys), f"{found['points']:.0f}"]
        for name, models in grouped(judged, _names).items()
        for found in map(figures, models.values())
    ]
    heads = ["machine", "mean error", "worst", "turn: mean error", "worst", "points"]
    title = f"Fitted to {', '.join(map(str, FITTED))} ranks; the reference is a simulator"
    print_table(title, heads, rows)


def _names(one: Judged[Series]) -> list[str]:
    machine, ranks = one.case.machine.name, one.case.ranks
    return [f"{machine}, {ranks} ranks", machine, "all"]

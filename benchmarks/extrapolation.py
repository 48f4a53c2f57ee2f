"""How far model `measured` is off beyond the runs that it is fitted to.

    .venv/bin/python -m benchmarks.extrapolation --cache DIR --workers 2

A series is one study on growing numbers of ranks of a machine. Its turns on 8 to 64 ranks are
simulated as runs are, and the model fitted to them predicts 128 and 256 ranks. The number of a
series determines it; 0, 2, 4 and 8 were used while the model was made, and the others judge it. The
reference is a simulator, not hardware.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from phasewise.errors import PhasewiseError, StudyError
from phasewise.machines import load_machine
from phasewise.models import first_turn, predict
from phasewise.models.judged import Judged, figures, grouped, times_of
from phasewise.options import count
from phasewise.output import message, print_json, print_table
from phasewise.reproduction.telling import Telling
from phasewise.runs.folder import RECORD_FILE
from phasewise.simulated.many import Task, key_of, simulate_many
from phasewise.simulated.simulate import simulate
from phasewise.workloads.collision.reproduction.cases import (
    ALGORITHMS,
    SIZES,
    TRANSPOSES,
    SimulatedCase,
    messages,
    paper_case,
)

MACHINES = ("bassi", "jaguar", "jacquard")
FITTED = (8, 16, 32, 64)
BEYOND = (128, 256)
"""Ranks of the runs that the model is fitted to, and of the runs that it predicts."""
MAX_MESSAGES = 150_000
"""The most messages that a drawn study's turn may have."""
SAMPLED_STEPS = 5
"""Steps that stand for all 15 of the source paper's case on its largest number of ranks."""
PAPERS = 2
"""How many series are the source paper's: its base variant and its optimised one."""
JUDGED = (1, 6, 10)
"""Numbers of the series that judge the model by default."""


@dataclass(frozen=True)
class Series:
    """A study on growing numbers of ranks. columns: the most in a beam's process grid."""

    number: int
    base: SimulatedCase
    columns: int

    def on(self, ranks: int) -> SimulatedCase:
        """The study on this many ranks."""
        columns = min(self.columns, ranks // 4)
        return replace(self.base, ranks=ranks, process_grid=f"{columns}x{ranks // 2 // columns}")

    def bearable(self) -> bool:
        """Whether it is valid on all numbers of ranks and can be simulated within seconds."""
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


def _run(sample: SimulatedCase, cache: Path) -> Path:
    """The folder of a simulated run; a run that the cache holds is not repeated."""
    task = sample.task()
    folder = cache / "runs" / key_of(task)
    if not (folder / RECORD_FILE).exists():
        simulate(task.study, task.request, folder)
    return folder


def _task(series: Series, ranks: int) -> Task:
    task = series.on(ranks).task()
    if series.number >= PAPERS or ranks < BEYOND[-1]:
        return task
    return replace(task, request=replace(task.request, steps=SAMPLED_STEPS))


def judge(series: Sequence[Series], cache: Path, workers: int) -> Iterator[Judged[Series]]:
    """The predictions beyond the runs of each series that the model accepts."""
    tasks = [_task(one, ranks) for one in series for ranks in BEYOND]
    summaries = iter(simulate_many(tasks, cache, workers, Telling("simulations")))
    for one in series:
        records = tuple(_run(one.on(ranks), cache) for ranks in FITTED)
        for ranks in BEYOND:
            sample, times = one.on(ranks), times_of(next(summaries))
            machine = load_machine(sample.machine)
            case = replace(first_turn(sample.study(), machine, ranks), records=records)
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


def main(words: Sequence[str]) -> int:
    """Simulate, fit and judge; return the exit status."""
    options = parse(words)
    cache = Path(options.cache)
    series = [series_of(machine, number) for machine in MACHINES for number in options.series]
    try:
        judged = list(judge(series, cache, options.workers))
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    if options.json:
        errors = {name: figures(own["measured"]) for name, own in grouped(judged, _names).items()}
        print_json({"reference": "simulator", "errors": errors})
    else:
        show(judged)
    return 0


def numbers(text: str) -> list[int]:
    """Numbers of series, from 0."""
    return [int(word) for word in text.split(",")]


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="How far model measured is off beyond its runs.")
    parser.add_argument("--cache", required=True, metavar="DIR", help="where simulations are kept")
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="processes")
    parser.add_argument("--series", type=numbers, default=JUDGED, metavar="N,N,…")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

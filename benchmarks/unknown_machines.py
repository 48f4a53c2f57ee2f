"""How far models are off on machines that nobody looked at: simulate, fit intervals, judge.

    .venv/bin/python -m benchmarks.unknown_machines --cache DIR --workers 2

Machines and studies are drawn by number (benchmarks/machine_generator.py). Errors are those on
machines with odd numbers. Intervals are judged twice: those from even machines on odd ones, and on
each machine those from all other machines of its kind. With --fit the workload's residuals.json
gets the residuals of all of them, as "network kind|drawn number". --large judges turns with so many
messages that models follow only a part of them, on machines that nothing is fitted to. The
reference is a simulator, not hardware.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count as count_from
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine_generator import KINDS, LARGE, SMALL, Extent, machine_of, study_of
from benchmarks.residuals import keep_residuals
from phasewise.driver import load_planner
from phasewise.errors import PhasewiseError, StudyError
from phasewise.machines import Machine
from phasewise.models import first_turn, predict
from phasewise.models.interval import FEWEST, conformal, drawn_key, kind_of
from phasewise.models.judged import (
    QUANTITIES,
    Figures,
    Judged,
    figures,
    grouped,
    residuals,
    times_of,
)
from phasewise.options import count
from phasewise.output import message, print_json, print_table
from phasewise.reproduction.telling import Telling
from phasewise.simulated.many import Task, simulate_many
from phasewise.simulated.simulate import Request
from phasewise.study import Study

MODELS = ("contention", "described")
"""The models that need only a description."""
MAX_MESSAGES = 120_000
"""The most messages of a simulation, which then takes some seconds."""

TRIALS, TRIES = 1000, 10
"""The most studies that are drawn for a machine, and for each of its points."""

LARGE_FIRST, LARGE_TURNS = 1000, 10
"""Numbers of the machines with large turns."""
LARGE_MESSAGES = (450_000, 1_500_000)
"""Messages of a large turn; contention follows up to 400 000 in full."""


@dataclass(frozen=True)
class Point:
    """One simulated turn of a study on a machine. held_out: whether it judges the models."""

    number: int
    machine: Machine
    study: Study
    ranks: int

    @property
    def held_out(self) -> bool:
        return self.number % 2 == 1

    @property
    def task(self) -> Task:
        return Task(self.study, Request(self.machine, self.ranks, skeleton=True))


def drawn_points(machines: int, each: int, folder: Path) -> list[Point]:
    """`each` points of every machine; those with too many messages are left out."""
    return [
        point
        for number in range(machines)
        for point in _points_of(number, each, folder, SMALL, (0, MAX_MESSAGES))
    ]


def large_points(folder: Path) -> Iterator[Point]:
    """Turns of which `contention` follows only a part, one on each of several machines that nothing
    else uses. Machines that are too small for such turns are left out.
    """
    found = 0
    for number in count_from(LARGE_FIRST):
        if found == LARGE_TURNS:
            return
        with suppress(StudyError):
            for point in _points_of(number, 1, folder, LARGE, LARGE_MESSAGES):
                yield point
                found += 1


def _points_of(
    number: int, count: int, folder: Path, extent: Extent, messages: tuple[int, int]
) -> Iterator[Point]:
    """The first `count` studies of a machine whose messages lie between these numbers."""
    machine, (fewest, most) = machine_of(number), messages
    found = 0
    for trial in range(min(TRIES * count, TRIALS)):
        study, ranks = study_of(machine, TRIALS * number + trial, folder, extent)
        if fewest <= _messages(study, ranks) <= most:
            yield Point(number, machine, study, ranks)
            found += 1
        if found == count:
            return


def _messages(study: Study, ranks: int) -> float:
    planned = load_planner().plan(study.parameters(), ranks)["phases"]
    of_call = {True: ranks, False: 1}
    return ranks * sum(float(p["messages"] * of_call[bool(p["library"])]) for p in planned)


JudgedPoint = Judged[Point]


def judge(points: Sequence[Point], summaries: Sequence[dict[str, Any]]) -> list[JudgedPoint]:
    """Judge every point by every model."""
    judged, tell = [], Telling("points judged")
    for done, (point, summary) in enumerate(zip(points, summaries, strict=True), 1):
        case = first_turn(point.study, point.machine, point.ranks)
        times = times_of(summary)
        judged += [Judged(point, case, times, predict(case, model)) for model in MODELS]
        tell(done, len(points))
    return judged


def key_of(one: JudgedPoint) -> str:
    """How residuals.json names the group of a point."""
    return drawn_key(one.sample.machine, one.sample.number)


def errors_of(group: Sequence[JudgedPoint]) -> Figures:
    """For one kind of network and one model: the errors on odd machines, and the coverage of two
    intervals, that from even machines on odd ones, and that from all other machines on each one.
    """
    odd = [one for one in group if one.sample.held_out]
    found = {key: own for key, own in figures(odd).items() if "coverage" not in key}
    for quantity, prefix in QUANTITIES.items():
        by_parity = covered(group, quantity, lambda one: one.sample.number % 2)
        found[f"{prefix}coverage"] = float(np.mean(by_parity[1]))
        left_out = covered(group, quantity, lambda one: one.sample.number)
        found[f"{prefix}coverage_left_out"] = float(np.mean(np.concatenate([*left_out.values()])))
    return found


def covered(
    group: Sequence[JudgedPoint], quantity: str, part: Callable[[JudgedPoint], int]
) -> dict[int, list[bool]]:
    """For each part of the points, whether its points lie in the interval that the other parts give
    for their kind of network.
    """
    values = [(kind_of(one.sample.machine), part(one), one.residual(quantity)) for one in group]
    found: dict[int, list[bool]] = {}
    for kind, left in dict.fromkeys((kind, own) for kind, own, _ in values):
        low, high = conformal(v for k, own, v in values if k == kind and own != left)
        inside = [low <= v <= high for k, own, v in values if (k, own) == (kind, left)]
        found.setdefault(left, []).extend(inside)
    return found


def by_kind(judged: Sequence[JudgedPoint]) -> dict[str, dict[str, Figures]]:
    """The figures by kind of network and model."""
    groups = grouped(judged, lambda one: [one.sample.machine.name.split("-")[0], "all"])
    return {
        kind: {model: errors_of(own) for model, own in models.items()}
        for kind, models in groups.items()
    }


def of_large(judged: Sequence[JudgedPoint]) -> dict[str, dict[str, Figures]]:
    """The figures of large turns by model, with the coverage of the predictions' intervals."""
    models = grouped(judged, lambda _: ["large"])["large"]
    return {"large": {model: figures(own) for model, own in models.items()}}


def show(found: dict[str, dict[str, Figures]], title: str) -> None:
    """Print the table of the errors, by kind of network."""
    heads = {"mean_error": "mean error", "ninth_decile": "9 in 10", "worst_error": "worst"}
    heads |= {"coverage": "inside", "coverage_left_out": "inside, left out"}
    first = next(iter(next(iter(found.values())).values()))
    keys = [f"{prefix}{key}" for prefix in QUANTITIES.values() for key in heads]
    keys = [key for key in keys if key in first]
    names = [heads[key.removeprefix("turn_")] for key in keys]
    names = [
        f"turn: {n}" if k == "turn_mean_error" else n for k, n in zip(keys, names, strict=True)
    ]
    rows = [
        [kind, model, *(f"{100 * own[key]:.1f} %" for key in keys), f"{own['points']:.0f}"]
        for kind, models in found.items()
        for model, own in models.items()
    ]
    print_table(f"{title}; the reference is a simulator", ["", "model", *names, "points"], rows)


def show_each(judged: Sequence[JudgedPoint]) -> None:
    """Print each large turn."""
    rows = [
        [
            one.sample.machine.name,
            str(one.sample.ranks),
            f"{_messages(one.sample.study, one.sample.ranks):.0f}",
            one.model,
            *(f"{100 * one.error(quantity):.1f} %" for quantity in QUANTITIES),
            *("yes" if one.inside(quantity) else "no" for quantity in QUANTITIES),
        ]
        for one in judged
    ]
    heads = ["machine", "ranks", "messages", "model", "error", "turn: error", "inside", "inside"]
    print_table("Turns of many messages", heads, rows)


def main(words: Sequence[str]) -> int:
    """Draw, simulate, fit and judge; return the exit status."""
    options = parse(words)
    cache = Path(options.cache)
    cache.mkdir(parents=True, exist_ok=True)
    try:
        drawn = (
            large_points(cache)
            if options.large
            else drawn_points(options.machines, options.points, cache)
        )
        points = list(drawn)
        message(f"{len(points)} points")
        tasks = [point.task for point in points]
        summaries = simulate_many(tasks, cache, options.workers, Telling("simulations"))
        judged = judge(points, summaries)
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    found = of_large(judged) if options.large else by_kind(judged)
    if options.fit and not options.large:
        keep_residuals(residuals(judged, key_of))
    if options.json:
        print_json({"reference": "simulator", "errors": found})
        return 0
    if options.large:
        show_each(judged)
    show(found, "Turns of many messages" if options.large else "Odd machines")
    return 0


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="How far models are off on unknown machines.")
    parser.add_argument("--cache", required=True, metavar="DIR", help="where simulations are kept")
    parser.add_argument("--machines", type=count, default=40, metavar="N")
    parser.add_argument("--points", type=count, default=10, metavar="N", help="of each machine")
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="processes")
    parser.add_argument("--fit", action="store_true", help="write residuals.json")
    parser.add_argument(
        "--large", action="store_true", help="turns of so many messages that they are sampled"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    # The even half of the machines of a kind of network gives its intervals.
    if options.machines // (2 * len(KINDS)) * options.points < FEWEST:
        parser.error(
            f"--machines {options.machines} --points {options.points} gives fewer than {FEWEST} "
            "points for the intervals of a kind of network; give more"
        )
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

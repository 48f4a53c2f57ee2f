"""How far models are off on machines that nobody looked at: simulate, fit intervals, judge.

    .venv/bin/python -m benchmarks.unknown_machines --cache DIR --workers 2

Machines and studies are drawn by number (benchmarks/machine_generator.py). Even machines give the
residuals of the intervals, "network kind|drawn" in residuals.json of the workload; odd ones are
judged. The reference is a simulator, not hardware.
"""

from __future__ import annotations

import argparse
import math
import sys
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine_generator import machine_of, study_of
from benchmarks.residuals import keep_residuals
from phasewise.driver import load_planner
from phasewise.errors import PhasewiseError
from phasewise.machines import Machine
from phasewise.models import Case, Prediction, predict
from phasewise.models.interval import DRAWN, kind_of
from phasewise.options import count
from phasewise.output import message, print_json, print_table
from phasewise.reproduction.telling import Telling
from phasewise.simulated.many import Task, simulate_many
from phasewise.simulated.simulate import Request
from phasewise.study import Study
from phasewise.workloads.collision.reproduction.holdout import FIRST_TURN, Times, times_of

MODELS = ("contention", "described")
"""Those that need nothing but a description."""
MAX_MESSAGES = 120_000
"""Most messages of a simulation, which then takes some seconds."""

TRIALS = 1000
"""Most studies that are drawn for a machine."""


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


@dataclass(frozen=True)
class Judged:
    """A point, the simulator's times and a model's prediction."""

    point: Point
    model: str
    simulated: Times
    predicted: Prediction

    def residual(self, quantity: str) -> float:
        """log(simulated/predicted)."""
        one = self.predicted
        own = Times(one.communication_seconds, one.turn_seconds)
        return math.log(self.simulated.of(quantity) / own.of(quantity))


def drawn_points(machines: int, each: int, folder: Path) -> list[Point]:
    """`each` points of every machine; those with too many messages are left out."""
    points = []
    for number in range(machines):
        machine = machine_of(number)
        found = 0
        for trial in range(min(10 * each, TRIALS)):
            study, ranks = study_of(machine, TRIALS * number + trial, folder)
            if _messages(study, ranks) <= MAX_MESSAGES:
                points.append(Point(number, machine, study, ranks))
                found += 1
            if found == each:
                break
    return points


def _messages(study: Study, ranks: int) -> float:
    planned = load_planner().plan(study.parameters(), ranks)["phases"]
    of_call = {True: ranks, False: 1}
    return ranks * sum(float(p["messages"] * of_call[bool(p["library"])]) for p in planned)


def judge(points: Sequence[Point], summaries: Sequence[dict[str, Any]]) -> list[Judged]:
    """Every point by every model."""
    judged, tell = [], Telling("points judged")
    for done, (point, summary) in enumerate(zip(points, summaries, strict=True), 1):
        case = Case(point.study, point.machine, point.ranks, pieces=FIRST_TURN)
        times = times_of(summary)
        judged += [Judged(point, model, times, predict(case, model)) for model in MODELS]
        tell(done, len(points))
    return judged


def residuals(judged: Sequence[Judged]) -> dict[str, Any]:
    """Of even machines: quantity → model → "network kind|drawn" → sorted values."""
    found: dict[str, Any] = {}
    for one in judged:
        if one.point.held_out:
            continue
        for quantity in ("communication", "turn"):
            groups = found.setdefault(quantity, {}).setdefault(one.model, {})
            key = f"{kind_of(one.point.machine)}|{DRAWN}"
            insort(groups.setdefault(key, []), round(one.residual(quantity), 6))
    return found


def figures(judged: Sequence[Judged]) -> dict[str, dict[str, dict[str, float]]]:
    """Of odd machines: kind of network → model → errors and coverage."""
    groups: dict[str, dict[str, list[Judged]]] = {}
    for one in judged:
        if one.point.held_out:
            kind = one.point.machine.name.split("-")[0]
            for name in (kind, "all"):
                groups.setdefault(name, {}).setdefault(one.model, []).append(one)
    return {
        kind: {model: _errors(own) for model, own in models.items()}
        for kind, models in groups.items()
    }


def _errors(own: Sequence[Judged]) -> dict[str, float]:
    found: dict[str, float] = {"points": len(own)}
    for quantity, prefix in (("communication", ""), ("turn", "turn_")):
        errors = np.abs(np.expm1([-one.residual(quantity) for one in own]))
        found[f"{prefix}mean_error"] = float(errors.mean())
        found[f"{prefix}ninth_decile"] = float(np.quantile(errors, 0.9))
        found[f"{prefix}worst_error"] = float(errors.max())
    inside = [
        (
            p.low <= one.simulated.communication <= p.high,
            p.turn_low <= one.simulated.turn <= p.turn_high,
        )
        for one in own
        for p in (one.predicted,)
    ]
    found["coverage"], found["turn_coverage"] = (float(x) for x in np.mean(inside, axis=0))
    return found


def show(found: dict[str, dict[str, dict[str, float]]]) -> None:
    """The table of the errors, by kind of network."""
    keys = ["mean_error", "ninth_decile", "worst_error", "coverage"]
    keys += [f"turn_{key}" for key in keys]
    heads = ["network", "model", "mean error", "9 in 10", "worst", "inside"]
    heads += ["turn: mean error", "9 in 10", "worst", "inside", "points"]
    rows = [
        [kind, model, *(f"{100 * own[key]:.1f} %" for key in keys), f"{own['points']:.0f}"]
        for kind, models in found.items()
        for model, own in models.items()
    ]
    print_table("Odd machines; the reference is a simulator", heads, rows)


def main(words: Sequence[str]) -> int:
    """Draw, simulate, fit and judge; the exit status."""
    options = parse(words)
    cache = Path(options.cache)
    cache.mkdir(parents=True, exist_ok=True)
    try:
        points = drawn_points(options.machines, options.points, cache)
        message(f"{len(points)} points on {options.machines} machines")
        tasks = [point.task for point in points]
        summaries = simulate_many(tasks, cache, options.workers, Telling("simulations"))
        judged = judge(points, summaries)
        if options.fit:
            keep_residuals(residuals(judged))
            judged = judge(points, summaries)
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    found = figures(judged)
    if options.json:
        print_json({"reference": "simulator", "errors": found})
    else:
        show(found)
    return 0


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="How far models are off on unknown machines.")
    parser.add_argument("--cache", required=True, metavar="DIR", help="where simulations are kept")
    parser.add_argument("--machines", type=count, default=40, metavar="N")
    parser.add_argument("--points", type=count, default=10, metavar="N", help="of each machine")
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="processes")
    parser.add_argument(
        "--fit", action="store_true", help="write residuals.json from even machines"
    )
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

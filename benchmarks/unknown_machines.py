"""How far models are off on machines and studies that no interval was fitted to.

    .venv/bin/python -m benchmarks.unknown_machines --workload halo --cache DIR --workers 2

Machines and studies are drawn by number (benchmarks/machine_generator.py): those from number 2000
on are held out, and judge the models and the intervals that predictions now get; those below give
the residuals (benchmarks/residuals.py). So do studies on the machines of the source paper, drawn
with other numbers. --large judges turns of collisions with so many messages that models follow only
a part of them. With --first 3000 nodes may have several sockets and adapters. --each names every
point. The reference is a simulator, not hardware.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count as count_from
from pathlib import Path
from typing import Any

from benchmarks.machine_generator import machine_of, study_of
from phasewise.errors import PhasewiseError, StudyError
from phasewise.machines import Machine, load_machine
from phasewise.machines.topology import part_count
from phasewise.models import first_turn, predict
from phasewise.models.interval import drawn_key
from phasewise.models.judged import QUANTITIES, Figures, Judged, figures, grouped, times_of
from phasewise.models.plan import plan
from phasewise.options import count
from phasewise.output import message, print_json, print_table
from phasewise.reproduction.telling import Telling
from phasewise.simulated.many import Task, simulate_many
from phasewise.simulated.simulate import Request
from phasewise.study import Study
from phasewise.workload.discovery import find_workload, workloads
from phasewise.workload.interface import Workload

MODELS = ("contention", "described")
"""The models that need only a description."""
MAX_MESSAGES = 120_000
"""The most messages of a simulation, which then takes some seconds."""

TRIALS, TRIES = 1000, 10
"""The most studies that are drawn for a machine, and for each of its points."""

HELD_OUT = 2000
"""Number of the first machine that nothing is fitted to."""
DESCRIBED = ("seaborg", "bassi", "jacquard", "jaguar", "bluegene-l")
"""Machines on which studies are drawn too; on each of them residuals are its own."""
FITTED_STUDIES, HELD_OUT_STUDIES = 4000, 5000
"""Numbers of the first studies on them that give residuals, and that judge."""
SEVERAL = "several parts"
"""The group of machines whose nodes have several sockets or adapters."""
LARGE_FIRST, LARGE_TURNS = 1000, 10
"""Numbers of the machines with large turns."""
LARGE_MESSAGES = (450_000, 1_500_000)
"""Messages of a large turn; contention follows up to 400 000 in full."""


@dataclass(frozen=True)
class Point:
    """A simulated run of a study on a machine. number: that of the machine, if it is drawn, and of
    the study.
    """

    number: int
    machine: Machine
    study: Study
    ranks: int

    @property
    def held_out(self) -> bool:
        """Whether its number is odd."""
        return self.number % 2 == 1

    @property
    def key(self) -> str:
        """The key of its residuals in residuals.json."""
        machine = self.machine
        if machine.name in DESCRIBED:
            return f"{machine.network.kind}|{machine.name}"
        return drawn_key(machine, self.number)

    @property
    def task(self) -> Task:
        return Task(self.study, Request(self.machine, self.ranks, skeleton=True))


def drawn_points(
    workload: Workload, numbers: Sequence[int], each: int, folder: Path
) -> list[Point]:
    """`each` points of every machine; those with too many messages are left out."""
    return [
        point
        for number in numbers
        for point in _points_of(workload, machine_of(number), number, each, folder)
    ]


def described_points(workload: Workload, first: int, each: int, folder: Path) -> list[Point]:
    """`each` points of every described machine, with studies from this number on."""
    return [
        point
        for number, name in enumerate(DESCRIBED, first)
        for point in _points_of(workload, load_machine(name), number, each, folder)
    ]


def large_points(workload: Workload, folder: Path) -> Iterator[Point]:
    """Turns of which `contention` follows only a part, one on each of several machines that nothing
    else uses. Machines that are too small for such turns are left out.
    """
    found = 0
    for number in count_from(LARGE_FIRST):
        if found == LARGE_TURNS:
            return
        with suppress(StudyError):
            machine = machine_of(number)
            for point in _points_of(workload, machine, number, 1, folder, LARGE_MESSAGES, True):
                yield point
                found += 1


def _points_of(
    workload: Workload,
    machine: Machine,
    number: int,
    count: int,
    folder: Path,
    messages: tuple[int, int] = (0, MAX_MESSAGES),
    large: bool = False,
) -> Iterator[Point]:
    """The first `count` studies of a machine whose messages lie between these numbers."""
    (fewest, most), found = messages, 0
    for trial in range(min(TRIES * count, TRIALS)):
        study, ranks = study_of(machine, TRIALS * number + trial, folder, workload, large)
        try:
            sent = study.count * messages_of(study, ranks)
        except StudyError:  # the plan refuses what no key shows, such as too many blocks of land
            continue
        if fewest <= sent <= most:
            yield Point(number, machine, study, ranks)
            found += 1
        if found == count:
            return


def messages_of(study: Study, ranks: int) -> float:
    """About how many messages all ranks send in a turn; a library's call counts as one to each."""
    planned = plan(study, ranks)["phases"]
    of_call = {True: ranks, False: 1}
    return ranks * sum(float(p["messages"] * of_call[bool(p["library"])]) for p in planned)


JudgedPoint = Judged[Point]


def judge(
    points: Sequence[Point], summaries: Sequence[dict[str, Any]], models: Sequence[str] = MODELS
) -> list[JudgedPoint]:
    """Judge every point by every model."""
    judged, tell = [], Telling("points judged")
    for done, (point, summary) in enumerate(zip(points, summaries, strict=True), 1):
        case = first_turn(point.study, point.machine, point.ranks, turns=point.study.count)
        times = times_of(summary)
        judged += [Judged(point, case, times, predict(case, model)) for model in models]
        tell(done, len(points))
    return judged


def simulated(points: Sequence[Point], cache: Path, workers: int) -> tuple[dict[str, Any], ...]:
    """The summaries of the points' simulations."""
    tasks = [point.task for point in points]
    return tuple(simulate_many(tasks, cache, workers, Telling("simulations")))


def _kind(machine: Machine) -> str:
    return "source paper" if machine.name in DESCRIBED else machine.name.split("-")[0]


def _groups(machine: Machine) -> list[str]:
    return [_kind(machine), "all", *([SEVERAL] if part_count(machine) > 1 else [])]


def by_kind(judged: Sequence[JudgedPoint]) -> dict[str, dict[str, Figures]]:
    """The figures by kind of network and model. Nodes of several sockets or adapters are a kind of
    their own too.
    """
    groups = grouped(judged, lambda one: _groups(one.sample.machine))
    return {
        kind: {model: figures(own) for model, own in models.items()}
        for kind, models in groups.items()
    }


def show(found: dict[str, dict[str, Figures]], title: str) -> None:
    """Print the table of the errors, by kind of network."""
    heads = {"mean_error": "mean error", "ninth_decile": "9 in 10", "worst_error": "worst"}
    heads |= {"near": "within 3 %", "coverage": "inside"}
    keys = [f"{prefix}{key}" for prefix in QUANTITIES.values() for key in heads]
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
    """Print each point, with the keys that its study gives."""
    rows = [
        [
            one.sample.machine.name,
            str(one.sample.ranks),
            f"{one.sample.study.count}",
            one.model,
            *(f"{100 * one.residual(quantity):+.2f} %" for quantity in QUANTITIES),
            *("yes" if one.inside(quantity) else "no" for quantity in QUANTITIES),
            _given(one.sample.study),
        ]
        for one in judged
    ]
    heads = ["machine", "ranks", "turns", "model", "actual over predicted", "turn", "inside"]
    print_table("Points", [*heads, "turn: inside", "study"], rows)


def _given(study: Study) -> str:
    """What a study exchanges, and how, in a line."""
    own = study.resolved().get(study.workload.name, {})
    ways = study.communication.algorithms()
    grid = {"grid": study.communication.grid_text}
    return ", ".join(f"{key} {value}" for key, value in {**grid, **own, **ways}.items())


def main(words: Sequence[str]) -> int:
    """Draw, simulate and judge; return the exit status."""
    options = parse(words)
    cache, workload = Path(options.cache), find_workload(options.workload)
    cache.mkdir(parents=True, exist_ok=True)
    try:
        numbers = range(options.first, options.first + options.machines)
        drawn = (
            large_points(workload, cache)
            if options.large
            else drawn_points(workload, numbers, options.points, cache)
            + described_points(workload, HELD_OUT_STUDIES, options.on_described, cache)
        )
        points = list(drawn)
        message(f"{len(points)} points")
        judged = judge(points, simulated(points, cache, options.workers), options.model)
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    found = by_kind(judged)
    if options.json:
        print_json({"reference": "simulator", "workload": workload.name, "errors": found})
        return 0
    if options.large or options.each:
        show_each(judged)
    show(found, f"{workload.title}: machines from number {options.first} on")
    return 0


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="How far models are off on unknown machines.")
    parser.add_argument("--cache", required=True, metavar="DIR", help="where simulations are kept")
    parser.add_argument("--workload", choices=workloads(), default="collision")
    parser.add_argument("--first", type=count, default=HELD_OUT, metavar="N", help="first machine")
    parser.add_argument("--machines", type=count, default=20, metavar="N")
    parser.add_argument("--points", type=count, default=4, metavar="N", help="of each machine")
    parser.add_argument(
        "--on-described",
        type=int,
        default=4,
        metavar="N",
        help="studies on each machine of the paper",
    )
    parser.add_argument("--model", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="processes")
    parser.add_argument(
        "--large", action="store_true", help="turns of so many messages that they are sampled"
    )
    parser.add_argument("--each", action="store_true", help="show every point")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""How far models are off on solves and trajectories of lattice QCD: simulate, predict, judge.

    .venv/bin/python -m benchmarks.qcd_models --cache DIR [--of trajectories]

Cases are drawn by number (benchmarks/qcd_cases.py). Those below 1000 may be looked at while a model
is made; from number `FIRST` on the odd ones judge it, on drawn machines that no even one uses.
Errors are those of communication, including waiting, and of whole solves or trajectories, by kind
of network; --each names the worst cases of one model, with the phases that are furthest off. The
reference is a simulator, not hardware.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.qcd_cases import DRAWS, FAT_TREE, SOLVES, TORUS, Point, points_of
from phasewise.errors import PhasewiseError, StudyError
from phasewise.models import first_turn, model_names, predict
from phasewise.models.interval import COMMUNICATION
from phasewise.models.judged import Figures, Judged, figures, grouped, times_of
from phasewise.options import count
from phasewise.output import message, print_json, print_table
from phasewise.reproduction.telling import Telling
from phasewise.simulated.many import simulate_many

DESCRIBED = ("contention", "described")
"""Models that need only a description; the others use the curves of the machine's twin."""
FITTED = "measured"
"""The model that needs recorded runs."""
POINTS = 120
"""Cases of each kind of network, half of which are held out."""
FIRST = 2000
"""Number of the first case. Cases below 1000 were looked at while the model was made; an earlier
draw used those from 1000 on.
"""
WORST = 10
PHASES = 3
"""How many phases of a case are shown."""

JudgedPoint = Judged[Point]
Summary = Mapping[str, Any]


def judge(
    points: Sequence[Point], summaries: Sequence[Summary], models: Sequence[str], cache: Path
) -> list[JudgedPoint]:
    """Judge every point by every model, except by models that need curves between nodes if all
    ranks share one node.
    """
    judged: list[JudgedPoint] = []
    tell = Telling("points judged")
    for done, (point, summary) in enumerate(zip(points, summaries, strict=True), 1):
        for model in models:
            machine = point.machine if model in DESCRIBED else point.measured(cache)
            simulated = replace(machine, kernels={})  # only [processor], as simulations charge it
            case = first_turn(point.study, simulated, point.ranks)
            with suppress(StudyError):
                judged.append(Judged(point, case, times_of(summary), predict(case, model)))
        tell(done, len(points))
    return judged


def show(found: Mapping[str, Mapping[str, Figures]], title: str) -> None:
    """Print the errors by kind of network and model."""
    heads = {"mean_error": "mean", "ninth_decile": "9/10", "worst_error": "worst"}
    keys = [prefix + key for prefix in ("", "turn_") for key in heads]
    names = [*heads.values(), *(f"whole: {head}" for head in heads.values())]
    rows = [
        [network, model, *(f"{100 * own[key]:.1f} %" for key in keys), f"{own['points']:.0f}"]
        for network, models in found.items()
        for model, own in models.items()
    ]
    print_table(title, ["network", "model", *names, "points"], rows)


def show_worst(
    judged: Iterable[JudgedPoint], summaries: Mapping[int, Summary], model: str, number: int
) -> None:
    """Print the worst cases of a model, and the phases in which it is furthest off."""
    own = [one for one in judged if one.model == model]
    own.sort(key=lambda one: -one.error(COMMUNICATION))
    rows = []
    for one in own[:number]:
        simulated, predicted = one.simulated.communication, one.predicted.communication_seconds
        phases = _phases_off(one, summaries[id(one.sample)])
        rows.append([f"{100 * (predicted / simulated - 1):+.1f} %", one.sample.words, phases])
    print_table(f"worst of {model}; of phases, shares of the communication", ["", "", ""], rows)


def _phases_off(one: JudgedPoint, summary: Summary) -> str:
    simulated = summary["phases"]
    predicted = one.predicted.phases
    off = {
        name: (predicted.get(name, 0.0) - simulated.get(name, 0.0)) / one.simulated.communication
        for name in {*simulated, *predicted}
    }
    worst = sorted(off, key=lambda name: -abs(off[name]))[:PHASES]
    return ", ".join(f"{name} {100 * off[name]:+.1f} %" for name in worst)


def main(words: Sequence[str]) -> int:
    """Draw, simulate, predict and judge; return the exit status."""
    options = parse(words)
    models = (
        options.model.split(",") if options.model else [m for m in model_names() if m != FITTED]
    )
    every = [
        p
        for network in (FAT_TREE, TORUS)
        for p in points_of(network, options.first, options.points, options.of)
    ]
    points = [p for p in every if p.held_out != options.looked_at]
    try:
        summaries = simulate_many(
            [point.task for point in points],
            options.cache,
            options.workers,
            Telling("simulations"),
        )
        judged = judge(points, summaries, models, options.cache)
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    found = {
        network: {model: figures(own) for model, own in of_model.items()}
        for network, of_model in grouped(judged, lambda one: [one.sample.network]).items()
    }
    if options.json:
        print_json({"reference": "simulator", "errors": found})
        return 0
    which = "looked at" if options.looked_at else "held out"
    show(found, f"Communication and whole {options.of}, {which}; the reference is a simulator")
    if options.each:
        by_point = {id(p): s for p, s in zip(points, summaries, strict=True)}
        show_worst(judged, by_point, options.each, options.worst)
    return 0


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="How far models are off on lattice QCD.")
    parser.add_argument("--cache", type=Path, required=True, metavar="DIR", help="simulations")
    parser.add_argument("--of", choices=list(DRAWS), default=SOLVES, help="what is drawn")
    parser.add_argument("--points", type=count, default=POINTS, metavar="N", help="of a network")
    parser.add_argument("--first", type=int, default=FIRST, metavar="N", help="number of a case")
    parser.add_argument("--model", metavar="NAME,…", help="all by default")
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="processes")
    parser.add_argument("--looked-at", action="store_true", help="the even cases, not held out")
    parser.add_argument("--each", metavar="MODEL", help="name the worst cases of a model")
    parser.add_argument("--worst", type=count, default=WORST, metavar="N", help="how many")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

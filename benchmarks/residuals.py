"""How far the models are off, and how wide their intervals must be: simulate, fit, judge.

    .venv/bin/python -m benchmarks.residuals --workload halo --cache DIR --workers 2

draws machines, ranks and settings of any workload by number (benchmarks/machine_generator.py), and
settings on the machines of the source paper,
simulates them (except what DIR already holds), and writes the residuals.json of the workload's
package, from which its predictions get their intervals. `benchmarks/unknown_machines.py` judges
them on machines that are not among these.

    .venv/bin/python -m benchmarks.residuals --described --cache DIR --workers 2

does the same with the cases of phasewise/workloads/collision/reproduction/cases.py on the machines
of the source paper, with the curves of their twins, so that all models are judged. It adds their
residuals to those of the drawn machines, prints the errors of the cases held out, and writes them
into reproduction/holdout.json. The reference is a simulator, not hardware.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.machine_generator import KINDS
from benchmarks.unknown_machines import (
    FITTED_STUDIES,
    MODELS,
    by_kind,
    described_points,
    drawn_points,
    judge,
    show,
    simulated,
)
from phasewise.errors import PhasewiseError
from phasewise.machines import Machine
from phasewise.models.interval import FEWEST, FILE, is_drawn, residuals_of
from phasewise.models.judged import residuals as residuals_by
from phasewise.models.judged import times_of
from phasewise.options import count
from phasewise.output import message, print_json, print_table
from phasewise.reproduction.measured import measured_machine
from phasewise.reproduction.telling import Telling
from phasewise.runs.disk import replace_text
from phasewise.simulated.many import simulate_many
from phasewise.workload.discovery import find_workload, workloads
from phasewise.workload.interface import Workload
from phasewise.workloads.collision import WORKLOAD as COLLISION
from phasewise.workloads.collision.reproduction.cases import (
    MACHINES,
    SimulatedCase,
    simulated_cases,
)
from phasewise.workloads.collision.reproduction.holdout import (
    FIGURES,
    WholeStudy,
    holdout,
    keep_whole_study,
    residuals,
)
from phasewise.workloads.collision.reproduction.holdout import judge as judge_described


def main(words: Sequence[str]) -> int:
    """Simulate; then, unless only that is asked for, fit and judge; return the exit status."""
    options = parse(words)
    try:
        return of_described(options) if options.described else of_drawn(options)
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status


def of_drawn(options: argparse.Namespace) -> int:
    """Fit the intervals of a workload on machines that are drawn."""
    cache, workload = Path(options.cache), find_workload(options.workload)
    cache.mkdir(parents=True, exist_ok=True)
    points = drawn_points(workload, range(options.numbers), options.points, cache)
    points += described_points(workload, FITTED_STUDIES, options.on_described, cache)
    message(f"{len(points)} points")
    summaries = simulated(points, cache, options.workers)
    if options.simulate_only:
        return 0
    judged = judge(points, summaries)
    keep_residuals(workload, residuals_by(judged, lambda one: one.sample.key))
    anew = by_kind([one.bounded_anew() for one in judged])
    if options.json:
        print_json({"reference": "simulator", "workload": workload.name, "errors": anew})
        return 0
    show(anew, f"{workload.title}: the machines that give the intervals")
    return 0


def of_described(options: argparse.Namespace) -> int:
    """Fit and judge collisions on the machines of the source paper."""
    cache = Path(options.cache)
    chosen = [sample for name in options.machines for sample in simulated_cases(name)]
    tasks = [sample.task() for sample in chosen]
    summaries = simulate_many(tasks, cache, options.workers, Telling("simulations"))
    return 0 if options.simulate_only else evaluate(chosen, summaries, options)


def evaluate(
    chosen: list[SimulatedCase], summaries: list[dict[str, Any]], options: argparse.Namespace
) -> int:
    """Fit the intervals, judge the models, and show how far they are off."""
    machines = {name: measured_machine(name, Path(options.cache)) for name in options.machines}
    times = [times_of(summary) for summary in summaries]
    judged, refused = judge_described(chosen, times, machines, progress=Telling("cases judged"))
    # The others have the residuals of studies that are drawn on these machines.
    fitted = [one for one in judged if one.model not in MODELS]
    keep_residuals(COLLISION, residuals(fitted, machines))
    found = holdout([one.bounded_anew() for one in judged], machines)
    if set(options.machines) == set(MACHINES):
        keep_whole_study(WholeStudy(datetime.now(UTC).date().isoformat(), found))
    else:
        message("holdout.json is of all machines together: it stays as it is")
    if options.json:
        print_json({"reference": "simulator", "holdout": found, "refused": sorted(refused.items())})
        return 0
    show_described(found, machines)
    for (model, machine), reason in refused.items():
        print(f"{model} on {machine}: {reason}")
    return 0


def keep_residuals(workload: Workload, found: dict[str, Any]) -> None:
    """Write the residuals of the fit set where predictions look for them, model by model.

    Models and machines that were not judged this time keep their residuals; so do drawn machines if
    none of them was judged.
    """
    kept: dict[str, Any] = deepcopy(residuals_of(workload) or {})
    for quantity, models in found.items():
        for model, own in models.items():
            before = kept.setdefault(quantity, {}).get(model, {})
            anew = any(map(is_drawn, own))
            stay = {k: v for k, v in before.items() if not (anew and is_drawn(k))}
            kept[quantity][model] = stay | own
    of_quantities = [
        f"{json.dumps(quantity)}: {{\n" + ",\n".join(_lines(models)) + "\n}"
        for quantity, models in sorted(kept.items())
    ]
    replace_text(workload.folder / FILE, "{\n" + ",\n".join(of_quantities) + "\n}\n")


def _lines(models: dict[str, Any]) -> list[str]:
    """A line for each machine of each model."""
    return [
        f"{json.dumps(model)}: {{\n"
        + ",\n".join(f"{json.dumps(key)}: {json.dumps(v)}" for key, v in sorted(own.items()))
        + "\n}"
        for model, own in sorted(models.items())
    ]


def show_described(found: dict[str, Any], machines: dict[str, Machine]) -> None:
    """Print the hold-out table: errors of communication and turns, relative to the simulator."""
    rows = [
        [
            machine,
            machines[machine].network.kind,
            model,
            *(f"{100 * own[key]:.1f} %" for key in FIGURES[:-1]),
            str(own["points"]),
        ]
        for machine, models in found.items()
        for model, own in models.items()
    ]
    figures = ["mean error", "worst", "inside", "turn: mean error", "worst", "inside"]
    heads = ["machine", "network", "model", *figures, "points"]
    print_table("Hold-out cases; the reference is a simulator", heads, rows)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="How far the models are off.")
    parser.add_argument("--cache", required=True, metavar="DIR", help="where simulations are kept")
    parser.add_argument("--workload", choices=workloads(), default=COLLISION.name)
    parser.add_argument("--numbers", type=count, default=40, metavar="N", help="machines drawn")
    parser.add_argument("--points", type=count, default=10, metavar="N", help="of each machine")
    parser.add_argument(
        "--on-described", type=count, default=20, metavar="N", help="studies on each described one"
    )
    parser.add_argument("--described", action="store_true", help="the source paper's machines")
    parser.add_argument("--machines", nargs="+", choices=MACHINES, default=list(MACHINES))
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="processes")
    parser.add_argument("--simulate-only", action="store_true", help="simulate, and no more")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    if not options.described and options.numbers // len(KINDS) * options.points < FEWEST:
        parser.error(
            f"--numbers {options.numbers} --points {options.points} gives fewer than {FEWEST} "
            "points for the intervals of a kind of network; give more"
        )
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""How far the models are off, and how wide their intervals must be: simulate, fit, judge.

    .venv/bin/python -m benchmarks.residuals --cache DIR --workers 2

simulates the cases of phasewise/workloads/collision/reproduction/cases.py (except what DIR already
holds), measures the simulated machines, writes the workload's residuals.json from the fit set, and
prints the errors of the cases held out. The errors of all machines go into
reproduction/holdout.json beside it. The reference is a simulator, not hardware.
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

from phasewise.errors import PhasewiseError
from phasewise.machines import Machine
from phasewise.models.interval import FILE, is_drawn, residuals_of
from phasewise.models.judged import times_of
from phasewise.options import count
from phasewise.output import message, print_json, print_table
from phasewise.reproduction.measured import measured_machine
from phasewise.reproduction.telling import Telling
from phasewise.runs.disk import replace_text
from phasewise.simulated.many import simulate_many
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
    judge,
    keep_whole_study,
    residuals,
)


def main(words: Sequence[str]) -> int:
    """Simulate; then, unless only that is asked for, fit and judge; return the exit status."""
    options = parse(words)
    cache = Path(options.cache)
    chosen = [sample for name in options.machines for sample in simulated_cases(name)]
    try:
        tasks = [sample.task() for sample in chosen]
        summaries = simulate_many(tasks, cache, options.workers, Telling("simulations"))
        if options.simulate_only:
            return 0
        return evaluate(chosen, summaries, options)
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status


def evaluate(
    chosen: list[SimulatedCase], summaries: list[dict[str, Any]], options: argparse.Namespace
) -> int:
    """Fit the intervals, judge the models, and show how far they are off."""
    machines = {name: measured_machine(name, Path(options.cache)) for name in options.machines}
    times = [times_of(summary) for summary in summaries]
    judged, refused = judge(chosen, times, machines, progress=Telling("cases judged"))
    keep_residuals(residuals(judged, machines))
    found = holdout([one.bounded_anew() for one in judged], machines)
    if set(options.machines) == set(MACHINES):
        keep_whole_study(WholeStudy(datetime.now(UTC).date().isoformat(), found))
    else:
        message("holdout.json is of all machines together: it stays as it is")
    if options.json:
        print_json({"reference": "simulator", "holdout": found, "refused": sorted(refused.items())})
        return 0
    show(found, machines)
    for (model, machine), reason in refused.items():
        print(f"{model} on {machine}: {reason}")
    return 0


def keep_residuals(found: dict[str, Any]) -> None:
    """Write the residuals of the fit set where predictions look for them, model by model.

    Models and machines that were not judged this time keep their residuals; so do drawn machines if
    none of them was judged.
    """
    kept: dict[str, Any] = deepcopy(residuals_of(COLLISION) or {})
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
    replace_text(COLLISION.folder / FILE, "{\n" + ",\n".join(of_quantities) + "\n}\n")


def _lines(models: dict[str, Any]) -> list[str]:
    """A line for each machine of each model."""
    return [
        f"{json.dumps(model)}: {{\n"
        + ",\n".join(f"{json.dumps(key)}: {json.dumps(v)}" for key, v in sorted(own.items()))
        + "\n}"
        for model, own in sorted(models.items())
    ]


def show(found: dict[str, Any], machines: dict[str, Machine]) -> None:
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
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="processes")
    parser.add_argument("--simulate-only", action="store_true", help="simulate, and no more")
    parser.add_argument("--machines", nargs="+", choices=MACHINES, default=list(MACHINES))
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""How much slower than the best choice that of `phasewise tune` is, where all can be simulated.

    .venv/bin/python -m benchmarks.tuning_regret --cache regret --out regret.json

On each machine every candidate of the tuner's first stage (more than 100) is simulated, with
messages only, and from 64 ranks on with four of fifteen steps. Then the tuner chooses with its
models and at most ten such runs. The reference is a simulator, not hardware. What the cache has is
not simulated again.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.machines import Machine, load_machine
from phasewise.options import counts
from phasewise.output import message, print_table
from phasewise.runs.disk import replace_text
from phasewise.simulated.many import Task, simulate_many
from phasewise.study import Study, load
from phasewise.tuning.candidates import candidates
from phasewise.tuning.verification import simulation_task
from phasewise.workloads.collision.tuning import Candidate

STUDY = Path(__file__).parents[1] / "examples/paper/study.toml"
MACHINES = ("seaborg", "bassi", "jacquard", "jaguar", "bluegene-l")
VERIFIED = 8
"""How many runs the tuner may make."""
SHOWN = ("best", "median", "worst", "choice", "expected")
CASES = (*((name, 64) for name in MACHINES), ("bassi", 128), ("jacquard", 128))


@dataclass(frozen=True)
class Exhaustive:
    """Every candidate's simulated communication [s] of a turn, in the order of `candidates`."""

    machine: Machine
    ranks: int
    candidates: list[Candidate]
    seconds: list[float]

    @property
    def best(self) -> int:
        """Index of the fastest."""
        return self.seconds.index(min(self.seconds))


def regret(exhaustive: Exhaustive, study: Study, cache: Path) -> dict[str, Any]:
    """One line of the table: the best candidate, the tuner's choice, and how much slower that is.

    The choice may be a candidate outside of the exhaustive list, and faster than the best one
    there.
    """
    # Imported here, since simulating alone needs no models.
    from phasewise.tuning.choice import tune
    from phasewise.tuning.search import Problem

    machine, ranks = exhaustive.machine, exhaustive.ranks
    tuned = tune(Problem(study, machine, ranks), VERIFIED, cache)
    choice, best = tuned.choice, exhaustive.best
    assert choice.verified is not None
    runs = [entry for entry in tuned.entries if entry.verified is not None]
    return {
        "machine": machine.name,
        "ranks": ranks,
        "model": tuned.problem.model_name,
        "exhaustive": len(exhaustive.candidates),
        "considered": len(tuned.entries),
        "verified": len(runs),
        "sampled_steps": tuned.sampled_steps,
        "best_seconds": exhaustive.seconds[best],
        "median_seconds": statistics.median(exhaustive.seconds),
        "worst_seconds": max(exhaustive.seconds),
        "best": exhaustive.candidates[best].communication(),
        "choice": choice.candidate.communication(),
        "expected_seconds": choice.predicted,
        "choice_seconds": choice.verified,
        "regret": choice.verified / exhaustive.seconds[best] - 1,
    }


def show(rows: Sequence[dict[str, Any]]) -> None:
    """Print the rows as a table; times are in ms."""
    columns = ["machine", "ranks", "simulated", "best", "median", "worst", "chosen", "expected"]
    table = [
        [
            row["machine"],
            str(row["ranks"]),
            str(row["exhaustive"]),
            *(f"{1e3 * row[f'{name}_seconds']:.4g}" for name in SHOWN),
            str(row["verified"]),
            f"{100 * row['regret']:+.1f} %",
        ]
        for row in rows
    ]
    sampled = {
        f"{row['sampled_steps'][0]} of {row['sampled_steps'][1]}"
        for row in rows
        if row["sampled_steps"]
    }
    steps = f", from 64 ranks on by {', '.join(sampled)} steps" if sampled else ""
    title = f"communication of a turn in ms, simulated{steps}: a simulator, not hardware"
    print_table(title, [*columns, "verified", "regret"], table)


def simulate_all(study: Study, name: str, ranks: int, cache: Path, workers: int) -> Exhaustive:
    """Simulate all candidates on the machine `name`, or take them from the cache."""
    machine = load_machine(name)
    found = candidates(study, ranks, machine)
    tasks: list[Task] = [simulation_task(study, machine, ranks, c) for c in found]
    label = f"{name}, {ranks} ranks"

    def progress(done: int, every: int) -> None:
        if done % 10 == 0 or done == every:
            message(f"{label}: {done} of {every}")

    summaries = simulate_many(tasks, cache, workers, progress)
    seconds = [float(summary["communication_seconds"]) for summary in summaries]
    return Exhaustive(machine, ranks, found, seconds)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="The tuner's choice beside the best.")
    parser.add_argument("--cache", type=Path, required=True, metavar="DIR", help="simulations")
    parser.add_argument("--machines", metavar="M,M,…", help="all five by default")
    parser.add_argument("--ranks", type=counts, metavar="N,N,…", help="64, and 128 on two of them")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="simulations at a time")
    parser.add_argument("--simulate-only", action="store_true", help="only fill the cache")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the table as JSON")
    return parser.parse_args(words)


def cases(options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """The machines and numbers of ranks that the options ask for."""
    names = options.machines.split(",") if options.machines else None
    for name, ranks in CASES if options.ranks is None else _product(names, options.ranks):
        if names is None or name in names:
            yield name, ranks


def _product(names: Sequence[str] | None, ranks: Sequence[int]) -> list[tuple[str, int]]:
    return [(name, n) for n in ranks for name in names or MACHINES]


def main(words: Sequence[str]) -> int:
    """Simulate all, let the tuner choose, and print the regret of each machine."""
    options = parse(words)
    study = load(STUDY)
    rows = []
    for name, ranks in cases(options):
        every = simulate_all(study, name, ranks, options.cache, options.workers)
        if not options.simulate_only:
            rows.append(regret(every, study, options.cache))
    if rows:
        show(rows)
    if rows and options.out is not None:
        replace_text(options.out, json.dumps({"reference": "simulator", "rows": rows}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

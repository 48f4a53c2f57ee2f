"""What each optimisation of a space-charge kick gives, and how often to sort the particles.

    .venv/bin/python -m benchmarks.space_charge_kicks           # one core, some two minutes

It times first the kick alone, version by version (benchmarks/kicks): Amundson's five steps
("Initial profiling and optimization of single-bunch performance in Synergia 2.1" (2011), section
4), then ours. Each version includes the preceding ones, and all give the same kicks to rounding.
Then it times turns of `phasewise bench spacecharge` in which every K-th turn sorts the particles
along z.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from phasewise.errors import RunError
from phasewise.output import print_json, print_table
from phasewise.workloads.spacecharge.bench import SpaceChargeBench, case_tables

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build/python"
TARGET = "space-charge-kicks"
INTERVALS = (0, 1, 2, 4, 8)
"""Turns between sorts; 0: never."""
TURNS = 8


def versions(case: str) -> dict[str, float]:
    """Nanoseconds per particle of each version of the kick."""
    tables = case_tables(case)
    grid, particles = tables["solver"]["grid"], tables["bunch"]["macroparticles"]
    _output(["cmake", "--build", str(BUILD), "--target", TARGET])
    words = [str(BUILD / TARGET), *map(str, grid), str(particles)]
    lines = [line.split("\t") for line in _output(words).splitlines()]
    return {name: float(nanoseconds) for name, nanoseconds in lines}


def intervals(case: str, kicks: int) -> list[dict[str, Any]]:
    """Milliseconds of a kick in some phases, by the turns of `kicks` kicks between sorts."""
    found = []
    for every in INTERVALS:
        changes = (f"solver.sort_every={every}", f"solver.kicks={kicks}")
        words = [sys.executable, "-m", "phasewise", "bench", "spacecharge", "--json"]
        words += ["--case", case, "--turns", str(TURNS)]
        words += [word for change in changes for word in ("--set", change)]
        bench = json.loads(_output(words))
        phases = {name: seconds * 1e3 for name, seconds in bench["phases"].items()}
        found.append({"turns": every, "kick": bench["seconds_per_kick"] * 1e3, "phases": phases})
    return found


def _output(words: Sequence[str]) -> str:
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunError(f"{words[0]} ended with {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


def show(found: dict[str, Any]) -> None:
    """Print both tables."""
    plain = next(iter(found["versions"].values()))
    print_table(
        f"kick of {found['case']}, one core",
        ["version", "ns/particle", "plain over it"],
        [[name, f"{ns:.1f}", f"{plain / ns:.2f}"] for name, ns in found["versions"].items()],
    )
    rows = []
    for line in found["intervals"]:
        own = [line["phases"].get(name, 0.0) for name in ("sort", "charge_local", "kick")]
        rows.append([str(line["turns"]), *(f"{ms:.2f}" for ms in (*own, line["kick"]))])
    print_table(
        f"{found['case']}, {found['kicks']} kicks a turn, {TURNS} turns: ms per kick",
        ["turns between sorts", "sort", "charge_local", "kick", "all"],
        rows,
    )


def main(words: Sequence[str]) -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--case", choices=SpaceChargeBench.CASES, default="small")
    parser.add_argument("--kicks", type=int, default=4, help="kicks of a turn, for the sorts")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    found = {
        "case": options.case,
        "kicks": options.kicks,
        "versions": versions(options.case),
        "intervals": intervals(options.case, options.kicks),
    }
    if options.json:
        print_json(found)
    else:
        show(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

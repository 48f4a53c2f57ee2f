"""Kills runs, flips bits, mutates inputs and draws studies for a given time; prints the outcomes.

    .venv/bin/python -m benchmarks.torture --seconds 300 --seed 1 --only kills flips mutations

The status is 1 if there was a fault: a different number without an error, an error that is not a
sentence, a crash, or a run without end. The words printed for a fault, with the seed, repeat it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.torture.attempts import Tally
from benchmarks.torture.base import make_run
from benchmarks.torture.drawn_studies import KINDS as STUDY_KINDS
from benchmarks.torture.flips import datasets_digest, flip_checkpoint, flip_records
from benchmarks.torture.kills import Chain, kill_and_compare
from benchmarks.torture.mutations import targets
from benchmarks.torture.studies import look_at

KINDS = ("kills", "flips", "mutations", "studies")
SHOWN = 10
"""How many faults of a kind are printed."""

Once = Callable[[int], None]


def kills(folder: Path, run: Path, seed: int, tallies: dict[str, Tally]) -> Once:
    """Each call makes a chain of parts of one run."""
    study, out = folder / "small.toml", folder / "expected"
    del run
    done = Chain(study, out, random.Random(seed)).part(resume=False, killed=False)
    assert done.returncode == 0, done.stderr
    expected = datasets_digest(out)
    tally = tallies.setdefault("chains of kills", Tally())

    def once(number: int) -> None:
        rng, out = random.Random(f"{seed} kills {number}"), folder / f"killed-{number}"
        kill_and_compare(study, out, expected, rng, tally, f"chain {number}")

    return once


def flips(folder: Path, run: Path, seed: int, tallies: dict[str, Tally]) -> Once:
    """Each call damages one file of records and one checkpoint."""
    del folder
    records = tallies.setdefault("flips in records.h5", Tally())
    checkpoints = tallies.setdefault("flips in a checkpoint", Tally())

    def once(number: int) -> None:
        flip_records(run, random.Random(f"{seed} records {number}"), records, f"flip {number}")
        rng = random.Random(f"{seed} checkpoint {number}")
        flip_checkpoint(run, rng, checkpoints, f"flip {number}")

    return once


def mutations(folder: Path, run: Path, seed: int, tallies: dict[str, Tally]) -> Once:
    """Each call mutates one file of each kind."""
    found = targets(Path(__file__).parents[2], run, folder / "mutated")

    def once(number: int) -> None:
        for index, target in enumerate(found):
            tally = tallies.setdefault(f"mutated {target.kind}", Tally())
            target.once(random.Random(f"{seed} {index} {number}"), tally, f"mutation {number}")

    return once


def studies(folder: Path, run: Path, seed: int, tallies: dict[str, Tally]) -> Once:
    """Each call runs a random study of each kind in several ways."""
    del run

    def once(number: int) -> None:
        for kind in STUDY_KINDS:
            tally = tallies.setdefault(f"random studies of {kind}", Tally())
            look_at(kind, 10_000 * seed + number, folder, tally)

    return once


def numbers_until(last: float) -> Iterator[int]:
    """0, 1, … until it is `last` on the clock."""
    number = 0
    while time.monotonic() < last:
        yield number
        number += 1


def main() -> int:
    """Torture as the command line asks; return the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.torture", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0, help="for each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    options = parser.parse_args()
    tallies: dict[str, Tally] = {}
    with TemporaryDirectory(prefix="phasewise-torture-") as name:
        folder = Path(name)
        run = make_run(folder)
        for kind in options.only:
            once = globals()[kind](folder, run, options.seed, tallies)
            for number in numbers_until(time.monotonic() + options.seconds):
                once(number)
    if options.json:
        print(json.dumps({name: dict(tally.counts) for name, tally in tallies.items()}, indent=2))
    else:
        show(tallies)
    return int(any(tally.failed for tally in tallies.values()))


def show(tallies: dict[str, Tally]) -> None:
    """Print the counts, and the first faults of each kind."""
    for name, tally in tallies.items():
        counts = ", ".join(f"{count} {word}" for word, count in sorted(tally.counts.items()))
        print(f"{name}: {counts}")
        for fault in tally.faults[:SHOWN]:
            print(f"    {fault}")


if __name__ == "__main__":
    sys.exit(main())

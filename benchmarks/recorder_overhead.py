"""What the recorder of the communication costs: the same study with it and without it.

    .venv/bin/python -m benchmarks.recorder_overhead --ranks 2

Two simulations of the same study live in the same ranks, the second with
`records.communication = 0`. They take turns, and alternate in going first, so that a disturbance of
the machine meets both. The ratio is the median over the pairs of neighbouring turns.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Communicator, Core, Floats, Run, launched_size, load_core
from phasewise.mpi.launch import (
    find_mpiexec,
    mpiexec_options,
    rank_variables,
    this_machine,
    without_mpi,
)
from phasewise.mpi.ranks import together
from phasewise.options import count
from phasewise.output import print_json
from phasewise.study import Study
from phasewise.workloads.collision.bench import CollisionBench, collision_case

WARM_UP = 3
"""Pairs of turns that are not counted."""
LEVEL = 0.95
RESAMPLES = 4000


@dataclass(frozen=True)
class Overhead:
    """Median seconds per turn with and without the recorder, and the ratio of the two with its
    interval of level LEVEL.
    """

    on: float
    off: float
    ratio: float
    low: float
    high: float


def overhead(on: Floats, off: Floats) -> Overhead:
    """The overhead from the times (n,) [s] of turns, where on[k] and off[k] are neighbours.

    The interval is the bootstrap's by percentiles (Efron, Ann. Statist. 7 (1979) 1).
    """
    ratios = on / off
    drawn = np.random.default_rng(1).integers(len(ratios), size=(RESAMPLES, len(ratios)))
    edges = np.array([1 - LEVEL, 1 + LEVEL]) / 2
    low, high = np.quantile(np.median(ratios[drawn], axis=1), edges)
    with_it, without, ratio = (float(np.median(values)) for values in (on, off, ratios))
    return Overhead(with_it, without, ratio, float(low), float(high))


def timed_turn(driver: Run, comm: Communicator) -> float:
    """Seconds of a turn, from a common start until the last rank is done."""
    comm.barrier()
    start = time.perf_counter()
    driver.step()
    comm.barrier()
    return time.perf_counter() - start


def measure(core: Core, study: Study, threads: int, pairs: int) -> NDArray[np.float64]:
    """Times [s] of turns with the recorder and without it, (2, pairs)."""
    text = study.parameters()
    switched = (text + f"records.communication = {on}\n" for on in (1, 0))
    drivers = [core.start(given, threads) for given in switched]
    times = np.empty((2, pairs))
    for pair in range(-WARM_UP, pairs):
        for which in (0, 1) if pair % 2 else (1, 0):
            seconds = timed_turn(drivers[which], core)
            if pair >= 0:
                times[which, pair] = seconds
    return times


def relaunch(words: Sequence[str], ranks: int, threads: int) -> int:
    """Run this script in this many ranks; return its exit status."""
    path, open_mpi = find_mpiexec()
    machine = this_machine()
    launcher = [path, *mpiexec_options(machine, ranks, threads, open_mpi)]
    environment = without_mpi(os.environ) | rank_variables(machine, ranks, threads)
    command = [*launcher, sys.executable, "-m", "benchmarks.recorder_overhead", *words]
    return subprocess.run(command, env=environment, check=False).returncode


def show(found: Overhead, options: argparse.Namespace, ranks: int) -> None:
    """Print one JSON object, or three lines."""
    record = vars(found) | {"case": options.case, "ranks": ranks, "pairs": options.pairs}
    if options.json:
        print_json(record)
        return
    print(f"{options.case}, {ranks} ranks, {options.pairs} pairs of turns")
    print(f"with the recorder {found.on:.4g} s per turn, without {found.off:.4g} s")
    print(f"ratio {found.ratio:.4f} ({100 * LEVEL:.0f} %: {found.low:.4f} to {found.high:.4f})")


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="What the recorder of the communication costs.")
    parser.add_argument(
        "--case", choices=CollisionBench.CASES, default="small", help="problem size"
    )
    parser.add_argument("--ranks", type=count, default=2, metavar="N")
    parser.add_argument("--threads", type=count, default=1, metavar="T")
    parser.add_argument("--pairs", type=count, default=40, metavar="K", help="turns of either")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    """Start the ranks, or be one of them."""
    options = parse(words)
    if options.ranks > 1 and launched_size() == 0:
        return relaunch(words, options.ranks, options.threads)
    core = load_core()

    def here() -> int:
        study = Study.from_dict(collision_case(options.case))
        times = measure(core, study, options.threads, options.pairs)
        if core.rank() == 0:
            show(overhead(*times), options, core.size())
        return 0

    return together(core, here, options.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`python -m benchmarks.blast_wave_peer`: Woodward's and Colella's blast waves by phasewise and by
Clawpack's two solvers, on one core: CPU time at equal error of the density.

All codes compute N x 64 square zones to t = 0.038, in turns. The error is the mean of
|density - reference| along x, where the reference is a run of phasewise with 6400 zones in one
dimension. A code's time at an error lies on straight lines between its runs, in the logarithms.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peer_environment import HERE, interpreter_of
from phasewise import Simulation
from phasewise.errors import PhasewiseError, RunError
from phasewise.options import count
from phasewise.output import message, print_json, print_table
from phasewise.study import Study

OWN = "phasewise"
PEERS = ("classic", "SharpClaw")
ACROSS, UNTIL = 64, 0.038
ZONES = (200, 400, 800)
REFERENCE = 6400

Densities = NDArray[np.float64]


def study(zones: Sequence[int]) -> Study:
    """The blast waves; StudyError if they cannot be run."""
    return Study.from_dict(
        {
            "workload": "hydro",
            "timesteps": 10**6,
            "hydro": {"problem": "blast-waves", "zones": list(zones), "until": UNTIL},
        }
    )


def own_run(zones: Sequence[int]) -> tuple[float, Densities]:
    """CPU seconds of a run, and its densities along x, the mean over y."""
    simulation = Simulation(study(zones))
    begin = time.process_time()
    simulation.run()
    seconds = time.process_time() - begin
    density = np.asarray(simulation.field("density"))
    return seconds, density.reshape(zones[0], -1).mean(axis=1)


class Clawpack:
    """Clawpack in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "clawpack.log"
        needs = "gcc, gfortran, some 17 minutes to compile, and PyPI within reach"
        self._process = subprocess.Popen(
            [
                str(interpreter_of("clawpack", "Clawpack", needs)),
                str(HERE / "blast_wave_peer_worker.py"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log.open("w"),
            cwd=folder,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            text=True,
        )

    def run(self, solver: str, along: int) -> tuple[float, Densities]:
        """CPU seconds of a run, and its densities along x; RunError if it failed."""
        case = {"solver": solver, "along": along, "across": ACROSS, "until": UNTIL}
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(case) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("{"):
                answer = json.loads(line)
                return float(answer["seconds"]), np.asarray(answer["density"])
        lines = self._log.read_text().strip().splitlines() or ["no message"]
        raise RunError(f"Clawpack ended before it answered: {lines[-1]}")

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def error_of(density: Densities, reference: Densities) -> float:
    """The mean of the difference from the reference, whose zones are averaged."""
    means = reference.reshape(len(density), -1).mean(axis=1)
    return float(np.abs(density - means).mean())


def seconds_at(error: float, runs: Sequence[dict[str, Any]]) -> float:
    """A code's seconds at an error; NaN outside of the errors of its runs."""
    ordered = sorted(runs, key=lambda run: float(run["error"]))
    errors, seconds = ([float(run[key]) for run in ordered] for key in ("error", "seconds"))
    if not errors[0] <= error <= errors[-1]:
        return float("nan")
    return float(np.exp(np.interp(np.log(error), np.log(errors), np.log(seconds))))


def compare(zones: Sequence[int], repeat: int, folder: Path) -> list[dict[str, Any]]:
    """Error and median CPU seconds of each code with each number of zones."""
    message(f"the reference, {REFERENCE} zones in one dimension")
    reference = own_run([REFERENCE])[1]
    clawpack = Clawpack(folder)
    try:
        result = []
        for along in zones:
            times: dict[str, list[float]] = {name: [] for name in (OWN, *PEERS)}
            errors: dict[str, float] = {}
            for _ in range(repeat):
                for name in times:
                    found = own_run([along, ACROSS]) if name == OWN else clawpack.run(name, along)
                    times[name].append(found[0])
                    errors[name] = error_of(found[1], reference)
            result += [
                {
                    "code": name,
                    "zones": [along, ACROSS],
                    "error": errors[name],
                    "seconds": statistics.median(times[name]),
                }
                for name in times
            ]
        return result
    finally:
        clawpack.close()


def at_equal_errors(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For the errors of each run of phasewise and of the peers: seconds of all codes, and how many
    times as long the faster peer takes, where phasewise and a peer reach the error.
    """
    of_code = {name: [run for run in runs if run["code"] == name] for name in (OWN, *PEERS)}
    result = []
    for error in sorted({float(run["error"]) for run in runs}, reverse=True):
        seconds = {name: seconds_at(error, of_code[name]) for name in of_code}
        peers = [seconds[name] for name in PEERS if not np.isnan(seconds[name])]
        if peers and not np.isnan(seconds[OWN]):
            ratio = min(peers) / seconds[OWN]
            result.append({"error": error, "seconds": seconds, "peer_over_own": ratio})
    return result


def show(runs: Sequence[dict[str, Any]], equal: Sequence[dict[str, Any]]) -> None:
    """Print both tables."""
    print_table(
        "Blast waves to t = 0.038, one core",
        ["code", "zones", "L1 of the density", "CPU s"],
        [
            (run["code"], f"{run['zones'][0]} x {run['zones'][1]}", f"{run['error']:.4f}",
             f"{run['seconds']:.2f}")
            for run in runs
        ],
    )  # fmt: skip
    print_table(
        "At equal error",
        ["L1 of the density", *(f"{name}, CPU s" for name in (OWN, *PEERS)), "faster peer / own"],
        [
            (f"{row['error']:.4f}", *(f"{row['seconds'][name]:.2f}" for name in (OWN, *PEERS)),
             f"{row['peer_over_own']:.2f}")
            for row in equal
        ],
    )  # fmt: skip


def main() -> int:
    """Compare the codes; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=count, default=3, metavar="K", help="runs of each code")
    parser.add_argument("--quick", action="store_true", help="without the finest grid, one run")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    zones, repeat = (ZONES[:-1], 1) if options.quick else (ZONES, options.repeat)
    try:
        with tempfile.TemporaryDirectory() as folder:
            runs = compare(zones, repeat, Path(folder))
    except PhasewiseError as error:
        message(str(error))
        return error.exit_status
    equal = at_equal_errors(runs)
    if options.json:
        print_json({"runs": runs, "equal": equal})
    else:
        show(runs, equal)
    return 0


if __name__ == "__main__":
    sys.exit(main())

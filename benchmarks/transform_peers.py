"""`python -m benchmarks.transform_peers`: spherical transforms of phasewise, ducc0 and SHTns, side
by side on one core. The codes take turns, again and again, so that all meet the same disturbances.
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
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peer_environment import HERE, interpreter_of
from phasewise.errors import PhasewiseError, RunError
from phasewise.output import print_json, print_table
from phasewise.workloads.sphere import SphericalTransform

PEERS = ("ducc0", "SHTns")
CASES = [(truncation, levels) for truncation in (42, 85, 170, 340) for levels in (1, 18)]
AGREEMENT = 1e-10
"""Largest relative difference between the fields of two codes before anything is timed."""


def peers_python() -> Path:
    """The interpreter of the peers' environment, which is first made if it is missing."""
    needs = "gcc, libfftw3-dev, and PyPI within reach"
    return interpreter_of("transforms", "ducc0 and SHTns", needs)


class Peers:
    """The peers in their own process, on one thread."""

    def __init__(self, case: dict[str, Any]) -> None:
        self._field = Path(case["field"])
        self._log = self._field.with_name("peers.log")
        self._process = subprocess.Popen(
            [str(peers_python()), str(HERE / "transform_peers_worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log.open("w"),
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            text=True,
        )
        self._say(json.dumps(case))

    def turn(self, name: str) -> tuple[float, NDArray[np.float64]]:
        """CPU seconds of a transform there and back, and the field."""
        self._say(name)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                answer = json.loads(line)
                if answer["error"] > AGREEMENT:
                    raise RunError(f"what comes back from {name} is off by {answer['error']:.2g}")
                return float(answer["seconds"]), np.load(self._field)
        lines = self._log.read_text().strip().splitlines() or ["no message"]
        raise RunError(f"{name} ended before it answered: {lines[-1]}")

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # the missing answer tells why
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()


def compare(truncation: int, levels: int, repeat: int, folder: Path) -> dict[str, Any]:
    """Median CPU seconds of a transform there and back for one field, of each code. The peers
    transform one field at a time.
    """
    transform = SphericalTransform(truncation, levels)
    count = len(transform.degrees)
    random = np.random.default_rng(1).normal(size=(2, levels, count))
    given = random[0] + 1j * np.where(transform.orders > 0, random[1], 0.0)
    np.save(folder / "coefficients.npy", given[0])
    peers = Peers(
        {
            "truncation": truncation,
            "latitudes": len(transform.sines),
            "longitudes": transform.shape[-1],
            "coefficients": str(folder / "coefficients.npy"),
            "field": str(folder / "field.npy"),
        }
    )

    def ours() -> tuple[float, NDArray[np.float64]]:
        begin = time.process_time()
        field = transform.synthesise(given)
        transform.analyse(field)
        seconds = time.process_time() - begin
        return seconds / levels, field.reshape(levels, *transform.shape[-2:])[0]

    times: dict[str, list[float]] = {name: [] for name in ("phasewise", *PEERS)}
    with closing(peers):
        _, own = ours()
        for name in PEERS:
            _check(name, peers.turn(name)[1], own)
        for _ in range(repeat):
            times["phasewise"].append(ours()[0])
            for name in PEERS:
                times[name].append(peers.turn(name)[0])
    medians = {name: statistics.median(seconds) for name, seconds in times.items()}
    fastest = min(medians[name] for name in PEERS)
    return {
        "truncation": truncation,
        "levels": levels,
        "seconds": medians,
        "over_faster_peer": medians["phasewise"] / fastest,
    }


def _check(name: str, field: NDArray[np.float64], own: NDArray[np.float64]) -> None:
    difference = float(np.abs(field - own).max() / np.abs(own).max())
    if difference > AGREEMENT:
        raise RunError(f"the fields of {name} and phasewise differ by {difference:.2g}")


def main() -> int:
    """Compare all cases; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="turns of each code")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            points = [compare(*case, options.repeat, Path(folder)) for case in CASES]
    except PhasewiseError as error:
        print(f"phasewise: {error}", file=sys.stderr)
        return error.exit_status
    load = os.getloadavg()[0]
    if options.json:
        print_json({"load": load, "points": points})
        return 0
    rows = [
        [f"T{point['truncation']}", str(point["levels"]),
         *(f"{1e3 * point['seconds'][name]:.3f}" for name in ("phasewise", *PEERS)),
         f"{point['over_faster_peer']:.2f}"]
        for point in points
    ]  # fmt: skip
    heads = ["", "levels", *(f"{name}, ms" for name in ("phasewise", *PEERS)), "over faster peer"]
    print_table(f"a scalar there and back, CPU time a field, load {load:.1f}", heads, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

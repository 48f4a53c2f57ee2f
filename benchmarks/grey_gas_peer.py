"""`python -m benchmarks.grey_gas_peer`: long wave radiation of one grey band by phasewise and by
`GreyGas` of climlab 0.9.2 (NumPy), for the same columns, on one core. The codes take turns, so that
all meet the same disturbances, and their fluxes must agree before a time counts.

phasewise computes the transmissivities from absorbers in every call; climlab keeps matrices of them
as long as they do not change, and a timestep of a model in which vapour moves makes them anew. The
times are CPU seconds of one call, with its arrays of results.
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
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peer_environment import HERE, interpreter_of
from phasewise.errors import PhasewiseError, RunError
from phasewise.options import count
from phasewise.output import print_json, print_table
from phasewise.workloads.atmosphere import radiation

AGREEMENT = 1e-12
"""Largest difference between the fluxes of both, over the largest flux."""
OF_PEER = {"climlab, fluxes": "fluxes", "climlab, compute": "step"}
WITH_MATRICES = "climlab, fluxes of new absorbers"

Floats = NDArray[np.float64]


def columns_of(columns: int, levels: int) -> dict[str, Floats]:
    """Columns with temperatures and absorptivities without any order."""
    rng = np.random.default_rng(26)
    return {
        "temperature": rng.uniform(200.0, 300.0, (columns, levels)),
        "surface_temperature": rng.uniform(250.0, 300.0, columns),
        "absorptivity": rng.uniform(0.01, 0.3, (columns, levels)),
    }


class Own:
    """phasewise: vapour that has the absorptivities."""

    def __init__(self, given: dict[str, Floats]) -> None:
        self._temperature = given["temperature"]
        self._surface = given["surface_temperature"]
        mass = radiation.layer_mass(self._temperature.shape[1])
        self._vapour = -np.log1p(-given["absorptivity"]) / (1.5 * mass)
        self._bands = [radiation.LongWaveBand(share=1.0, vapour=1.0)]

    def turn(self, kernel: str) -> tuple[float, radiation.Fluxes]:
        """CPU seconds, and the fluxes."""
        begin = time.process_time()
        found = radiation.long_wave(
            self._temperature, self._surface, self._vapour, bands=self._bands, kernel=kernel
        )
        return time.process_time() - begin, found


class Climlab:
    """climlab in a process of its own."""

    def __init__(self, given: dict[str, Floats], folder: Path) -> None:
        python = interpreter_of("climlab", "climlab", "PyPI within reach")
        self._fluxes = folder / "fluxes.npz"
        np.savez(folder / "columns.npz", **given)  # type: ignore[arg-type]
        self._process = subprocess.Popen(
            [str(python), str(HERE / "grey_gas_peer_worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            text=True,
        )
        self._say(json.dumps({"columns": str(folder / "columns.npz"), "fluxes": str(self._fluxes)}))

    def turn(self) -> tuple[dict[str, float], Floats, Floats]:
        """CPU seconds of its calls, and the fluxes up and down."""
        self._say("turn")
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RunError(f"climlab ended with status {self._process.wait()}")
        with np.load(self._fluxes) as found:
            return json.loads(line), found["up"], found["down"]

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()


def check(found: radiation.Fluxes, up: Floats, down: Floats) -> None:
    """RunError if the fluxes of both differ."""
    for own, peer in ((found.up, up), (found.down, down)):
        if not np.abs(own - peer).max() <= AGREEMENT * np.abs(peer).max():
            raise RunError("the fluxes of phasewise and climlab differ")


def compare(columns: int, levels: int, repeat: int) -> dict[str, Any]:
    """Median CPU nanoseconds of a column by each."""
    given = columns_of(columns, levels)
    own = Own(given)
    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        peer = Climlab(given, Path(folder))
        try:
            for turn in range(repeat + 1):
                of_peer, up, down = peer.turn()
                times = {name: of_peer[call] for name, call in OF_PEER.items()}
                times[WITH_MATRICES] = of_peer["fluxes"] + of_peer["matrices"]
                for kernel in (radiation.FAST, radiation.PLAIN):
                    # The first call brings back what the other process took of the caches.
                    own.turn(kernel)
                    times[f"phasewise, {kernel}"], found = own.turn(kernel)
                    check(found, up, down)
                if turn > 0:
                    for name, one in times.items():
                        seconds.setdefault(name, []).append(one)
        finally:
            peer.close()
    each = {name: 1e9 * statistics.median(one) / columns for name, one in seconds.items()}
    fastest = each["phasewise, fast"]
    return {
        "columns": columns,
        "levels": levels,
        "nanoseconds_per_column": each,
        "times_as_long": {name: one / fastest for name, one in each.items()},
    }


def main() -> int:
    """Compare; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeat", type=count, default=9, metavar="N", help="turns of each code")
    parser.add_argument("--columns", type=count, default=8192, metavar="N")
    options = parser.parse_args()
    try:
        found = compare(options.columns, 26, options.repeat)
    except PhasewiseError as error:
        print(f"phasewise: {error}", file=sys.stderr)
        return error.exit_status
    found["load"] = os.getloadavg()[0]
    if options.json:
        print_json(found)
        return 0
    rows = [
        [name, f"{each:.0f}", f"{found['times_as_long'][name]:.1f}"]
        for name, each in found["nanoseconds_per_column"].items()
    ]
    title = f"Long wave of one band, {found['columns']} columns of {found['levels']} levels"
    print_table(title, ["", "ns a column", "times as long"], rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`python -m benchmarks.veros_peer`: a timestep of an ocean beside one of Veros 1.7.0, on one core.
The codes take turns, so that all meet the same disturbances.

All compute the same ocean, which is all of sea, with the same Δt, and the same terms as far as
Veros can switch its own off (veros_peer_worker.py says which). phasewise has third-order upwind
advection or centred one; Veros has centred one, on a C-grid. What is compared is the wall-clock
time of a whole timestep for a cell, but for the solve for the surface, which the two do to
different residuals. Of phasewise the kernels and phases of the solver are left out; what it does
between them counts. phasewise measures its records too: sums of volume, energy, temperature and
salinity.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any, cast

from benchmarks.peer_environment import HERE, interpreter_of
from phasewise.driver import load_core
from phasewise.errors import PhasewiseError, RunError
from phasewise.options import count
from phasewise.output import print_json, print_table
from phasewise.study import Study
from phasewise.workloads.ocean.kernels import OF_SOLVER, SOLVER

EXCHANGES = tuple(name for name in OF_SOLVER if name not in SOLVER)
"""The phases of the solver."""
BACKENDS = ("numpy", "jax")
LATITUDE = 60.0
"""Of the walls in the south and the north [deg]."""
KEYS = {
    "timestep": 1200.0, "viscosity": 2.0e4, "diffusivity": 2.0e3, "vertical_viscosity": 1e-3,
    "vertical_diffusivity": 1e-4, "drag": 4e-4, "wind": 0.1, "wind_profile": "trades",
}  # fmt: skip


def study(grid: list[int], advection: str) -> Study:
    """The ocean; StudyError if it cannot be run."""
    return Study.from_dict(
        {
            "workload": "ocean",
            "timesteps": 10**6,
            "ocean": {
                **KEYS, "grid": grid, "mask": "none", "latitudes": [-LATITUDE, LATITUDE],
                "advection": advection,
            },
        }
    )  # fmt: skip


class Own:
    """phasewise on one core."""

    def __init__(self, of: Study) -> None:
        self._run = load_core().start(of.parameters(), 1)

    def turn(self, timesteps: int) -> dict[str, float]:
        """Mean seconds of a timestep, and of its solve."""
        before, start = self._of_solver(), time.perf_counter()
        for _ in range(timesteps):
            self._run.step()
        seconds = time.perf_counter() - start
        solve = self._of_solver() - before
        return {"timestep": seconds / timesteps, "solve": solve / timesteps}

    def _of_solver(self) -> float:
        """Seconds of the solver's kernels and phases so far."""
        kernels, phases = self._run.kernels(), self._run.phases()
        of_kernels = sum(float(one["seconds"]) for one in kernels if one["name"] in SOLVER)
        return of_kernels + sum(float(one["seconds"]) for one in phases if one["name"] in EXCHANGES)


class Veros:
    """Veros in a process of its own."""

    def __init__(self, of: Study, backend: str) -> None:
        model = cast(Any, of.model)
        nx, ny, _ = model.size
        given = {
            **{name: value for name, value in KEYS.items() if not isinstance(value, str)},
            "grid": list(model.size), "south": -LATITUDE, "dx": 360.0 / nx,
            "dy": 2 * LATITUDE / ny, "thicknesses": list(model.thicknesses),
            "drag": KEYS["drag"] / model.thicknesses[-1],
        }  # fmt: skip
        python = interpreter_of("veros", "Veros", "PyPI within reach")
        settings = {
            "VEROS_BACKEND": backend,
            "VEROS_FLOAT_TYPE": "float64",
            "VEROS_DISKLESS_MODE": "true",
            "VEROS_LINEAR_SOLVER": "scipy",
            "VEROS_LOGLEVEL": "error",
            "OMP_NUM_THREADS": "1",
            "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
        }
        self._process = subprocess.Popen(
            [str(python), str(HERE / "veros_peer_worker.py"), json.dumps(given)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | settings,
            text=True,
        )

    def turn(self, timesteps: int) -> dict[str, float]:
        """Mean seconds of a timestep, and of its solve."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{timesteps}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RunError(f"Veros ended with status {self._process.wait()}")
        return dict(json.loads(line))

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def compare(options: argparse.Namespace) -> dict[str, Any]:
    """Nanoseconds of a cell and timestep without the solve, and the solve's share, of each code."""
    studies = {way: study(options.grid, way) for way in ("upwind", "centred")}
    codes: dict[str, Own | Veros] = {f"phasewise, {way}": Own(of) for way, of in studies.items()}
    peers = {f"Veros with {name}": Veros(studies["centred"], name) for name in options.backends}
    codes |= peers
    turns: dict[str, list[dict[str, float]]] = {name: [] for name in codes}
    for repeat in range(options.repeat + 1):
        for name, code in codes.items():
            found = code.turn(options.timesteps)
            if repeat:  # the first turn compiles and touches memory
                turns[name].append(found)
    for peer in peers.values():
        peer.close()
    cells = options.grid[0] * options.grid[1] * options.grid[2]
    return {
        "grid": options.grid,
        "load": os.getloadavg()[0],
        "nanoseconds": {
            name: 1e9 / cells * statistics.median(one["timestep"] - one["solve"] for one in found)
            for name, found in turns.items()
        },
        "solve_seconds": {
            name: statistics.median(one["solve"] for one in found) for name, found in turns.items()
        },
    }


def main() -> int:
    """Compare all codes; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grid", type=int, nargs=3, default=[240, 120, 40], metavar="N")
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=list(BACKENDS))
    parser.add_argument("--timesteps", type=count, default=3, metavar="T", help="of a turn")
    parser.add_argument("--repeat", type=count, default=5, metavar="K", help="turns of each code")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    try:
        found = compare(options)
    except PhasewiseError as error:
        print(f"phasewise: {error}", file=sys.stderr)
        return error.exit_status
    if options.json:
        print_json(found)
        return 0
    own = found["nanoseconds"]["phasewise, upwind"]
    rows = [
        [name, f"{each:.1f}", f"{each / own:.2f}", f"{1e3 * found['solve_seconds'][name]:.0f}"]
        for name, each in found["nanoseconds"].items()
    ]
    size = " × ".join(map(str, options.grid))
    title = f"a timestep of {size} cells without the solve, load {found['load']:.1f}"
    print_table(title, ["", "ns a cell", "over phasewise", "ms a solve"], rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`python -m benchmarks.mesh_solves`: CPU time of the open-boundary solve of a mesh, by FFTW row by
row and by transforms of several rows at once, which take turns. What both find must agree first.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np

from phasewise import _core
from phasewise.errors import RunError
from phasewise.options import count
from phasewise.output import print_json, print_table

TRANSFORMS = ("fftw", "lanes")
CELL = 1e-6
"""m, along both axes."""
TIMES = 5
"""Solves of a turn, so that a clock's step does not count."""
AGREEMENT = 1e-15
"""Largest rms difference over the rms potential."""


def main() -> None:
    """Time all sizes and show them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grid", type=count, nargs="+", default=[64, 128, 256], metavar="N")
    parser.add_argument("--repeat", type=count, default=40, metavar="TURNS")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = [timed(n, options.repeat) for n in options.grid]
    if options.json:
        print_json({"solves": results})
        return
    columns = ["mesh", "FFTW [µs]", "lanes [µs]", "ratio", "shifted windows", "ratio"]
    print_table("CPU time of a solve", columns, [row_of(result) for result in results])


def timed(n: int, turns: int) -> dict[str, Any]:
    """Seconds of a solve by each of the transforms, without a shift and with one."""
    result: dict[str, Any] = {"mesh": [n, n]}
    for name, shift in (("same", 0), ("shifted", n // 4)):
        charge = np.random.default_rng(n).uniform(size=(n, n))
        solvers = {
            by: _core.MeshSolver(n, n, CELL, CELL, shift, 0, transforms=by) for by in TRANSFORMS
        }
        for solver in solvers.values():
            solver.solve(charge)
        potentials = [solver.potential() for solver in solvers.values()]
        difference = np.sqrt(np.mean((potentials[0] - potentials[1]) ** 2))
        if not difference < AGREEMENT * np.sqrt(np.mean(potentials[0] ** 2)):
            raise RunError(f"the potentials of both transforms differ on {n} x {n} nodes")
        seconds: dict[str, list[float]] = {by: [] for by in TRANSFORMS}
        for _ in range(turns):
            for by, solver in solvers.items():
                start = time.thread_time()
                solver.solve(charge, TIMES)
                seconds[by].append((time.thread_time() - start) / TIMES)
        result[name] = {by: statistics.median(found) for by, found in seconds.items()}
    return result


def row_of(result: dict[str, Any]) -> list[str]:
    cells = [" x ".join(map(str, result["mesh"]))]
    same, shifted = result["same"], result["shifted"]
    cells += [f"{1e6 * same[by]:.1f}" for by in TRANSFORMS]
    cells.append(f"{same['lanes'] / same['fftw']:.3f}")
    cells.append(f"{1e6 * shifted['lanes']:.1f}")
    cells.append(f"{shifted['lanes'] / shifted['fftw']:.3f}")
    return cells


if __name__ == "__main__":
    main()

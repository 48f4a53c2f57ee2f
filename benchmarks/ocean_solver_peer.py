"""`python -m benchmarks.ocean_solver_peer`: the surface of an ocean by phasewise and by PETSc, side
by side on one core. The codes take turns, again and again, so that all meet the same disturbances.

PETSc is that of Debian's package python3-petsc4py, run by the system's own Python. The times leave
out what either code prepares before its first solve: benchmarks/README.md says what that is.
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

from benchmarks.ocean_surface import operator, right_side, sparse
from benchmarks.peer_environment import HERE
from phasewise.errors import PhasewiseError, RunError
from phasewise.options import count
from phasewise.output import print_json, print_table
from phasewise.study import Study
from phasewise.workloads.ocean import NinePoint
from phasewise.workloads.ocean.driver import map_of
from phasewise.workloads.ocean.model import model_of

SYSTEM_PYTHON = Path("/usr/bin/python3")
TOLERANCE = 1e-13
AGREEMENT = 1e-8
"""Largest difference between the surfaces of two codes, over the largest value, at the tolerance
and after equal iterations of one method alike.
"""
ITERATIONS = 50
"""Where single iterations are timed."""

TIMESTEPS = {"x4tenths": 600.0, "tenth": 150.0}
"""Of each grid [s]."""
OWN: dict[str, dict[str, Any]] = {
    "pcsi, evp": {"solver": "pcsi", "preconditioner": "evp"},
    "pcsi, diagonal": {"solver": "pcsi", "preconditioner": "diagonal"},
    "pcg, evp": {"solver": "pcg", "preconditioner": "evp"},
    "chrongear, diagonal": {"solver": "chrongear", "preconditioner": "diagonal"},
}
PEERS = {"PETSc cg, jacobi": "jacobi", "PETSc cg, icc": "icc", "PETSc cg, gamg": "gamg"}
ALIKE = ("chrongear, diagonal", "PETSc cg, jacobi")
"""Those that have the same surface after equal iterations."""

Floats = NDArray[np.float64]


def depths_of(grid: str) -> Floats:
    """Depths of the cells [m] of a study's own continents."""
    ocean = {"grid": grid, "baroclinic": False}
    study = Study.from_dict({"workload": "ocean", "timesteps": 1, "ocean": ocean})
    below = np.concatenate([[0.0], np.cumsum(model_of(study).thicknesses)])
    return np.asarray(below[map_of(study.parameters(), 1).levels], dtype=np.float64)


class Petsc:
    """PETSc in a process of its own, with a matrix of the sea's cells."""

    def __init__(self, folder: Path, case: dict[str, Any]) -> None:
        self._solution = folder / "solution.npy"
        self._log = folder / "petsc.log"
        self._process = subprocess.Popen(
            [str(SYSTEM_PYTHON), str(HERE / "ocean_solver_peer_worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log.open("w"),
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            text=True,
        )
        self._say(json.dumps(case | {"solution": str(self._solution)}))

    def turn(self, preconditioner: str) -> tuple[float, int, Floats]:
        """CPU seconds of a solve, its iterations, and the solution of the sea's cells."""
        self._say(preconditioner)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                answer = json.loads(line)
                return answer["seconds"], answer["iterations"], np.load(self._solution)
        lines = self._log.read_text().strip().splitlines() or ["no message"]
        raise RunError(
            f"PETSc ended before it answered: {lines[-1]}; it needs Debian's package "
            "python3-petsc4py"
        )

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


def check_surface(name: str, x: Floats, other: str, expected: Floats) -> None:
    """RunError if the surfaces of two codes differ."""
    if not np.abs(x - expected).max() <= AGREEMENT * np.abs(expected).max():  # nor if it has NaN
        raise RunError(f"the surface of {name} differs from that of {other}")


def compare(grid: str, iterations: int, repeat: int, folder: Path) -> dict[str, Any]:
    """Median CPU seconds and iterations of a solve by each code: to TOLERANCE, or with a fixed
    number of iterations of conjugate gradients with the diagonal.
    """
    coefficients, sea = operator(depths_of(grid), TIMESTEPS[grid])
    b = right_side(sea)
    wet = np.flatnonzero(sea)
    matrix = sparse(coefficients)[wet][:, wet].tocsr()
    matrix.sort_indices()
    np.savez(folder / "matrix.npz", at=matrix.indptr, columns=matrix.indices, values=matrix.data,
             b=b.ravel()[wet])  # fmt: skip
    surface = {name: NinePoint(coefficients, sea, periodic_x=True) for name in OWN}
    fixed = {"iterations": iterations} if iterations else {"tolerance": TOLERANCE}

    def ours(name: str) -> tuple[float, int, Floats]:
        found = surface[name].solve(b, **OWN[name], **fixed)
        return found.processor_seconds, found.iterations, found.solution.ravel()[wet]

    case = {"matrix": str(folder / "matrix.npz"), "tolerance": TOLERANCE, "iterations": iterations}
    names = list(ALIKE) if iterations else [*OWN, *PEERS]
    seconds: dict[str, list[float]] = {name: [] for name in names}
    counts: dict[str, int] = {}
    with closing(Petsc(folder, case)) as peer:
        expected: Floats | None = None
        for turn in range(repeat + 1):
            for name in names:
                own = name in OWN
                taken, counts[name], x = ours(name) if own else peer.turn(PEERS[name])
                expected = x if expected is None else expected
                check_surface(name, x, names[0], expected)
                if iterations and counts[name] != iterations:
                    raise RunError(f"{name} took {counts[name]} iterations, not {iterations}")
                if turn > 0:
                    seconds[name].append(taken)
    return {
        "grid": grid,
        "sea": len(wet),
        "iterations": counts,
        "seconds": {name: statistics.median(taken) for name, taken in seconds.items()},
    }


def main() -> int:
    """Compare solves, and iterations; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeat", type=count, default=5, metavar="N", help="turns of each code")
    parser.add_argument("--case", choices=("solves", "iterations"), help="one of both alone")
    options = parser.parse_args()
    cases = {"solves": ("x4tenths", 0), "iterations": ("tenth", ITERATIONS)}
    points: list[dict[str, Any]] = []
    began = time.monotonic()
    try:
        for name, case in cases.items():
            if options.case in (None, name):
                with tempfile.TemporaryDirectory() as folder:
                    points.append(compare(*case, options.repeat, Path(folder)))
    except PhasewiseError as error:
        print(f"phasewise: {error}", file=sys.stderr)
        return error.exit_status
    if options.json:
        print_json({"load": os.getloadavg()[0], "points": points})
        return 0
    for point in points:
        jacobi = point["seconds"]["PETSc cg, jacobi"]
        rows = [
            [name, str(point["iterations"][name]), f"{1e3 * taken:.1f}",
             f"{1e3 * taken / point['iterations'][name]:.3f}", f"{jacobi / taken:.2f}"]
            for name, taken in point["seconds"].items()
        ]  # fmt: skip
        heads = ["", "iterations", "ms", "ms an iteration", "times as fast as jacobi"]
        title = f"{point['grid']}, {point['sea']} cells of sea, {time.monotonic() - began:.0f} s"
        print_table(title, heads, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Space charge of phasewise and of xfields side by side, on the same particles.

    .venv/bin/python -m benchmarks.compare_space_charge            # 10^6 particles, 64 x 64 x 128
    .venv/bin/python -m benchmarks.compare_space_charge --grid 128,128,128

A turn is a drift with a kick in its middle, on a fixed mesh with the integrated Green function and
the longitudinal kick, on one thread. Both codes take turns, so that both meet the same
disturbances. Before anything is timed, the kicks of one turn are compared particle by particle.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.comparison import Floats, Timing, agreement, check_agreement
from benchmarks.xfields_environment import Worker
from phasewise.driver import load_core
from phasewise.errors import PhasewiseError
from phasewise.options import counts
from phasewise.output import message, print_json, print_table
from phasewise.study import Study

WARM_UP_TURNS = 2
COORDINATES = ("x", "px", "y", "py", "z", "delta")
LENGTH = 0.6
"""Length of the drift [m]."""


def study(particles: int, grid: Sequence[int]) -> Study:
    """A round Gaussian bunch of protons of 0.8 GeV, all within the mesh."""
    size, bunch_length = 2e-3, 0.5
    return Study.from_dict(
        {
            "workload": "spacecharge",
            "turns": 1000,
            "bunch": {
                "particle": "proton",
                "kinetic_energy": 0.8e9,
                "bunch_population": 1e11,
                "macroparticles": particles,
                "geometric_emittance": [1e-7, 1e-7],
                "size": [size, size],
                "bunch_length": bunch_length,
                "cut": 4.0,
            },
            "lattice": {"element": [{"kind": "drift", "length": LENGTH}]},
            "solver": {
                "kicks": 1,
                "grid": list(grid),
                "mesh": "fixed",
                "mesh_half_width": [5 * size, 5 * size, 5 * bunch_length],
            },
        }
    )


class Side:
    """phasewise in this process, on one thread."""

    def __init__(self, of: Study) -> None:
        self.run = load_core().start(of.parameters(), 1)

    def particles(self) -> dict[str, Floats]:
        """Coordinates by number; z is given as `zeta`, which it equals if delta is 0."""
        columns: Any = self.run.particles()  # type: ignore[attr-defined]
        order = np.argsort(columns["id"])
        return {
            "zeta" if name == "z" else name: np.array(columns[name])[order] for name in COORDINATES
        }

    def turn(self) -> Timing:
        """One turn."""
        wall, processor = time.perf_counter(), time.process_time()
        self.run.step()
        return Timing(time.perf_counter() - wall, time.process_time() - processor)

    def kick(self) -> dict[str, Floats]:
        """Changes of the momenta in a turn, by number."""
        before = self.particles()
        self.run.step()
        after = self.particles()
        return {name: after[name] - before[name] for name in ("px", "py", "delta")}


def compare(of: Study, repeat: int, folder: Path, native: bool) -> dict[str, Any]:
    """Seconds of both sides' turns, and how far their kicks agree."""
    model = of.model
    side = Side(of)
    arrays: dict[str, Any] = {**side.particles()}
    np.savez(folder / "particles.npz", **arrays)
    case = {
        "mass": model.bunch.mass,
        "energy": model.bunch.energy,
        "bunch_population": model.bunch.bunch_population,
        "half_width": model.solver.mesh_half_width,
        "grid": model.solver.grid,
        "length": LENGTH,
    }
    work = {"particles": str(folder / "particles.npz"), "kicks": str(folder / "kicks.npz")}
    worker = Worker(work | {"case": case}, folder, native, "xfields_box_worker.py")
    try:
        worker.kick("box")
        reference = dict(np.load(folder / "kicks.npz"))
        kicks = Side(of).kick()
        transverse = agreement(kicks, {name: reference[name] for name in ("px", "py")})
        check_agreement("transverse kicks", transverse)
        pairs = [(worker.turn("box"), side.turn()) for _ in range(WARM_UP_TURNS + repeat)]
    finally:
        worker.close()
    theirs, ours = zip(*pairs[WARM_UP_TURNS:], strict=True)
    found: dict[str, Any] = {"agreement": transverse}
    along = reference["delta"]
    found["longitudinal"] = float(kicks["delta"] @ along / (along @ along))
    for name, timings in (("xfields", theirs), ("phasewise", ours)):
        found[name] = {
            key: statistics.median(asdict(timing)[key] for timing in timings)
            for key in ("seconds", "processor_seconds")
        }
    quotients = [a.seconds / b.seconds for a, b in zip(theirs, ours, strict=True)]
    return found | {"faster": statistics.median(quotients)}


def main(words: Sequence[str]) -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--particles", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--grid", type=counts, default=(64, 64, 128), metavar="NX,NY,NZ")
    parser.add_argument("--repeat", type=int, default=5, help="turns of each code (5)")
    parser.add_argument("--native", action="store_true", help="compile xfields' kernels first")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    try:
        with tempfile.TemporaryDirectory(prefix="compare-space-charge-") as folder:
            of = study(options.particles, options.grid)
            found = compare(of, options.repeat, Path(folder), options.native)
    except PhasewiseError as error:
        message(f"compare_space_charge: {error}")
        return error.exit_status
    if options.json:
        print_json(found)
    else:
        _show(found, options)
    return 0


def _show(found: dict[str, Any], options: argparse.Namespace) -> None:
    rows = [
        [name, f"{found[name]['seconds']:.3f}", f"{found[name]['processor_seconds']:.3f}"]
        for name in ("xfields", "phasewise")
    ]
    grid = " × ".join(str(nodes) for nodes in options.grid)
    print_table(
        f"{options.particles} particles, {grid} nodes, one kick a turn, one thread",
        ["code", "s/turn", "cpu s"],
        rows,
    )
    agree = json.dumps(found["agreement"])
    print(f"phasewise is {found['faster']:.1f} times as fast; transverse kicks: {agree}")
    print(f"longitudinal kicks: {found['longitudinal']:.4f} of theirs")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The time of a turn, predicted before the run and measured by it, for shapes of studies with which
the rates of the kernels were not measured.

    .venv/bin/phasewise machine measure --ranks 2 -o here.toml
    .venv/bin/python -m benchmarks.predicted_turns --machine here.toml --ranks 2

The prediction is a model's communication plus the kernels at the machine's rates; the measurement
is that of `phasewise bench`. Of a trajectory with quarks, the prediction takes the iterations from
the run. The exit status is 0 if all predictions are within `--within`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.models import Case, default_model, predict
from phasewise.models.computation import kernel_seconds
from phasewise.options import count
from phasewise.output import print_json, print_table
from phasewise.runs.timing import WARM_UP_TURNS
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.workload.interface import Unit
from phasewise.workloads.collision.bench import collision_case
from phasewise.workloads.qcd import bench_updates
from phasewise.workloads.qcd.update_keys import TRAJECTORY
from phasewise.workloads.spacecharge.bench import case_tables

TABLES: dict[str, Callable[[str], dict[str, Any]]] = {
    "collision": collision_case,
    "spacecharge": case_tables,
    "qcd": bench_updates.case_tables,
}
"""The tables of each workload's cases of `phasewise bench`."""

FIXED = ('solver.mesh="fixed"', "solver.mesh_half_width=[0.025, 0.025, 3]")
"""Keys with which the timed turns have no new mesh."""

SHAPES: dict[str, tuple[str, str, int, tuple[str, ...]]] = {
    # The source paper's case, as in examples/paper, with a million particles.
    "paper": (
        "collision",
        "paper",
        15,
        (
            "beam.1.macroparticles=500000",
            'ip.1.green_function="every-step"',
            "ip.1.luminosity=false",
            'communication.reduce="mesh"',
            'communication.broadcast="mesh"',
            "communication.aggregate=false",
            'communication.crossing="4b"',
        ),
    ),
    "fine": (
        "collision",
        "fine",
        9,
        ('ip.1.interpolation="linear"', "ip.1.longitudinal_kick=true"),
    ),
    "small": ("collision", "small", 51, ("ip.1.slices=4",)),
    "two-points": (
        "collision",
        "small",
        15,
        (
            "ip.1.slices=8",
            'ip.2={beta=[0.3, 0.8], model="strong-strong", grid=[128, 64], slices=5}',
        ),
    ),
    "soft-gaussian": ("collision", "small", 51, ('ip.1.model="soft-gaussian"',)),
    "flat": ("collision", "fine", 7, ("ip.1.grid=[512, 64]", "ip.1.slices=6")),
    "many-slices": ("collision", "small", 9, ("ip.1.slices=30",)),
    "kicks": (
        "spacecharge",
        "small",
        7,
        ("bunch.macroparticles=1000000", "solver.kicks=8", *FIXED),
    ),
    "exact-maps": (
        "spacecharge",
        "small",
        7,
        (
            "bunch.macroparticles=300000",
            'lattice.maps="exact"',
            "solver.grid=[64, 64, 64]",
            "solver.kicks=6",
            *FIXED,
        ),
    ),
    "sparse": (
        "spacecharge",
        "small",
        7,
        ("bunch.macroparticles=100000", "solver.grid=[48, 48, 96]", "solver.kicks=6", *FIXED),
    ),
    "heat-bath": ("qcd", "heat-bath", 5, ("lattice.size=[12, 12, 12, 16]",)),
    "flow": ("qcd", "flow", 3, ("lattice.size=[12, 12, 12, 16]",)),
    # Iterations are known of the last trajectory, and updates in mixed precision are not.
    "trajectory": ("qcd", "trajectory", 1, ('solver.precision="double"',)),
}
"""Workload, case of `phasewise bench`, number of timed turns, and changes to the case."""


@dataclass(frozen=True)
class Point:
    """Seconds of a turn. Kernels are predicted for the mean rank and measured on rank 0."""

    shape: str
    ranks: int
    model: str
    predicted_seconds: float
    measured_seconds: float
    predicted_communication: float
    measured_communication: float
    predicted_kernels: dict[str, float]
    measured_kernels: dict[str, float]

    @property
    def error(self) -> float:
        """Predicted over measured, minus one."""
        return self.predicted_seconds / self.measured_seconds - 1.0


def study_of(shape: str) -> Study:
    """The study of a shape."""
    workload, case, _, changes = SHAPES[shape]
    tables = TABLES[workload](case)
    for change in changes:
        apply_override(tables, change)
    return Study.from_dict(tables)


def measured(shape: str, ranks: int) -> dict[str, Any]:
    """What `phasewise bench` reports for a shape; RunError if it fails."""
    workload, case, turns, changes = SHAPES[shape]
    words = [sys.executable, "-m", "phasewise", "bench", workload, "--case", case, "--json"]
    words += ["--ranks", str(ranks), "--turns", str(turns)]
    for change in changes:
        words += ["--set", change]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise RunError(f"{shape} could not be timed: {said[-1] if said else done.stdout}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def unit_of(found: dict[str, Any]) -> Unit:
    """What a measurement counts."""
    return TRAJECTORY if TRAJECTORY.many in found else Unit()


def pieces_of(found: dict[str, Any]) -> dict[str, float]:
    """How often the pieces of a trajectory came that depend on data."""
    return {f"iteration_{name}": float(n) for name, n in found.get("iterations", {}).items()}


def communication_of(found: dict[str, Any]) -> float:
    """Seconds of a turn in messages on rank 0."""
    phases = found["phases"]
    if isinstance(phases, list):
        total: float = sum(phase["seconds"] for phase in phases)
        return total / float(found[unit_of(found).many] + WARM_UP_TURNS)
    # Phases are named, are those of a kick, and include the kernels of the same names.
    kicks = round(found["seconds_per_turn"] / found["seconds_per_kick"])
    everything: float = sum(phases.values()) * kicks
    kernels: float = sum(kernel["seconds"] for kernel in found["kernels"])
    return float(everything - kernels)


def compare(shape: str, machine_name: str, ranks: int, model: str | None, fastest: bool) -> Point:
    """Run, and predict with as many iterations; use the median of the turns, or the fastest one."""
    machine = load_machine(machine_name)
    found = measured(shape, ranks)
    case = Case(study_of(shape), machine, ranks, pieces=pieces_of(found))
    chosen = model or default_model(machine)
    prediction, kernels = predict(case, chosen), kernel_seconds(case)
    one = unit_of(found).one
    return Point(
        shape,
        ranks,
        chosen,
        prediction.turn_seconds,
        found[f"fastest_{one}" if fastest else f"seconds_per_{one}"],
        prediction.communication_seconds,
        communication_of(found),
        kernels,
        {kernel["name"]: kernel["seconds"] for kernel in found["kernels"]},
    )


def show(points: Sequence[Point], within: float) -> None:
    """Print a line for each shape, with the kernels that differ most."""
    rows = [
        [
            point.shape,
            f"{point.predicted_seconds * 1e3:.1f}",
            f"{point.measured_seconds * 1e3:.1f}",
            f"{100 * point.error:+.1f}",
            f"{point.predicted_communication * 1e3:.2f}",
            f"{point.measured_communication * 1e3:.2f}",
        ]
        for point in points
    ]
    header = ["shape", "predicted", "measured", "error %", "comm. predicted", "measured"]
    title = f"ms per turn on {points[0].ranks} ranks, model {points[0].model}"
    print_table(title, header, rows)
    worst = max(abs(point.error) for point in points)
    verdict = "within" if worst <= within else "NOT within"
    print(f"worst {100 * worst:.1f} %: {verdict} {100 * within:.0f} %")


def main(words: Sequence[str]) -> int:
    """The exit status: 0 if all predictions are close enough."""
    parser = argparse.ArgumentParser(description="Turns, predicted and measured.")
    parser.add_argument("--machine", required=True, metavar="M", help="the file of this machine")
    parser.add_argument("--ranks", type=count, default=2, metavar="N")
    parser.add_argument("--model", metavar="NAME", help="of the communication")
    parser.add_argument("--shape", choices=SHAPES, action="append", help="only this one")
    parser.add_argument("--within", type=float, default=0.1, metavar="X", help="error allowed")
    parser.add_argument(
        "--fastest", action="store_true", help="take the fastest turn, where others use the machine"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    points = [
        compare(shape, options.machine, options.ranks, options.model, options.fastest)
        for shape in options.shape or SHAPES
    ]
    if options.json:
        print_json({"points": [asdict(point) | {"error": point.error} for point in points]})
    else:
        show(points, options.within)
    return 0 if all(abs(point.error) <= options.within for point in points) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""Measures the rates of a timestep's kernels on this machine: oceans without land on several grids,
with all ranks at work at once, since they share the memory's bandwidth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from phasewise.driver import Core
from phasewise.machines.kernel_rates import KernelRate, Measuring, rates_by_size
from phasewise.runs.kernel_times import usual_turn
from phasewise.study import Study
from phasewise.study.study import CPU
from phasewise.workloads.ocean.communication import FAST, PLAIN
from phasewise.workloads.ocean.kernels import OceanKernels, rate_of
from phasewise.workloads.ocean.table import CHRONGEAR, DIAGONAL, EVP, PCG, PCSI, PIPELINED

SIZES = ((24, 24), (48, 48), (96, 96), (192, 192))
"""Cells of a rank along x and y: in the caches of a core, in shared ones, and in memory."""
LARGE = (480, 480)
"""Where the solver alone is timed: its fields of one level exceed the shared caches."""
LEVELS = 20
WIDTH, TIMESTEP = 2e4, 900.0
"""Of a cell [m], and [s]: solves need more iterations than they have."""
ITERATIONS = 20
SOLVERS = (
    (PCSI, EVP), (PCSI, DIAGONAL), (CHRONGEAR, DIAGONAL), (PCG, DIAGONAL), (PIPELINED, EVP),
)  # fmt: skip
"""Solvers that have all kernels between them."""
WAYS = [(FAST, solver) for solver in SOLVERS] + [(PLAIN, SOLVERS[0])]


@cache
def _cases() -> dict[str, tuple[tuple[int, int], dict[str, Any], str]]:
    """Every study that is timed, by name: the cells of a rank, its keys, and its kernel."""
    return {
        f"{nx} × {ny} columns, {kernel}, {solver} with {preconditioner}": (
            (nx, ny), {"solver": solver, "preconditioner": preconditioner}, kernel,
        )
        for nx, ny in (*SIZES, LARGE)
        for kernel, (solver, preconditioner) in WAYS
        if kernel == FAST or (nx, ny) != LARGE
    }  # fmt: skip


def _study(case: str, ranks: int) -> Study:
    """The study of a case; the ranks stand along x."""
    (nx, ny), own, kernel = _cases()[case]
    return Study.from_dict(
        {
            "workload": "ocean",
            "timesteps": 100_000,
            "ocean": {
                "grid": [nx * ranks, ny, LEVELS],
                "baroclinic": (nx, ny) != LARGE,
                "geometry": "plane",
                "extent": [WIDTH * nx * ranks, WIDTH * ny],
                "timestep": TIMESTEP,
                "iterations": ITERATIONS,
                **own,
            },
            "communication": {"kernel": kernel, "process_grid": f"{ranks}x1"},
        }
    )


class OceanMeasuring(Measuring):
    """How its kernels are timed."""

    def cases(self) -> Sequence[str]:
        """The names of the studies that are timed, in order."""
        return tuple(_cases())

    def time_case(
        self, core: Core, threads: int, case: str, seconds: float, _device: str = CPU
    ) -> dict[str, Any]:
        """Time timesteps of a study for about this number of seconds. Collective."""
        driver = core.start(_study(case, core.size()).parameters(), threads)
        return {"kernels": usual_turn(core, driver, seconds)[0]}

    def rates(self, timed: Mapping[str, Mapping[str, Any]]) -> dict[str, KernelRate]:
        """The rates that follow from the timings, which stand under the names of `cases`."""

        def size(case: str) -> float:
            nx, ny = _cases()[case][0]
            return float(nx * ny)

        return rates_by_size(timed, size, rate_of, OceanKernels.UNITS)

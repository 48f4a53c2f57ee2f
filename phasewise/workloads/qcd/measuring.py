"""Measures the rates of the kernels of solves and trajectories on this machine: a few of them on
small lattices, with all ranks at work at once, since they share the memory's bandwidth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from phasewise.driver import Core
from phasewise.machines.kernel_rates import KernelRate, Measuring
from phasewise.runs.kernel_times import KernelTimes, usual_turn
from phasewise.study import Study
from phasewise.study.study import CPU
from phasewise.workloads.qcd.kernels import WHOLE, QcdKernels, rate_of, work

SIZES = ((4, 4, 4, 8), (8, 8, 8, 8), (16, 16, 16, 8), (16, 16, 16, 16))
"""Sites of a rank along x, y, z and t: in the caches of a core, in shared ones, and in memory."""
ITERATIONS = 20
KAPPA, CLOVER = 0.12, 1.0
LIGHT = 0.05
"""κ of quarks whose solves take a few iterations."""
KINDS: dict[str, dict[str, Any]] = {
    "conjugate gradients": {
        "solves": 1,
        "quarks": {"kappa": KAPPA},
        "solver": {"method": "cg", "iterations": ITERATIONS},
    },
    "mixed BiCGstab": {
        "solves": 1,
        "quarks": {"kappa": KAPPA, "clover": CLOVER},
        "solver": {"method": "bicgstab", "precision": "mixed", "iterations": ITERATIONS},
    },
    "heat-bath": {
        "trajectories": 1,
        "gauge": {"beta": 5.7},
        "update": {"method": "heat-bath", "over_relaxation": 1},
        "measure": {"flow_step": 0.02, "flow_until": 0.04},
    },
    "hybrid Monte Carlo": {
        "trajectories": 1,
        "gauge": {"beta": 5.7},
        "quarks": {"kappa": LIGHT, "clover": CLOVER},
        "solver": {"precision": "mixed"},
        "update": {
            "method": "hmc", "length": 0.1, "integrator": "leapfrog", "steps": [1, 1],
            "force_tolerance": 1e-2, "action_tolerance": 1e-2,
        },
    },
}  # fmt: skip
"""Studies that have all kernels between them: each adds those that the ones before it lack."""


@cache
def _cases() -> dict[str, tuple[tuple[int, int, int, int], dict[str, Any]]]:
    """Every study that is timed, by name: the sites of a rank, and the tables of its kind."""
    return {
        f"{kind} on {'x'.join(map(str, size))}": (size, tables)
        for size in SIZES
        for kind, tables in KINDS.items()
    }


def _study(case: str, ranks: int) -> Study:
    """The study of a case; the ranks stand along t."""
    (x, y, z, t), tables = _cases()[case]
    return Study.from_dict(
        {
            "workload": "qcd",
            **tables,
            "lattice": {"size": [x, y, z, t * ranks]},
            "gauge": {"start": "hot"} | tables.get("gauge", {}),
            "communication": {"process_grid": f"1x1x1x{ranks}"},
        }
    )


class QcdMeasuring(Measuring):
    """How its kernels are timed."""

    def cases(self) -> Sequence[str]:
        """The names of the studies that are timed, in order."""
        return tuple(_cases())

    def time_case(
        self, core: Core, threads: int, case: str, seconds: float, _device: str = CPU
    ) -> dict[str, Any]:
        """Time solves or trajectories of a study for about this number of seconds. Collective."""
        driver = core.start(_study(case, core.size()).parameters(), threads)
        return {"kernels": usual_turn(core, driver, seconds)[0]}

    def rates(self, timed: Mapping[str, Mapping[str, Any]]) -> dict[str, KernelRate]:
        """The rates that follow from the timings, which stand under the names of `cases`."""
        found: dict[str, dict[float, float]] = {}
        for case, values in timed.items():
            (x, y, z, t), _ = _cases()[case]
            for name, seconds in _seconds_per_unit(values["kernels"]).items():
                found.setdefault(name, {}).setdefault(float(x * y * z * t), seconds)
        return {
            name: KernelRate(QcdKernels.UNITS[name], tuple(points), tuple(points.values()))
            for name, points in ((name, dict(sorted(own.items()))) for name, own in found.items())
        }


def _seconds_per_unit(kernels: KernelTimes) -> dict[str, float]:
    """Those of each kernel with a rate, and of all of them together."""
    flops = sum(work(times, "flop") for times in kernels.values())
    found = {WHOLE: sum(times["seconds"] for times in kernels.values()) / flops}
    for kernel, times in kernels.items():
        name = rate_of(kernel)
        if name in QcdKernels.UNITS and times["items"] > 0:
            found[name] = times["seconds"] / work(times, QcdKernels.UNITS[name])
    return found

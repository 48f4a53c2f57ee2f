"""Measures the rates of a timestep's kernels on this machine: explosions on several grids, with all
ranks at work at once, since they share the memory's bandwidth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from phasewise.driver import Core
from phasewise.machines.kernel_rates import KernelRate, Measuring, rates_by_size
from phasewise.runs.kernel_times import usual_turn_of
from phasewise.study import Study
from phasewise.study.study import CPU
from phasewise.workloads.hydro.communication import FAST, PLAIN
from phasewise.workloads.hydro.kernels import HydroKernels, rate_of, size_of
from phasewise.workloads.hydro.model import model_of
from phasewise.workloads.hydro.problems import EVH1

SIZES = ((64, FAST), (128, FAST), (256, FAST), (512, FAST), (128, PLAIN), (512, PLAIN))
"""Zones along both axes, and kernels."""


@cache
def _cases() -> dict[str, Study]:
    """Every study that is timed, by name."""
    return {
        f"{zones} × {zones} zones, {kernel}": Study.from_dict(
            {
                "workload": "hydro",
                "timesteps": 100_000,
                "hydro": {"problem": EVH1, "zones": [zones, zones], "until": 0.0},
                "communication": {"kernel": kernel},
            }
        )
        for zones, kernel in SIZES
    }


class HydroMeasuring(Measuring):
    """How its kernels are timed."""

    def cases(self) -> Sequence[str]:
        """The names of the studies that are timed, in order."""
        return tuple(_cases())

    def time_case(
        self, core: Core, threads: int, case: str, seconds: float, _device: str = CPU
    ) -> dict[str, Any] | None:
        """Time timesteps of a study for about this number of seconds; None where the ranks are too
        many for it. Collective.
        """
        return usual_turn_of(core, _cases()[case], threads, seconds)

    def rates(self, timed: Mapping[str, Mapping[str, Any]]) -> dict[str, KernelRate]:
        """The rates that follow from the timings, which stand under the names of `cases`."""
        return rates_by_size(
            timed, lambda case: size_of(model_of(_cases()[case])), rate_of, HydroKernels.UNITS
        )

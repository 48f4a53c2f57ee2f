"""Measures the rates of a timestep's kernels on this machine: columns of several numbers of levels
at all hours, with all ranks at work at once.
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
from phasewise.workloads.atmosphere.communication import FAST, LONGITUDES, NONE, PLAIN
from phasewise.workloads.atmosphere.kernels import AtmosphereKernels, rate_of
from phasewise.workloads.atmosphere.model import model_of

SIZES = ((10, FAST), (26, FAST), (60, FAST), (26, PLAIN))
"""Levels of a column, and kernels."""
GRID = (16, 256)
TIMESTEP = 1200.0
"""[s]"""


@cache
def _cases() -> dict[str, Study]:
    """Every study that is timed, by name. Nothing moves."""
    return {
        f"{levels} levels, {kernel}": Study.from_dict(
            {
                "workload": "atmosphere",
                "timesteps": 100_000,
                "atmosphere": {"grid": list(GRID), "levels": levels, "timestep": TIMESTEP},
                "communication": {"kernel": kernel, "division": LONGITUDES, "balance": NONE},
            }
        )
        for levels, kernel in SIZES
    }


class AtmosphereMeasuring(Measuring):
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

        def levels(case: str) -> float:
            return float(model_of(_cases()[case]).levels)

        return rates_by_size(timed, levels, rate_of, AtmosphereKernels.UNITS)

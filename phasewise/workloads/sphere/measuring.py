"""Measures the rates of a timestep's kernels on this machine: case 5 at several truncations and
numbers of levels, with all ranks at work at once, since they share the memory's bandwidth.
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
from phasewise.workloads.sphere.kernels import SphereKernels, rate_of, width_of
from phasewise.workloads.sphere.model import model_of

SIZES = ((21, 1), (42, 1), (42, 18), (85, 1), (85, 18), (170, 4))
"""Truncations and levels: fields in the caches of a core, and in memory."""
TIMESTEP = 60.0
"""Short enough for all of them [s]."""


@cache
def _cases() -> dict[str, Study]:
    """Every study that is timed, by name."""
    return {
        f"T{truncation} with {levels} level{'s' if levels > 1 else ''}": Study.from_dict(
            {
                "workload": "sphere",
                "timesteps": 1,
                "sphere": {
                    "case": "williamson-5",
                    "truncation": truncation,
                    "levels": levels,
                    "timestep": TIMESTEP,
                },
            }
        )
        for truncation, levels in SIZES
    }


class SphereMeasuring(Measuring):
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
        study = _cases()[case]
        if core.size() > min(model_of(study).pairs, model_of(study).truncation + 1):
            return None
        driver = core.start(study.parameters(), threads)
        return {"kernels": usual_turn(core, driver, seconds)[0]}

    def rates(self, timed: Mapping[str, Mapping[str, Any]]) -> dict[str, KernelRate]:
        """The rates that follow from the timings, which stand under the names of `cases`."""
        return rates_by_size(
            timed, lambda case: width_of(model_of(_cases()[case])), rate_of, SphereKernels.UNITS
        )

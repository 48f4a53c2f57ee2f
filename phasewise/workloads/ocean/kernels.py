"""The time of a timestep's kernels: the flops or the bytes of each, at a rate that depends on the
columns of a rank.

A field of a rank is in the caches of a core or in memory, which its columns decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.study.kernels import Kernels, Term
from phasewise.workloads.ocean.table import OceanTable

OF_SOLVER: tuple[str, ...] = ("solver_halo", "solver_sum")
"""The kernels and phases of the solver."""
RATE_OF: dict[str, str] = {}
"""The rate of each kernel whose name another workload has too."""


class OceanKernels(Kernels):
    """What the time of its kernels is made of."""

    UNITS: Mapping[str, str] = {}

    def terms(self, model: OceanTable, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """One term, at the kernel's own rate."""
        name = rate_of(str(kernel["name"]))
        return [Term(name, work(kernel, self.UNITS.get(name, "byte")), model.columns / ranks)]


def rate_of(kernel: str) -> str:
    """The name of the rate of a kernel."""
    return RATE_OF.get(kernel, kernel)


def work(kernel: Mapping[str, Any], unit: str) -> float:
    """The work of a kernel in this unit."""
    return float(kernel[f"{unit}s"])

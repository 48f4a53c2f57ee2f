"""The time of a timestep's kernels: the items or the bytes of each, at a rate that depends on the
columns of a rank.

A field of a rank is in the caches of a core or in memory, which its columns decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.study.kernels import Kernels, Term
from phasewise.workloads.ocean.table import OceanTable

PLAIN = "_plain"
"""The end of the names of kernels that go down columns."""
MOMENTUM = ("momentum", "friction", "integrate")
TRACERS = ("correct", "extrapolate", "tracers", "mixing")
SURFACE = ("operator", "right_side", "surface")
RECORDED = ("measure", "measures", "extremes")
"""The kernel and the phases of what a timestep records, which ends it."""
SOLVER = (
    "take_operator", "scale_operator", "prepare_tiles", "bound_inverse", "sample", "enter_system",
    "leave_system", "keep_right", "solve_tiles",
    "apply_operator", "apply_and_sum", "advance_all", "turn_direction", "advance_solution",
    "subtract", "sum_products", "chebyshev_step", "first_residual", "largest_terms",
    "first_lengths", "residual_length",
)  # fmt: skip
OF_SOLVER = (*SOLVER, "solver_halo", "solver_sum")
"""The kernels and phases of the solver."""


def both(names: tuple[str, ...]) -> tuple[str, ...]:
    """Kernels along rows and down columns."""
    return (*names, *(f"{name}{PLAIN}" for name in names))


def rate_of(kernel: str) -> str:
    """The name of the rate of a kernel; other workloads have kernels of some of these names."""
    return f"ocean_{kernel}"


class OceanKernels(Kernels):
    """What the time of its kernels is made of."""

    UNITS = {
        **{rate_of(name): "item" for name in (*both(MOMENTUM), *both(TRACERS), *SURFACE)},
        rate_of("measure"): "item",
        **{rate_of(name): "byte" for name in SOLVER},
    }

    def terms(self, model: OceanTable, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """One term, at the kernel's own rate."""
        name = rate_of(str(kernel["name"]))
        return [Term(name, work(kernel, self.UNITS.get(name, "byte")), model.columns / ranks)]


def work(kernel: Mapping[str, Any], unit: str) -> float:
    """The work of a kernel in this unit."""
    return float(kernel[f"{unit}s"])

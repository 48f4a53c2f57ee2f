"""The time of a timestep's kernels: the items of each, at rates that the columns of a chunk share.

A column with a cost from a file takes it on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.study.kernels import Kernels, Term
from phasewise.workloads.atmosphere.table import AtmosphereTable

PHYSICS = ("long_wave", "short_wave", "adjustment", "surface")
PLAIN = "_plain"
"""The end of the names of kernels that take a column at a time."""
MEASURE = "measure"
GIVEN = "given_cost"
"""The kernel that stands for a cost from a file; an item is MICROSECOND."""
MICROSECOND = 1e-6
"""[s]"""


def rate_of(kernel: str) -> str:
    """The name of the rate of a kernel; other workloads have kernels of some of these names."""
    return f"atmosphere_{kernel}"


class AtmosphereKernels(Kernels):
    """What the time of its kernels is made of."""

    UNITS = {
        rate_of(name): "item"
        for name in (*PHYSICS, *(f"{name}{PLAIN}" for name in PHYSICS), MEASURE)
    }

    FIXED = {GIVEN: MICROSECOND}

    def terms(self, model: AtmosphereTable, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """One term, at the kernel's own rate for the levels of a column."""
        name, items = str(kernel["name"]), float(kernel["items"])
        return [Term(rate_of(name), items, float(model.levels))]

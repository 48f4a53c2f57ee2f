"""The time of a timestep's kernels: the flops of each, at a rate that depends on the levels of a
column.

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
        **{rate_of(f"{name}{kind}"): "flop" for name in PHYSICS for kind in ("", PLAIN)},
        rate_of(MEASURE): "item",
    }

    FIXED = {GIVEN: MICROSECOND}

    def terms(self, model: AtmosphereTable, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """One term, at the kernel's own rate."""
        name = rate_of(str(kernel["name"]))
        amount = float(kernel[f"{self.UNITS.get(name, 'flop')}s"])
        return [Term(name, amount, float(model.levels))]

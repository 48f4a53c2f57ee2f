"""The time of a timestep's kernels: the flops or the bytes of each, at a rate that depends on how
sweeps go over pencils.

Vectors across pencils are as wide as a batch, and those along a pencil as long as it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.study.kernels import Kernels, Term
from phasewise.workloads.hydro.table import HydroTable

RATES = {
    "sweep": "hydro_sweep",
    "sweep_plain": "hydro_sweep_plain",
    "courant": "hydro_courant",
    "diagnose": "hydro_diagnose",
    "compare": "hydro_compare",
}
"""The rate of each kernel; other workloads' kernels of some of these names do something else."""


class HydroKernels(Kernels):
    """What the time of its kernels is made of."""

    UNITS = {
        "hydro_sweep": "flop",
        "hydro_sweep_plain": "flop",
        "hydro_courant": "item",
        "hydro_diagnose": "item",
        "hydro_compare": "item",
    }

    def terms(self, model: HydroTable, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """One term, at the kernel's own rate."""
        name = rate_of(str(kernel["name"]))
        return [Term(name, work(kernel, self.UNITS.get(name, "flop")), size_of(model))]


def rate_of(kernel: str) -> str:
    """The name of the rate of a kernel."""
    return RATES.get(kernel, kernel)


def size_of(model: HydroTable) -> float:
    """Zones of the longest pencil."""
    return float(max(model.zones))


def work(kernel: Mapping[str, Any], unit: str) -> float:
    """The work of a kernel in this unit."""
    return float(kernel[f"{unit}s"])

"""The time of a timestep's kernels: the flops or the bytes of each at a rate that depends on the
width of its rows, the wavenumbers times the levels.

Legendre transforms are products of matrices with as many columns as there are levels, and Fourier
transforms go over all levels of a latitude, so that both become faster with the levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.study.kernels import Kernels, Term
from phasewise.workloads.sphere.model import Sphere

RATES = {
    "forward": "spectral_forward",
    "analysis": "legendre_analysis",
    "advance": "spectral_advance",
    "synthesis": "legendre_synthesis",
    "backward": "spectral_backward",
    "diagnose": "spectral_diagnose",
}
"""The rate of each kernel; other workloads' kernels of some of these names do something else."""


class SphereKernels(Kernels):
    """What the time of its kernels is made of."""

    UNITS = {
        "spectral_forward": "flop", "legendre_analysis": "flop", "spectral_advance": "byte",
        "legendre_synthesis": "flop", "spectral_backward": "flop", "spectral_diagnose": "byte",
    }  # fmt: skip

    def terms(self, model: Sphere, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """One term, at the kernel's own rate."""
        name = rate_of(str(kernel["name"]))
        return [Term(name, work(kernel, self.UNITS.get(name, "flop")), width_of(model))]


def rate_of(kernel: str) -> str:
    """The name of the rate of a kernel."""
    return RATES.get(kernel, kernel)


def width_of(model: Sphere) -> float:
    """Wavenumbers times levels."""
    return float((model.truncation + 1) * model.levels)


def work(kernel: Mapping[str, Any], unit: str) -> float:
    """The work of a kernel in this unit: "flop" or "byte"."""
    return float(kernel[f"{unit}s"])

"""The time of the kernels of solves and trajectories: the flops or the bytes of each at a rate that
depends on the sites of a rank.

Machine files that papers give know one rate for all kernels, from tables of whole iterations of
conjugate gradients without the exchanges of faces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.study.kernels import Kernels, Term
from phasewise.workloads.qcd.model import Qcd

WHOLE = "cg"
"""The rate of all kernels together, for each flop."""

RENAMED = {"turn": "turn_direction"}
"""Kernels whose names another workload has too."""


class QcdKernels(Kernels):
    """What the time of its kernels is made of.

    Passes over fields take the time of their bytes, whether they have single or double precision.
    """

    UNITS = {
        WHOLE: "flop", "hopping": "flop", "hopping_single": "flop", "plaquettes": "flop",
        "loops": "flop", "clover": "byte", "local": "byte", "faces": "byte", "combine": "byte",
        "norm": "byte", "update": "byte", "convert": "byte", "advance": "byte",
        "half_step": "byte", "products": "byte", "turn_direction": "byte",
        "flow": "flop", "flow_measures": "flop", "heat_bath": "flop", "over_relaxation": "flop",
        "gauge_force": "flop", "gauge_action": "flop", "link_update": "flop", "momenta": "flop",
        "move_momenta": "byte", "kinetic": "byte", "keep_links": "byte", "force_norms": "byte",
        "largest_force": "byte", "reunitarise": "flop", "quark_force": "flop",
        "force_faces": "byte", "clover_force": "flop", "clover_tensor": "flop",
        "clover_blocks": "flop", "clover_convert": "byte",
        "clover_action": "byte", "take_links": "byte", "take_links_single": "byte",
        "pseudofermions": "flop", "quark_action": "byte",
    }  # fmt: skip

    def terms(self, model: Qcd, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """One term, at the kernel's own rate."""
        name = rate_of(str(kernel["name"]))
        return [Term(name, work(kernel, self.UNITS.get(name, "flop")), model.sites / ranks)]

    def instead(self, model: Qcd, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """The kernel's flops, whatever its name."""
        return [Term(WHOLE, work(kernel, "flop"), model.sites / ranks)]


def rate_of(kernel: str) -> str:
    """The name of the rate of a kernel."""
    return RENAMED.get(kernel, kernel)


def work(kernel: Mapping[str, Any], unit: str) -> float:
    """The work of a kernel in this unit: "flop" or "byte"."""
    return float(kernel[f"{unit}s"])

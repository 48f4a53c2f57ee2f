"""The time of a solve's kernels: it follows from one rate for all of them, which depends on the
sites of a rank.

Machine files have this rate from tables of whole iterations of conjugate gradients, without the
exchanges of faces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.study.kernels import Kernels, Term
from phasewise.workloads.qcd.model import Qcd

RATE = "cg"


class QcdKernels(Kernels):
    """What the time of its kernels is made of."""

    UNITS = {RATE: "flop"}

    def terms(self, model: Qcd, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """The kernel's flops, whatever its name."""
        return [Term(RATE, float(kernel["flops"]), model.sites / ranks)]

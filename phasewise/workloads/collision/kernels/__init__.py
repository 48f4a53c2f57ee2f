"""The time of a collision's kernels as sums of terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.study.kernels import Kernels, Term
from phasewise.workloads.collision.kernels import terms
from phasewise.workloads.collision.tables.model import Collision


class CollisionKernels(Kernels):
    """What the time of its kernels is made of (`terms`)."""

    UNITS = terms.UNITS
    VARIANTS = terms.VARIANTS
    BESIDE = terms.BESIDE
    ON_HOST = terms.ON_HOST

    def terms(self, model: Collision, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        return terms.terms(model, kernel, ranks)

    def overheads(self, model: Collision, ranks: int) -> list[Term]:
        return terms.overheads(model, ranks)

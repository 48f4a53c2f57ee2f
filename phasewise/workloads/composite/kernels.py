"""The terms of the time of the kernels of several workloads: those of each workload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.study.kernels import Kernels, Term
from phasewise.workload.interface import Workload
from phasewise.workloads.composite.model import Models
from phasewise.workloads.composite.workload import ring_of


class CompositeKernels(Kernels):
    """The terms of each part. A kernel's name begins with its part's."""

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        self._host = ring_of(workload).host
        self._parts = {n: own.part(Kernels) for n, own in ring_of(workload).ring.items()}
        self.BESIDE = tuple(name for part in self._parts.values() for name in part.BESIDE)

    def terms(self, model: Models, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        name, _, own = str(kernel["name"]).partition(".")
        # Only the workload that makes the bunches has parts of a turn, if any; they come first.
        part = kernel["part"] if name == self._host else 1
        renamed = {**kernel, "name": own, "part": part}
        return self._parts[name].terms(model.parts[name], renamed, ranks)

    def overheads(self, model: Models, ranks: int) -> list[Term]:
        return [
            term
            for name, part in self._parts.items()
            for term in part.overheads(model.parts[name], ranks)
        ]

"""What the time of kernels of several workloads is made of: as of each alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.machines.kernel_rates import Term
from phasewise.models.computation import PART, no_overheads, own_rate
from phasewise.workloads.composite.model import Models
from phasewise.workloads.composite.workload import Composite


def made_for(workload: Composite) -> dict[str, Any]:
    """What depends on the parts."""
    ring = workload.ring

    def terms(model: Models, kernel: Mapping[str, Any], ranks: int) -> list[Term]:
        """The terms of a kernel's time, by its name in its part."""
        name, _, own = str(kernel["name"]).partition(".")
        # Only the part that makes the bunches may have several parts of a turn, which come first.
        part = kernel["part"] if name == workload.host else 1
        renamed = {**kernel, "name": own, "part": part}
        found: list[Term] = ring[name].offers(PART, "terms", own_rate)(
            model.parts[name], renamed, ranks
        )
        return found

    def overheads(model: Models, ranks: int) -> list[Term]:
        return [
            term
            for name, own in ring.items()
            for term in own.offers(PART, "overheads", no_overheads)(model.parts[name], ranks)
        ]

    parts = [own.part(PART) for own in ring.values()]
    beside = tuple(name for part in parts for name in getattr(part, "BESIDE", ()))
    return {"terms": terms, "overheads": overheads, "BESIDE": beside}

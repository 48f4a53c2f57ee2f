"""Other ways to do a collective: a run may try them at first, and a tuner compares them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.runs.choosing import Choosing, Shapes
from phasewise.workload.protocols import available
from phasewise.workloads.collectives.communication import CollectivesCommunication
from phasewise.workloads.collectives.model import OFFERED, Collectives


def algorithms(model: Collectives, protocols: Sequence[str]) -> list[str]:
    """The algorithms of the operator that can run with these protocols."""
    return [name for name in OFFERED[model.operator] if name != "put" or name in protocols]


class CollectivesChoosing(Choosing):
    """Its ways to exchange."""

    def changes(
        self, given: CollectivesCommunication, model: Collectives, _shapes: Shapes, _levels: bool
    ) -> list[dict[str, Any]]:
        """The other algorithms."""
        return [
            {"algorithm": name}
            for name in algorithms(model, available())
            if name != given.algorithm
        ]

    def choices(self, model: Collectives, _ranks: int) -> dict[str, list[Any]]:
        """All algorithms."""
        return {"algorithm": algorithms(model, available())}

"""Other ways to exchange of several workloads: those of each, part by part."""

from __future__ import annotations

from typing import Any

from phasewise.runs.choosing import Choosing, Shapes
from phasewise.workloads.composite.communication import CompositeCommunication
from phasewise.workloads.composite.model import Models
from phasewise.workloads.composite.workload import ring_of


class CompositeChoosing(Choosing):
    """The ways of each part, under its name."""

    def nothing_to_try(self, model: Models) -> str:
        """Empty if a part has something to try."""
        why = [part.nothing_to_try(model.parts[name]) for name, part in self._parts().items()]
        return why[0] if all(why) else ""

    def study_key(self, model: Models) -> dict[str, Any]:
        return {name: part.study_key(model.parts[name]) for name, part in self._parts().items()}

    def changes(
        self, communication: CompositeCommunication, model: Models, shapes: Shapes, levels: bool
    ) -> list[dict[str, Any]]:
        given = communication.parts
        return [
            {f"{name}.{key}": value for key, value in change.items()}
            for name, part in self._parts().items()
            if not part.nothing_to_try(model.parts[name])
            for change in part.changes(given[name], model.parts[name], shapes, levels)
        ]

    def _parts(self) -> dict[str, Choosing]:
        ring = ring_of(self.workload).ring
        return {name: own.part(Choosing) for name, own in ring.items()}

"""Other ways to exchange of several workloads: those of each, part by part."""

from __future__ import annotations

from typing import Any

from phasewise.runs.choosing import PART, Shapes
from phasewise.workloads.composite.communication import CompositeCommunication
from phasewise.workloads.composite.model import Models
from phasewise.workloads.composite.workload import Composite


def made_for(workload: Composite) -> dict[str, Any]:
    """What depends on the parts."""
    parts = {name: own.part(PART) for name, own in workload.ring.items()}
    known = {name: part for name, part in parts.items() if part is not None}

    def nothing_to_try(model: Models) -> str:
        """Empty if a part has something to try."""
        why = [part.nothing_to_try(model.parts[name]) for name, part in known.items()]
        return "" if not all(why) else why[0] if why else "its workloads know one way to exchange"

    def study_key(model: Models) -> dict[str, Any]:
        return {name: part.study_key(model.parts[name]) for name, part in known.items()}

    def changes(
        given: CompositeCommunication, model: Models, shapes: Shapes, levels: bool
    ) -> list[dict[str, Any]]:
        """Those of each part, behind its name."""
        return [
            {f"{name}.{key}": value for key, value in change.items()}
            for name, part in known.items()
            if not part.nothing_to_try(model.parts[name])
            for change in part.changes(given.parts[name], model.parts[name], shapes, levels)
        ]

    return {"nothing_to_try": nothing_to_try, "study_key": study_key, "changes": changes}

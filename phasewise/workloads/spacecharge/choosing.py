"""Other ways to exchange that a run with space charge may try in its first turns."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from phasewise.runs.choosing import Choosing, Shapes
from phasewise.workloads.spacecharge.communication import (
    CHARGES,
    DECOMPOSITIONS,
    FIELDS,
    TRANSPOSES,
    SpaceChargeCommunication,
    across,
)
from phasewise.workloads.spacecharge.model import SpaceCharge


def _ways(model: SpaceCharge) -> dict[str, tuple[str, ...]]:
    """The keys that matter to a kind of solver, with their words."""
    if model.solver.kind == "frozen":
        return {}
    found = {"charge": CHARGES, "field": FIELDS}
    return found if model.solver.kind == "2.5d" else {**found, "transpose": TRANSPOSES}


class SpaceChargeChoosing(Choosing):
    """Its ways to exchange."""

    def nothing_to_try(self, model: SpaceCharge) -> str:
        """Why a study has no collectives to choose among."""
        return "" if _ways(model) else "a frozen field exchanges nothing but moments"

    def study_key(self, model: SpaceCharge) -> dict[str, Any]:
        """What decides how much is sent: the mesh, and the order of magnitude of the number of
        particles.
        """
        particles = max(bunch.macroparticles for bunch in model.bunches)
        return {
            "kind": model.solver.kind,
            "grid": list(model.solver.grid or ()),
            "order": round(math.log10(particles)),
        }

    def changes(
        self, given: SpaceChargeCommunication, model: SpaceCharge, shapes: Shapes, levels: bool
    ) -> list[dict[str, Any]]:
        """Each other way to collect the charge, to share the field and to transpose.

        levels: whether some ranks share a node and some do not.
        """
        if math.prod(shapes[0]) == 1:
            return []
        found: list[dict[str, Any]] = []
        for name, words in _ways(model).items():
            found += [{name: word} for word in words if levels or word != "node-aware"]
        return [change for change in found if replace(given, **change) != given]

    def choices(self, model: SpaceCharge, ranks: int) -> dict[str, list[Any]]:
        """All ways to divide the mesh, collect the charge, share the field and transpose."""
        found = {
            name: list(words[: 1 if ranks == 1 else None]) for name, words in _ways(model).items()
        }
        if model.solver.kind != "3d":
            return found
        # A prime number of ranks makes the same parts in both ways.
        divisions = list(DECOMPOSITIONS if across(ranks) > 1 else DECOMPOSITIONS[:1])
        return {"decomposition": divisions, **found}

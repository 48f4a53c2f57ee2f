"""Other ways to exchange that a run with space charge may try in its first turns."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from phasewise.runs.choosing import Shapes
from phasewise.workloads.spacecharge.communication import (
    CHARGES,
    FIELDS,
    TRANSPOSES,
    SpaceChargeCommunication,
)
from phasewise.workloads.spacecharge.model import SpaceCharge


def nothing_to_try(_model: SpaceCharge) -> str:
    """Every study has its collectives."""
    return ""


def study_key(model: SpaceCharge) -> dict[str, Any]:
    """What decides how much is sent: the mesh; and the order of the particles' number."""
    particles = max(bunch.macroparticles for bunch in model.bunches)
    return {"grid": list(model.solver.grid), "order": round(math.log10(particles))}


def changes(
    given: SpaceChargeCommunication, _model: SpaceCharge, shapes: Shapes, levels: bool
) -> list[dict[str, Any]]:
    """Each other way to collect the charge, to share the field and to transpose.

    levels: whether some ranks share a node and some do not.
    """
    if math.prod(shapes[0]) == 1:
        return []
    found: list[dict[str, Any]] = []
    for name, words in (("charge", CHARGES), ("field", FIELDS), ("transpose", TRANSPOSES)):
        found += [{name: word} for word in words if levels or word != "node-aware"]
    return [change for change in found if replace(given, **change) != given]


def choices(_model: SpaceCharge, ranks: int) -> dict[str, list[Any]]:
    """All ways to collect the charge, to share the field and to transpose."""
    if ranks == 1:
        return {"charge": [CHARGES[0]], "field": [FIELDS[0]], "transpose": [TRANSPOSES[0]]}
    return {"charge": list(CHARGES), "field": list(FIELDS), "transpose": list(TRANSPOSES)}

"""The orbit on which a bunch that another workload makes enters the lattice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.workload.bunches import SharedBunch
from phasewise.workloads.spacecharge.model import SpaceCharge

NO_ORBIT = (0.0,) * 6


def closed_orbit(model: SpaceCharge, bunch: SharedBunch) -> tuple[float, ...]:
    """x, px, y, py, z, δ [m, 1] of the closed orbit of a bunch where the lattice begins. StudyError
    if the lattice has none.
    """
    if not any(map(moves_reference, model.lattice.elements)):
        return NO_ORBIT
    # This package is loaded before the studies that optics knows of.
    from phasewise.workloads.spacecharge.optics import closed_orbit_of

    return closed_orbit_of(model, bunch)


def moves_reference(element: Mapping[str, Any]) -> bool:
    """Whether an element moves the reference particle, as correctors and detuned cavities do."""
    dipoles = (element.get(name, (0.0,))[0] for name in ("normal", "skew"))
    return any(dipoles) or element["kind"] == "cavity"

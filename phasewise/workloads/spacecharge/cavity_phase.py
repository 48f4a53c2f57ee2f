"""Cavities whose phase drives particles apart in z instead of bunching them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from phasewise.errors import StudyError
from phasewise.workloads.spacecharge.model import SpaceCharge
from phasewise.workloads.spacecharge.optics import Optics, optics_of


def debunching(model: SpaceCharge) -> str:
    """A sentence that names the cavities whose phase makes the motion in z unstable; empty if it is
    stable, or if nothing bunches the beam.
    """
    cavities = [one for one in model.lattice.elements if one["kind"] == "cavity"]
    if not any(one["voltage"] for one in cavities):
        return ""
    try:
        optics = optics_of(model)
    except StudyError:
        return ""
    if optics.synchrotron_tune is not None:
        return ""
    named = " and ".join(_named(model, optics))
    if not named:
        return ""
    side, fitting = ("below", "0.5") if optics.slip > 0 else ("above", "0")
    return (
        f"{named} turns, which drives the bunch apart in z; {side} transition, as here, phases "
        f"about {fitting} bunch it"
    )


def _named(model: SpaceCharge, optics: Optics) -> Iterator[str]:
    """Each cavity that drives apart, with its phase."""
    for number, one in enumerate(model.lattice.elements, 1):
        if one["kind"] != "cavity":
            continue
        phase = one.get("phase", 0.0)
        # δ rises along z as this, for either sign of charge (docs/spacecharge.md), and z along δ as
        # the slip; the two must have opposite signs.
        slope = one["voltage"] * math.cos(2 * math.pi * phase)
        if slope * optics.slip > 0:
            name = f" ({one['name']})" if "name" in one else ""
            yield f"lattice.element[{number}]{name}, a cavity, has phase = {phase:g}"

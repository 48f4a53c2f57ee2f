"""Cavities whose frequency is no harmonic of the ring's."""

from __future__ import annotations

import math
from collections.abc import Iterator

from phasewise.constants import SPEED_OF_LIGHT
from phasewise.workloads.spacecharge.model import SpaceCharge

DETUNED = 1e-7
"""Relative distance of a cavity's frequency from a harmonic, above which it is said."""


def detuned(model: SpaceCharge, slip: float | None = None) -> Iterator[str]:
    """A sentence for each frequency of the cavities of a ring that is no harmonic of its revolution
    frequency; with the slip of a passage, dz/dδ [m], also on where its closed orbit would be.
    """
    lattice, bunch = model.lattice, model.bunches[0]
    if not _is_ring(model):
        return
    revolution = bunch.beta * SPEED_OF_LIGHT / lattice.length
    frequencies = {one["frequency"] for one in lattice.elements if one["kind"] == "cavity"}
    for frequency in sorted(frequencies):
        harmonic = frequency / revolution
        excess = harmonic / max(round(harmonic), 1) - 1
        if abs(excess) < DETUNED:
            continue
        # A particle that keeps pace gains z by this part of the circumference in each turn.
        delta = "" if not slip else f" at δ = {excess * lattice.length / slip:.4g}"
        yield (
            f"a cavity has {harmonic:.9g} times the revolution frequency, which is not whole; "
            "here its phase begins anew in each passage, so that the closed orbit stays at δ = 0, "
            f"while in the ring it would be elsewhere{delta}"
        )


def _is_ring(model: SpaceCharge) -> bool:
    """Whether the reference orbit turns by whole turns."""
    bends = ("bend", "rectangular-bend")
    angle = sum(one["angle"] for one in model.lattice.elements if one["kind"] in bends)
    turns = abs(angle) * model.lattice.periods / (2 * math.pi)
    return bool(turns > 0.5 and abs(turns - round(turns)) < 1e-6)

"""Other ways to exchange directions and to sweep: a run may try them at first, and a tuner compares
them. Protocols belong to messages under way during sweeps, and the algorithm to transposes.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from phasewise.runs.choosing import Choosing, Shapes
from phasewise.workload.protocols import available, comparable
from phasewise.workloads.hydro.communication import (
    DECOMPOSITIONS,
    KERNELS,
    TRANSPOSES,
    HydroCommunication,
)
from phasewise.workloads.hydro.table import HydroTable

BATCHES = (8, 16, 32, 64, 128)
"""Numbers of pencils at once that are compared."""


class HydroChoosing(Choosing):
    """Its ways to exchange and to sweep."""

    ALONE = True

    def nothing_to_try(self, model: HydroTable) -> str:
        """Along one axis there is a single pencil, and a single rank."""
        return "a grid of one axis has a single pencil" if len(model.zones) == 1 else ""

    def study_key(self, model: HydroTable) -> dict[str, Any]:
        """What decides how much is sent, and how long pencils are."""
        return {"zones": list(model.zones), "coordinates": model.coordinates}

    def changes(
        self, given: HydroCommunication, model: HydroTable, shapes: Shapes, levels: bool
    ) -> list[dict[str, Any]]:
        """Each other batch and kernel, and on several ranks each other way to exchange.

        levels: whether some ranks share a node and some do not.
        """
        found: list[dict[str, Any]] = []
        if math.prod(shapes[0]) > 1:
            found += _exchanges(given)
        if len(model.zones) > 1:
            found += [{"batch": batch} for batch in BATCHES]
            found += [{"kernel": kernel} for kernel in KERNELS]
        return [change for change in found if replace(given, **change) != given]

    def choices(self, model: HydroTable, ranks: int) -> dict[str, list[Any]]:
        """All values of the keys; `tuning` combines those that belong together."""
        several = ranks > 1
        divided = DECOMPOSITIONS if len(model.zones) == 3 else DECOMPOSITIONS[:1]
        return {
            "decomposition": list(divided if several else DECOMPOSITIONS[:1]),
            "process_grid": ["auto"],
            "transpose": list(TRANSPOSES if several else TRANSPOSES[:1]),
            "overlap": [False, True] if several else [False],
            "protocol": list(comparable() if several else comparable()[:1]),
            "batch": list(BATCHES if len(model.zones) > 1 else BATCHES[:1]),
            "kernel": list(KERNELS if len(model.zones) > 1 else KERNELS[:1]),
        }


def _exchanges(given: HydroCommunication) -> list[dict[str, Any]]:
    """Other ways to exchange than the given one."""
    own = [{"overlap": False, "transpose": name} for name in TRANSPOSES]
    return own + [{"overlap": True, "protocol": name} for name in _first(given.protocol)]


def _first(protocol: str) -> list[str]:
    """The protocols at hand, this one first."""
    return sorted(available(), key=lambda name: name != protocol)

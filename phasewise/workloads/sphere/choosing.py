"""Other ways to sum over latitudes: a run may try them at first, and a tuner compares them.

Protocols and blocks belong to distributed sums, and the algorithm of a transpose to transposes.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from phasewise.errors import StudyError
from phasewise.runs.choosing import Choosing, Shapes
from phasewise.workload.protocols import STORING, available, comparable
from phasewise.workloads.sphere.communication import (
    DISTRIBUTED,
    ORDER_FREE,
    TRANSPOSE,
    TRANSPOSES,
    SphereCommunication,
)
from phasewise.workloads.sphere.model import Sphere

BLOCKS = (1, 4, 16)
"""Numbers of blocks that are compared."""


def adding(names: tuple[str, ...]) -> list[str]:
    """The protocols among these by which data can be added."""
    return [name for name in names if name not in STORING]


class SphereChoosing(Choosing):
    """Its ways to exchange."""

    def nothing_to_try(self, _model: Sphere) -> str:
        """There is always another algorithm."""
        return ""

    def study_key(self, model: Sphere) -> dict[str, Any]:
        """What decides how much is sent."""
        names = ("truncation", "latitudes", "levels", "latitude_groups")
        return {name: getattr(model, name) for name in names}

    def changes(
        self, given: SphereCommunication, model: Sphere, shapes: Shapes, levels: bool
    ) -> list[dict[str, Any]]:
        """Each other algorithm; with distributed sums also the other protocols and blocks. With
        plain sums the algorithm stays, since it decides the bits.

        levels: whether some ranks share a node and some do not.
        """
        ranks = math.prod(shapes[0])
        if ranks == 1:
            return []
        found: list[dict[str, Any]] = []
        if given.sums == ORDER_FREE:
            own = [name for name in DISTRIBUTED if levels or name != "node-aware"]
            found += [{"legendre": name} for name in (TRANSPOSE, *own)]
        if given.distributed:
            found += [{"protocol": name} for name in adding(available())]
            found += [{"blocks": blocks} for blocks in BLOCKS]
        else:
            found += [{"transpose": name} for name in TRANSPOSES]
        return [change for change in found if _differs(given, change, model, ranks)]

    def choices(self, model: Sphere, ranks: int) -> dict[str, list[Any]]:
        """All values of the keys; `tuning` combines those that belong together."""
        return {
            "legendre": [TRANSPOSE, *(DISTRIBUTED if ranks > 1 else ())],
            "transpose": list(TRANSPOSES if ranks > 1 else TRANSPOSES[:1]),
            "protocol": adding(comparable()) if ranks > 1 else [comparable()[0]],
            "blocks": list(BLOCKS if ranks > 1 else BLOCKS[:1]),
        }


def _differs(given: SphereCommunication, change: dict[str, Any], model: Sphere, ranks: int) -> bool:
    """Whether a change is one, and suits the ranks."""
    changed = replace(given, **change)
    try:
        changed.check()
        changed.check_ranks(model, ranks)
    except StudyError:
        return False
    return changed != given

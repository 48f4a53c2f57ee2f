"""How often a particle deposits its charge on a mesh; the records count deposits outside the
mesh.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.workloads.collision.tables.point import slices_of


def deposits_per_particle(
    study: Mapping[str, Any], derived: Mapping[str, Any], beam: int
) -> NDArray[np.int64]:
    """Deposits of one particle of beam 1 or 2 in a turn at each interaction point of a resolved
    study with its derived quantities, (IP,).

    A particle deposits once in each plane of each opposing slice. A slice has two planes if the
    field is interpolated in z between its ends, which neighbours may share, else one; a model
    without a mesh has no deposits.
    """
    points = [study["ip"][str(k + 1)] for k in range(len(study["ip"]))]
    # Earlier versions, which derived no such value, had planes of pairs.
    shared = [bool(ip.get("shared_planes", False)) for ip in derived["ips"]]
    return np.array(
        [_deposits(*point, beam) for point in zip(points, shared, strict=True)], dtype=np.int64
    )


def _deposits(point: Mapping[str, Any], shared: bool, beam: int) -> int:
    if point["model"] != "strong-strong":
        return 0
    slices = slices_of(point)[2 - beam]
    if point["interpolation"] == "none":
        return slices
    return slices + 1 if shared else 2 * slices

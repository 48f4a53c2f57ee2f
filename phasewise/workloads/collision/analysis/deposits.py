"""How often a particle deposits its charge on a mesh; the records count deposits outside the
mesh.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.workloads.collision.tables.point import planes_met


def deposits_per_particle(study: dict[str, Any], beam: int) -> NDArray[np.int64]:
    """Deposits of one particle of beam 1 or 2 in a turn at each interaction point of a resolved
    study, (IP,).

    A particle deposits once in each plane of each opposing slice. A slice has two planes if the
    field is interpolated in z between its ends, which neighbours may share, else one; a model
    without a mesh has no deposits.
    """
    points = [study["ip"][key] for key in sorted(study["ip"], key=int)]
    return np.array([_deposits(point, beam) for point in points], dtype=np.int64)


def _deposits(point: dict[str, Any], beam: int) -> int:
    if point["model"] != "strong-strong":
        return 0
    return planes_met(point, beam)

"""How many real particles a macroparticle of a finished run stands for, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.workloads.collision.tables.beam import PopulationRamp

Array = NDArray[np.float64]


def per_macroparticle(study: Mapping[str, Any], number: int, turn: float | Array) -> Array:
    """Real particles of beam ``number`` for which each of its macroparticles stands in a turn, or
    in several, of a resolved study.
    """
    given = study["beam"][str(number)]
    ramp = given.get("population_ramp")
    if ramp is None:
        population = np.full(np.shape(turn), float(given["bunch_population"]))
    else:
        population = PopulationRamp(
            turns=tuple(ramp["turns"]), particles=tuple(ramp["particles"])
        ).at(turn)
    return np.asarray(population / given["macroparticles"])

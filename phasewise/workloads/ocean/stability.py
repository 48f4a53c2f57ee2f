"""The longest timesteps with which an ocean is stable (core/ocean/limits.hpp).

Surface waves are implicit, and so are Coriolis forces and vertical mixing. What is left is explicit
by Adams and Bashforth's second order: internal waves, mixing along x and y, and advection.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.study import Study
from phasewise.workloads.ocean.table import OceanTable

ROUNDING = 1e-12
SAFE = 0.5
"""Cells that a current may cross in the timestep that is named where it crossed too many."""


def limits_of(study: Study) -> Mapping[str, float]:
    """The longest timestep [s] by each of its causes, infinite where there is none."""
    found: dict[str, float] = cast(Any, load_planner()).ocean_limits(study.parameters())
    return found


def check_timestep(model: OceanTable, limits: Mapping[str, float]) -> None:
    """StudyError if the timestep is beyond stability."""
    cause = min(limits, key=limits.__getitem__)
    if model.timestep > limits[cause] * (1 + ROUNDING):
        raise StudyError(
            f"ocean.timestep = {model.timestep:g} s is unstable because of {cause} on cells of "
            f"{model.smallest_width / 1e3:.4g} km: give at most {rounded_down(limits[cause]):g} s"
        )


def rounded_down(seconds: float) -> float:
    """A time with four digits, no longer than the one given but for rounding."""
    step = 10.0 ** (math.floor(math.log10(seconds)) - 3)
    return math.floor(seconds / step * (1 + ROUNDING)) * step

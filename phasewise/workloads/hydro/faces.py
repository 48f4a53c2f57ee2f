"""Where the zones of a grid are."""

from __future__ import annotations

from typing import Any

import numpy as np

from phasewise.driver import Floats


def faces_of(model: Any, axis: int) -> Floats:
    """The faces of zones along an axis, one more than zones."""
    count = model.zones[axis]
    middle = 0.5 * (model.low[axis] + model.high[axis])
    half = 0.5 * (model.high[axis] - model.low[axis])
    return np.asarray(middle + half * (2 * np.arange(count + 1) - count) / count)


def centres_of(model: Any, axis: int) -> Floats:
    """The middles between the faces."""
    faces = faces_of(model, axis)
    return np.asarray(0.5 * (faces[1:] + faces[:-1]))

"""Mean and spread of a series in a window that moves along it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phasewise.analysis.spectrum import Floats


@dataclass(frozen=True)
class Moving:
    """Mean and standard deviation (T,) of the values in a window of `window` turns around each
    turn. At the ends the window is cut off; NaN where it holds no finite value.
    """

    window: int
    mean: Floats
    deviation: Floats


def moving(value: Floats, window: int) -> Moving:
    """Moving mean of a series (T,); the window is odd, so that it has a centre.

    ValueError if it is not a positive odd number.
    """
    if window < 1 or window % 2 == 0:
        raise ValueError(f"the window is {window} turns; accepted are positive odd numbers")
    known = np.isfinite(value)
    # The sums add distances from one value, so that the variance keeps its digits.
    origin = value[known][0] if known.any() else 0.0
    away = np.where(known, value - origin, 0.0)
    count = _sums(known.astype(np.float64), window)
    full = count > 0
    mean = np.divide(_sums(away, window), count, out=np.full(len(value), np.nan), where=full)
    square = np.divide(_sums(away**2, window), count, out=np.full(len(value), np.nan), where=full)
    return Moving(window, origin + mean, np.sqrt(np.maximum(square - mean**2, 0.0)))


def _sums(value: Floats, window: int) -> Floats:
    """Sum of the values in the window around each place."""
    half = window // 2
    total = np.concatenate([[0.0], np.cumsum(value)])
    place = np.arange(len(value))
    return np.asarray(
        total[np.minimum(place + half + 1, len(value))] - total[np.maximum(place - half, 0)]
    )

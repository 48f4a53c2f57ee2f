"""Effective masses of a correlator by time from its source.

One that falls as exp(-m t) has ln C(t)/C(t+1) = m; on a periodic lattice, where the way back around
it adds exp(-m (T - t)), C(t-1) + C(t+1) = 2 C(t) cosh m.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def exponential_mass(correlator: Floats) -> Floats:
    """ln C(t)/C(t+1), (T - 1,); NaN where it is not a number."""
    ratio = _quotient(correlator[:-1], correlator[1:])
    found: Floats = np.log(np.where(ratio > 0, ratio, np.nan))
    return found


def periodic_mass(correlator: Floats) -> Floats:
    """arcosh of (C(t-1) + C(t+1)) / 2 C(t), around the lattice, (T,); NaN where it is below 1."""
    beside = np.roll(correlator, 1) + np.roll(correlator, -1)
    ratio = _quotient(beside, 2.0 * correlator)
    found: Floats = np.arccosh(np.where(ratio >= 1, ratio, np.nan))
    return found


def _quotient(above: Floats, below: Floats) -> Floats:
    usable = np.isfinite(below) & (below != 0)
    found: Floats = np.full(below.shape, np.nan)
    np.divide(above, below, out=found, where=usable)
    return found

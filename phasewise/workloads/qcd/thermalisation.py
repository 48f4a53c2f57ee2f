"""Where a series reaches equilibrium, by the marginal standard error rule (K. P. White, Simulation
69 (1997) 323): the beginning is left out whose loss makes the standard error of the mean least.

The rule leaves out what is far from the rest, and keeps everything where nothing is. It takes the
members for independent: autocorrelation makes all of the errors too small by about the same factor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LEAST_KEPT = 2
"""No more than this part of a series is left out: one half."""
FEWEST = 10
"""Fewest members of a series from which something is left out."""


def settled_after(series: Any) -> int:
    """How many members of a series (N,) to leave out at its beginning; half of them where it does
    not settle before.
    """
    values = np.asarray(series, dtype=np.float64)
    count = len(values)
    if count < FEWEST or not np.isfinite(values).all():
        return 0
    values = values - values.mean()
    kept = count - np.arange(count // LEAST_KEPT + 1)
    sums = np.cumsum(values[::-1])[::-1][: len(kept)]
    squares = np.cumsum(values[::-1] ** 2)[::-1][: len(kept)]
    # (N - d)² times the square of the standard error of the mean is this sum of squares.
    return int(np.argmin((squares - sums**2 / kept) / kept**2))

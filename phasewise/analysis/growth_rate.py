"""Growth rates of emittances and luminosity, and their error bars.

A straight line is fitted by least squares. Its error bar takes in noise that is slow
(`slow_noise.py`), as long as the record.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phasewise.analysis.slow_noise import slope_error
from phasewise.analysis.spectrum import Floats

# Fraction of the points, from the start, that a fit leaves out: a beam that was matched without the
# focusing by the other beam filaments there.
TRANSIENT = 0.1
# Below this many points a fit has no error bar worth printing.
MIN_POINTS = 8
SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True)
class Growth:
    """Straight line through a quantity against turns.

    `start` is the line's value at the first turn recorded, in the quantity's unit; `per_turn` the
    relative growth per turn, (dq/dn)/start, and `error` its standard error; `per_hour` and
    `error_per_hour` the same per hour, None without a revolution frequency; `scatter` the rms of
    the residuals over `start`; `from_turn` and `to_turn` the turns fitted; `slope` and `intercept`
    draw the line.
    """

    start: float
    per_turn: float
    error: float
    per_hour: float | None
    error_per_hour: float | None
    scatter: float
    from_turn: int
    to_turn: int
    slope: float
    intercept: float

    def line(self, turn: Floats) -> Floats:
        """The fitted line at these turns, in the quantity's unit."""
        return np.asarray(self.intercept + self.slope * turn, dtype=np.float64)

    @property
    def significance(self) -> float:
        """Growth over its standard error."""
        return self.per_turn / self.error if self.error > 0 else float("inf")


def growth_rate(
    turn: Floats,
    value: Floats,
    revolution_frequency: float | None = None,
    transient: float = TRANSIENT,
) -> Growth | None:
    """Growth of a quantity (T,) against its turns (T,); None with too few finite points.

    revolution_frequency in Hz. The first `transient` of the points is left out.
    """
    keep = np.isfinite(value) & (np.arange(len(value)) >= transient * len(value))
    if keep.sum() < MIN_POINTS:
        return None
    n, q = np.asarray(turn, dtype=np.float64)[keep], np.asarray(value, dtype=np.float64)[keep]
    middle = n.mean()
    slope = float((n - middle) @ q / ((n - middle) @ (n - middle)))
    residual = q - q.mean() - slope * (n - middle)
    first = float(turn[0])
    start = float(q.mean() + slope * (first - middle))
    if start == 0:
        return None
    turns_per_point = float(n[-1] - n[0]) / (len(n) - 1)
    rate, error = slope / start, slope_error(residual) / turns_per_point / abs(start)
    per_hour = None if revolution_frequency is None else revolution_frequency * SECONDS_PER_HOUR
    return Growth(
        start=start,
        per_turn=rate,
        error=error,
        per_hour=None if per_hour is None else rate * per_hour,
        error_per_hour=None if per_hour is None else error * per_hour,
        scatter=float(np.sqrt(np.mean(residual**2)) / abs(start)),
        from_turn=int(n[0]),
        to_turn=int(n[-1]),
        slope=slope,
        intercept=float(q.mean() - slope * middle),
    )

"""Growth rates of emittances and luminosity, and their error bars.

A straight line is fitted by least squares. Successive turns are correlated (betatron motion,
filamentation), so the error bar is that of Newey and West: the covariance of the residuals is
summed over lags with falling weights 1 - l/(L+1) (W. Newey, K. West, Econometrica 55 (1987) 703),
with L by the first-order autoregressive rule of D. Andrews (Econometrica 59 (1991) 817).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
    rate, error = slope / start, slope_error(n, residual) / abs(start)
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


def slope_error(turn: Floats, residual: Floats) -> float:
    """Newey-West standard error of a least-squares slope, from the residuals (T,)."""
    points = len(turn)
    centred = turn - turn.mean()
    score = centred * residual
    total = float(score @ score)
    lags = _lags(residual)
    for lag in range(1, lags + 1):
        weight = 1 - lag / (lags + 1)
        total += 2 * weight * float(score[lag:] @ score[:-lag])
    variance = max(total, 0.0) * points / (points - 2) / float(centred @ centred) ** 2
    return float(np.sqrt(variance))


def _lags(residual: Floats) -> int:
    """Andrews' bandwidth for the Bartlett kernel, 1.1447 (α T)^⅓, for an AR(1) process with the
    same ρ.
    """
    points = len(residual)
    power = float(residual @ residual)
    if power == 0:
        return 0
    rho = float(np.clip((residual[1:] @ residual[:-1]) / power, -0.97, 0.97))
    alpha = 4 * rho**2 / ((1 - rho) ** 2 * (1 + rho) ** 2)
    return int(min(np.ceil(1.1447 * (alpha * points) ** (1 / 3)), points // 4))

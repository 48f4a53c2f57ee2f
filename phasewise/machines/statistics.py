"""Statistics of message times: medians with confidence intervals from samples, and straight lines
over the sizes (Hunold, Carpen-Amarie, arXiv 1505.07734).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
WIDE = 0.05
"""A time is noisy if the relative half width of its interval is larger than this."""
STRAIGHT = 0.02
"""Smallest relative deviation from a straight line that counts as more than noise."""
FEWEST_OF_LINE = 3
"""Fewest sizes that can have a straight line of their own."""


@dataclass(frozen=True)
class Estimate:
    """A median and its 95 % confidence interval [s]."""

    median: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the interval's width, relative to the median."""
        return 0.5 * (self.high - self.low) / self.median if self.median > 0 else 0.0

    @property
    def wide(self) -> bool:
        """Whether the interval is too wide."""
        return self.half_width > WIDE


def estimate(launches: Sequence[Floats]) -> Estimate:
    """Median of all samples, and its interval from order statistics, outliers included.

    The interval is widened to contain the median of every launch, since launches differ more than
    the samples of one launch. Fewer than six samples give their whole range, which then holds the
    median less often than 95 %. ValueError if there is no sample.
    """
    samples = np.sort(np.concatenate([np.asarray(part, dtype=np.float64) for part in launches]))
    if not len(samples):
        raise ValueError("no samples")
    first, last = _median_bounds(len(samples))
    medians = [float(np.median(part)) for part in launches if len(part)]
    return Estimate(
        float(np.median(samples)),
        min(float(samples[first]), *medians),
        max(float(samples[last]), *medians),
    )


def _median_bounds(count: int) -> tuple[int, int]:
    """Positions among `count` sorted samples between which the median is with 95 % confidence.

    The samples below the median are binomial with p = 1/2.
    """
    from scipy.stats import binom

    below = int(binom.ppf(0.5 * (1 - CONFIDENCE), count, 0.5)) - 1
    first = max(0, below)
    return first, count - 1 - first


def fit_line(sizes: Floats, seconds: Floats) -> tuple[float, float, float]:
    """Latency [s], bandwidth [B/s] and relative residual (rms) of t = L + s/B.

    Least squares of the relative deviations with L and 1/B not negative. The bandwidth is infinite
    for a single size and for times that do not rise.
    """
    from scipy.optimize import nnls

    matrix = np.column_stack([1.0 / seconds, sizes / seconds])
    # Columns are normalised: their scales differ by ten orders of magnitude.
    scale = np.linalg.norm(matrix, axis=0)
    scale[scale == 0] = 1.0
    (latency, slope), _ = nnls(matrix / scale, np.ones(len(sizes)))
    latency, slope = latency / scale[0], slope / scale[1]
    residual = (latency + slope * sizes) / seconds - 1.0
    bandwidth = 1.0 / slope if slope > 0 else float("inf")
    return float(latency), float(bandwidth), float(np.sqrt(np.mean(residual**2)))


def find_bends(sizes: Floats, seconds: Floats, noise: float = 0.0) -> list[int]:
    """Positions at which a new straight line begins: the fewest lines that describe the times.

    noise: relative half width of the times' intervals. Each further line adds three parameters
    (position, latency, bandwidth) and must improve the fit by more than Schwarz's criterion
    demands.
    """
    count = len(sizes)
    sigma = max(noise, STRAIGHT)
    price = 3.0 * np.log(max(count, 2)) * sigma**2
    best = np.full(count + 1, np.inf)
    best[0] = -price
    start = np.zeros(count + 1, dtype=np.int64)
    for last in range(FEWEST_OF_LINE, count + 1):
        for first in range(last - FEWEST_OF_LINE + 1):
            if not np.isfinite(best[first]):
                continue
            _, _, residual = fit_line(sizes[first:last], seconds[first:last])
            cost = best[first] + price + (last - first) * residual**2
            if cost < best[last] * (1 - 1e-12):
                best[last], start[last] = cost, first
    bends: list[int] = []
    at = int(start[count]) if count >= FEWEST_OF_LINE else 0
    while at > 0:
        bends.insert(0, at)
        at = int(start[at])
    return bends


def interpolation_errors(sizes: Floats, seconds: Floats) -> Floats:
    """For each size but the first and the last, the relative deviation of its time from the line
    between its neighbours' (n,); 0 at the ends.
    """
    errors = np.zeros(len(sizes))
    for i in range(1, len(sizes) - 1):
        between = np.interp(sizes[i], sizes[[i - 1, i + 1]], seconds[[i - 1, i + 1]])
        errors[i] = abs(between / seconds[i] - 1.0)
    return errors

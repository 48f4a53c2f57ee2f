"""The mean of a series whose members depend on those before them, by the Γ method (U. Wolff,
Comput. Phys. Commun. 156 (2004) 143).

Measurements on configurations of a Markov chain are such a series. Their autocorrelation function
Γ(t) is summed up to a window, which balances the statistical error of the sum against what the sum
leaves out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from phasewise.analysis.spectrum import Floats

RATIO = 1.5
"""The time by which Γ decays, over the integrated autocorrelation time, as the window assumes it
(Wolff's S).
"""
LEAST = 4
"""Fewest members of a series that have an error."""


@dataclass(frozen=True)
class Autocorrelation:
    """The mean of a series (N,) and how sure it is.

    `value` and its standard error `error`, in the series' unit; `error_of_error` is that of the
    error. `time` is the integrated autocorrelation time in members of the series, ½ where they do
    not depend on each other, and `time_error` its standard error. `window` is the last t of
    `function` that counts; `function` (window + 1 or more,) is Γ(t)/Γ(0).
    """

    value: float
    error: float
    error_of_error: float
    time: float
    time_error: float
    window: int
    function: Floats


def autocorrelation(series: Any) -> Autocorrelation:
    """The mean of a series (N,) with its error, and its autocorrelation time.

    A series must be long against its autocorrelation time; one that is not has too small an error.
    ValueError if it is no series of at least four finite numbers.
    """
    values = np.asarray(series, dtype=np.float64)
    if values.ndim != 1 or len(values) < LEAST or not np.isfinite(values).all():
        raise ValueError(
            f"an autocorrelation needs a series of at least {LEAST} finite numbers; one of shape "
            f"{values.shape} was given"
        )
    mean = float(values.mean())
    if (values == values[0]).all():
        return Autocorrelation(mean, 0.0, 0.0, 0.5, 0.0, 0, np.ones(1))
    largest = float(np.abs(values - mean).max())
    count, gamma = len(values), _gamma((values - mean) / largest)
    window = _window(gamma, count)
    # Subtracting the mean of the series itself makes Γ too small.
    gamma = gamma + _variance(gamma, window) / count
    # Members that alternate have sums that are not above 0, which would claim to be certain.
    while window > 0 and _variance(gamma, window) <= 0.0:
        window -= 1
    variance = _variance(gamma, window)
    time = variance / (2.0 * gamma[0])
    error = largest * math.sqrt(variance / count)
    return Autocorrelation(
        value=mean,
        error=error,
        error_of_error=error * math.sqrt((window + 0.5) / count),
        time=time,
        time_error=time * 2.0 * math.sqrt(max(window + 0.5 - time, 0.0) / count),
        window=window,
        function=gamma / gamma[0],
    )


def _variance(gamma: Floats, window: int) -> float:
    """The sum of Γ(t) over both signs of t up to the window."""
    return float(gamma[0] + 2.0 * gamma[1 : window + 1].sum())


def _gamma(deviations: Floats) -> Floats:
    """Γ(t) for t up to half of the series, by a transform of twice its length."""
    count = len(deviations)
    transform = np.fft.rfft(deviations, 2 * count)
    products = np.fft.irfft(np.abs(transform) ** 2, 2 * count)[: count // 2 + 1]
    return np.asarray(products / (count - np.arange(len(products))), dtype=np.float64)


def _window(gamma: Floats, count: int) -> int:
    """The first window at which leaving out more costs less than summing more."""
    times = np.cumsum(gamma) / gamma[0] - 0.5
    for window in range(1, len(gamma)):
        time = float(times[window])
        if time <= 0.5:
            return window
        decay = RATIO / math.log((2.0 * time + 1.0) / (2.0 * time - 1.0))
        if math.exp(-window / decay) < decay / math.sqrt(window * count):
            return window
    return len(gamma) - 1

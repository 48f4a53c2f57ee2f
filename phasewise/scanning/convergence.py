"""Whether a result is converged in a key such as the number of cells, slices or particles.

With N the value of the key, the error of a method of order p is c N^-p to leading order:

    y(N) = y_limit + c N^-p

Two values of N give y_limit (Richardson's extrapolation: L. F. Richardson, Phil. Trans. R. Soc. A
210 (1911) 307). A third one gives another y_limit from the next coarser pair; how much both differ
bounds what the leading order leaves out. All of it is done seed by seed, so that what a seed adds
to y(N) at every N does not blur the differences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HIGHEST_ORDER = 8.0
SURE = 2.0
"""Standard errors beyond which a difference is more than noise."""


@dataclass(frozen=True)
class Convergence:
    """How far a result at the finest value of a key is from its limit."""

    key: str
    result: str
    order: float
    """p, as expected of the method."""
    sizes: tuple[float, ...]
    """N in ascending order."""
    means: tuple[float, ...]
    """y(N), means over the seeds."""
    errors: tuple[float, ...]
    """Their standard errors; NaN with one seed."""
    deviations: tuple[float, ...]
    """y(N) / limit - 1, means over the seeds, each with its own limit."""
    deviation_errors: tuple[float, ...]
    """Their standard errors; NaN with one seed."""
    limit: float
    """y for N to infinity."""
    limit_error: float
    """Its error from the seeds and from what the leading order leaves out, added in quadrature."""
    rest: float
    """What the leading order leaves out, relative to the limit."""
    distance: float
    """``|y - limit| / |limit|`` at the finest value."""
    bound: float
    """The most that this distance may be: the distance plus twice its error, from the same two
    sources.
    """
    observed_order: float | None
    """p from the three finest values; None if there are fewer, or if their steps do not shrink."""

    def sentence(self) -> str:
        """The answer in words."""
        told = (
            f"{self.result} at {self.key} = {self.sizes[-1]:g} is {100 * self.distance:.2g} % from "
            f"its limit {self.limit:.5g} (at most {100 * self.bound:.2g} %; order {self.order:g})"
        )
        if len(self.sizes) < 3:
            return f"{told}, as far as two values can show: add a third"
        if self.observed_order is None:
            return f"{told}; its last steps are noise or do not shrink, and show no order"
        return f"{told}; the three finest values show order {self.observed_order:.2g}"


def converge(
    key: str, result: str, order: float, sizes: Sequence[float], values: Floats
) -> Convergence | None:
    """The convergence of a result; None with fewer than two sizes, or with a limit of 0.

    sizes: positive. values: (sizes, seeds), NaN where a point has no result. Sizes without any
    result are left out, and then seeds that lack a result at another size.
    """
    rank = [int(i) for i in np.argsort(sizes) if np.isfinite(values[i]).any()]
    n = [float(sizes[i]) for i in rank]
    y = values[rank]
    y = y[:, np.isfinite(y).all(axis=0)]
    if len(n) < 2 or y.shape[1] == 0:
        return None
    limits = _limits(n[-2:], y[-2:], order)
    limit = float(limits.mean())
    if limit == 0:
        return None
    coarser = _limits(n[-3:-1], y[-3:-1], order) if len(n) > 2 else y[-1]
    rest = abs(limit - float(coarser.mean()))
    off = y[-1] - limits
    distance = abs(float(off.mean())) / abs(limit)
    return Convergence(
        key=key,
        result=result,
        order=order,
        sizes=tuple(n),
        means=tuple(float(row.mean()) for row in y),
        errors=tuple(_error(row) for row in y),
        deviations=tuple(float(row.mean()) for row in (y - limits) / limit),
        deviation_errors=tuple(_error(row) for row in (y - limits) / limit),
        limit=limit,
        limit_error=math.hypot(rest, _known(_error(limits))),
        rest=rest / abs(limit),
        distance=distance,
        bound=distance + SURE * math.hypot(rest, _known(_error(off))) / abs(limit),
        observed_order=_observed(n[-3:], y[-3:]) if len(n) > 2 else None,
    )


def _limits(n: Sequence[float], y: Floats, order: float) -> Floats:
    """The limit from two sizes, for each seed (seeds,)."""
    limits: Floats = y[1] + (y[1] - y[0]) / ((n[1] / n[0]) ** order - 1)
    return limits


def _error(values: Floats) -> float:
    """The standard error of a mean over seeds; NaN with one of them."""
    count = len(values)
    return float(values.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan


def _known(error: float) -> float:
    return error if math.isfinite(error) else 0.0


def _observed(n: Sequence[float], y: Floats) -> float | None:
    """The order p for which three values lie on one curve, by bisection.

    (y1 - y2) / (y2 - y3) = (N1^-p - N2^-p) / (N2^-p - N3^-p), which grows with p.
    """
    steps = (y[0] - y[1], y[1] - y[2])
    if any(abs(float(step.mean())) <= SURE * _known(_error(step)) for step in steps):
        return None
    if (last := float(steps[1].mean())) == 0:
        return None
    ratio = float(steps[0].mean()) / last

    def expected(p: float) -> float:
        return float((n[0] ** -p - n[1] ** -p) / (n[1] ** -p - n[2] ** -p))

    low, high = 1e-3, HIGHEST_ORDER
    if not expected(low) < ratio < expected(high):
        return None
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if expected(middle) < ratio else (low, middle)
    return low

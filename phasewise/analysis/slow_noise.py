"""Standard error of a slope fitted to a series whose noise is slow.

Two beams that collide hand emittance to each other slowly, so that each does a random walk beside
the fast beating of its moments. The residuals of one line do not show a walk: the line takes most
of it in. The error is therefore that of a model, a random walk and white noise, whose strengths
follow from the slowest parts of the residuals alone (U. Müller, M. Watson, Econometrica 76 (2008)
979). Those parts are the first eigenvectors of a walk that has lost its line. Their coefficients
are independent, of the variance q λ_k + s² with q of the walk and s² of the white noise, and the
slope has the variance q a + s² b. How much of the noise is a walk the coefficients do not tell for
sure; the variance is the mean over all q/s² that explain them, each weighted by its likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from phasewise.analysis.spectrum import Floats

BLOCKS = 64
"""Blocks whose means are the series: more would only add what is fast."""

SLOWEST = 8
"""Coefficients that count, the last with a period of about a quarter of the record. What is faster,
such as the beating of the moments, does not follow the model.
"""

RATIOS = 2.0 ** np.arange(-6, 16)
"""Variance of the walk over that of white noise in the slowest coefficient: from a walk that adds
nothing to the slope's error to one without any white noise.
"""


@dataclass(frozen=True)
class _Model:
    """Unit variances in a record of unit length: of the coefficients and of the slope."""

    vectors: Floats  # (blocks, coefficients)
    walk: Floats  # λ (coefficients,)
    slope_of_walk: float
    slope_of_white: float


def slope_error(residual: Floats) -> float:
    """Standard error of a least-squares slope from its residuals (T,), T ≥ 8, in their unit per
    point.
    """
    blocks = min(BLOCKS, len(residual))
    size = len(residual) // blocks
    means = residual[len(residual) - blocks * size :].reshape(blocks, size).mean(axis=1)
    model = _model(blocks)
    power = (means @ model.vectors) ** 2
    ratio = np.concatenate([[0.0], RATIOS / model.walk[0]])[:, None]
    expected = 1 + ratio * model.walk
    count = len(power)
    white = (power / expected).mean(axis=1)  # s² with the most likelihood
    if not white[0] > 0:
        return 0.0
    likelihood = -0.5 * (count * np.log(white) + np.log(expected).sum(axis=1))
    weight = np.exp(likelihood - likelihood.max())
    # s² is known to √(2/count): its mean over the posterior is larger than its most likely value.
    scale = count / (count - 2)
    slope = model.slope_of_white + ratio[:, 0] * model.slope_of_walk
    variance = scale * float(weight @ (white * slope) / weight.sum())
    return float(np.sqrt(variance)) / (blocks * size)


@lru_cache(maxsize=8)
def _model(blocks: int) -> _Model:
    time = (np.arange(blocks) + 0.5) / blocks
    line = np.stack([np.ones(blocks), time - 0.5], axis=1)
    without = np.eye(blocks) - line @ np.linalg.solve(line.T @ line, line.T)
    # The mean over a block varies by 1/(6 blocks) less than the walk in its middle.
    walk = np.minimum.outer(time, time) - np.eye(blocks) / (6 * blocks)
    variances, vectors = np.linalg.eigh(without @ walk @ without)
    count = min(SLOWEST, blocks - 2)
    slope = line[:, 1] / (line[:, 1] @ line[:, 1])
    return _Model(
        vectors=vectors[:, ::-1][:, :count],
        walk=variances[::-1][:count],
        slope_of_walk=float(slope @ walk @ slope),
        slope_of_white=float(slope @ slope),
    )

"""Sizes, correlations and shape of a bunch from its moments, turn by turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phasewise.analysis.spectrum import Floats

COORDINATES = ("x", "px", "y", "py", "z", "delta")


@dataclass(frozen=True)
class Shape:
    """Moments of a bunch over T turns.

    `size` (T, 6) rms in m and 1; `correlation` (T, 6, 6) in [-1, 1]; `tilt` (T,) rad, the angle of
    the long axis of the x-y ellipse; `skewness` and `excess_kurtosis` (T, 6), 0 for a Gaussian, NaN
    if the moments were not recorded.
    """

    size: Floats
    correlation: Floats
    tilt: Floats
    skewness: Floats
    excess_kurtosis: Floats


def shape(covariance: Floats, moment3: Floats, moment4: Floats) -> Shape:
    """Shape from the covariance (T, 6, 6) and the central moments (T, 6)."""
    size = sizes(covariance)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = covariance / (size[:, :, None] * size[:, None, :])
        skewness = moment3 / size**3
        excess = moment4 / size**4 - 3
    tilt = 0.5 * np.arctan2(2 * covariance[:, 0, 2], covariance[:, 0, 0] - covariance[:, 2, 2])
    return Shape(size, correlation, tilt, skewness, excess)


def sizes(covariance: Floats) -> Floats:
    """Rms sizes (T, 6), in the units of the coordinates, of covariances (T, 6, 6)."""
    return np.asarray(np.sqrt(np.diagonal(covariance, axis1=1, axis2=2)), dtype=np.float64)


def sampling_error(macroparticles: int) -> float:
    """Relative standard error 1/√N of an emittance √det Σ computed from N Gaussian particles.

    det of a 2×2 Wishart matrix is a product of two χ² (R. J. Muirhead, Aspects of Multivariate
    Statistical Theory, theorem 3.2.15), so var(det)/det² → 4/N, and 1/N for its root. An rms size
    has 1/√(2N), a variance √(2/N).
    """
    return float(1 / np.sqrt(macroparticles))

"""The field of a two-dimensional Gaussian charge by a quadrature of its own, as a reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(400)


def gaussian_field(points: Floats, covariance: Floats) -> Floats:
    """(2, n) field at `points` (2, n) from the centre of a unit charge; far away r/r².

    Spreading the charge by the heat equation until nothing is left gives
    E = ½ ∫ (S + t)⁻¹ r exp(-½ r·(S + t)⁻¹ r)/√det(S + t) dt over t > 0, S the covariance; in ln t
    the integrand is smooth, and 400 nodes of Gauss's rule leave 1e-13 of it.
    """
    x, y = points[:, :, None]
    smallest, largest = np.linalg.eigvalsh(covariance)
    low = np.log(smallest * 1e-14)
    high = np.log(x**2 + y**2 + largest) + 36
    t = np.exp(low + (high - low) * (NODES + 1) / 2)
    weight = t * WEIGHTS * (high - low) / 4
    xx, xy, yy = covariance[0, 0] + t, covariance[0, 1], covariance[1, 1] + t
    determinant = xx * yy - xy**2
    along_x, along_y = (yy * x - xy * y) / determinant, (xx * y - xy * x) / determinant
    weight *= np.exp(-0.5 * (x * along_x + y * along_y)) / np.sqrt(determinant)
    return np.stack([(along_x * weight).sum(axis=1), (along_y * weight).sum(axis=1)])


def rolled(values: Floats, angle: float) -> Floats:
    """Particles (6, n) whose x and y, px and py are turned by `angle` around the axis of z."""
    result = values.copy()
    cosine, sine = np.cos(angle), np.sin(angle)
    for u, v in ((0, 2), (1, 3)):
        result[u] = cosine * values[u] - sine * values[v]
        result[v] = sine * values[u] + cosine * values[v]
    return result

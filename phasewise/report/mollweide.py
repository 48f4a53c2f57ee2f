"""Mollweide's projection of equal areas.

x = (2√2/π) λ cos θ, y = √2 sin θ with 2θ + sin 2θ = π sin φ (Snyder, Map Projections: A Working
Manual, USGS Professional Paper 1395 (1987), p. 249), here divided by 2√2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phasewise.analysis.spectrum import Floats

ITERATIONS = 60
"""Bisections of θ, after which it is exact to rounding."""


def mollweide_of(longitude: Any, latitude: Any) -> tuple[Floats, Floats]:
    """Mollweide's x in [-1, 1] and y in [-1/2, 1/2] of angles [rad] that broadcast; longitudes are
    counted from the middle of the map.
    """
    theta = _theta(np.asarray(latitude, np.float64))
    x = np.asarray(longitude) / np.pi * np.cos(theta)
    y = 0.5 * np.sin(theta) + np.zeros_like(x)
    return x, y


def _theta(latitude: Floats) -> Floats:
    """The solution of 2θ + sin 2θ = π sin φ, by bisection, as Newton's method fails at poles."""
    wanted = np.pi * np.sin(latitude)
    low, high = np.full_like(wanted, -np.pi / 2), np.full_like(wanted, np.pi / 2)
    for _ in range(ITERATIONS):
        middle = 0.5 * (low + high)
        below = 2 * middle + np.sin(2 * middle) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(0.5 * (low + high))

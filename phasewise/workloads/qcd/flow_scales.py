"""The scales t₀ and w₀ of the gradient flow, from the energy density along it.

t₀: t²⟨E⟩ = 0.3 (M. Lüscher, JHEP 08 (2010) 071); w₀: t d(t²⟨E⟩)/dt = 0.3 at t = w₀² (S. Borsányi et
al., JHEP 09 (2012) 010). Between two steps both are taken as straight lines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVEL = 0.3
"""What t²E and its logarithmic derivative reach at the scales."""


def times_of(step: float, count: int) -> Floats:
    """The flow times (count,) after 0, 1, … steps, in lattice units."""
    return step * np.arange(count, dtype=np.float64)


def dimensionless(times: Floats, energy: Floats) -> Floats:
    """t²E, (N,)."""
    return np.asarray(times**2 * energy)


def derivative(times: Floats, energy: Floats) -> Floats:
    """t d(t²E)/dt (N,), by central differences, and by one-sided ones of second order at the
    ends; NaN for fewer than three times.
    """
    if len(times) < 3:
        return np.full(len(times), np.nan)
    return np.asarray(times * np.gradient(dimensionless(times, energy), times, edge_order=2))


def crossing(times: Floats, values: Floats, level: float = LEVEL) -> float | None:
    """The time at which the values first rise to the level; None if they do not."""
    above = np.flatnonzero((values[1:] >= level) & (values[:-1] < level))
    if not len(above):
        return None
    n = int(above[0])
    share = (level - values[n]) / (values[n + 1] - values[n])
    return float(times[n] + share * (times[n + 1] - times[n]))


def t0_of(times: Floats, energy: Floats) -> float | None:
    """t₀ in lattice units; None where t²E stays below 0.3."""
    return crossing(times, dimensionless(times, energy))


def w0_of(times: Floats, energy: Floats) -> float | None:
    """w₀ in lattice units; None where t d(t²E)/dt stays below 0.3."""
    squared = crossing(times, derivative(times, energy))
    return None if squared is None else float(np.sqrt(squared))

"""The columns of a grid: Gaussian latitudes, longitudes, and the sun's declination."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from phasewise.driver import Floats

Grid = tuple[int, int]
"""Latitudes and longitudes."""

OBLIQUITY = 23.44
"""Usual declination on day LONGEST [degrees]."""
LONGEST, YEAR = 172, 365.0
"""The day of the northern summer solstice, and days of a year."""
DAY, HOUR = 86400.0, 3600.0
"""[s]"""


@lru_cache(maxsize=8)
def sines_of(latitudes: int) -> tuple[Floats, Floats]:
    """The sines of Gaussian latitudes from south to north, and their weights, whose sum is 2. They
    are shared: not to be written to.
    """
    sine, weight = np.polynomial.legendre.leggauss(latitudes)
    return np.asarray(sine), np.asarray(weight)


def latitudes_of(latitudes: int) -> Floats:
    """Gaussian latitudes from south to north [degrees]."""
    return np.asarray(np.degrees(np.arcsin(sines_of(latitudes)[0])))


def longitudes_of(longitudes: int) -> Floats:
    """(j + ½) 360°/n eastward [degrees]."""
    return np.asarray((np.arange(longitudes) + 0.5) * 360.0 / longitudes)


def edges_of(grid: Grid) -> tuple[Floats, Floats]:
    """The edges of cells from west to east and from south to north [degrees]; between those of
    latitudes Gaussian weights are the areas.
    """
    weight = sines_of(grid[0])[1]
    sines = np.clip(np.concatenate([[-1.0], -1.0 + np.cumsum(weight)]), -1.0, 1.0)
    sines[-1] = 1.0
    return np.linspace(0.0, 360.0, grid[1] + 1), np.asarray(np.degrees(np.arcsin(sines)))


def declination(day: float, obliquity: float = OBLIQUITY) -> float:
    """The obliquity times cos(2π (day - 172)/365) [degrees]; the day of the year from 1."""
    return float(obliquity * np.cos(2.0 * np.pi * (day - LONGEST) / YEAR))

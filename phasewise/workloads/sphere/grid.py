"""Gaussian grids: which one suits a triangular truncation, and where its points are."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, cast

import numpy as np

from phasewise.driver import Floats, load_core

FAST_FACTORS = (2, 3, 5)
"""Prime factors of a row whose Fourier transform is fast."""


def fewest_longitudes(truncation: int) -> int:
    """Points of a row with which products of two fields are exact up to the truncation."""
    return 3 * truncation + 1


def fewest_latitudes(truncation: int) -> int:
    """The same of latitudes, which come in pairs: the least even number of (3M + 1)/2 or more."""
    return 2 * -(-fewest_longitudes(truncation) // 4)


def fast_longitudes(truncation: int) -> int:
    """The least such number that is a multiple of four and has no other factors than 2, 3, 5.

    With half as many latitudes this gives the usual grids: 64 × 128 for T42, 256 × 512 for T170.
    """
    found = -(-fewest_longitudes(truncation) // 4) * 4
    while not _is_fast(found):
        found += 4
    return found


def _is_fast(number: int) -> bool:
    for factor in FAST_FACTORS:
        while number % factor == 0:
            number //= factor
    return number == 1


def largest_truncation(latitudes: int, longitudes: int) -> int:
    """The largest truncation that a grid holds; 0 if it holds none."""
    return min((longitudes - 1) // 3, (2 * latitudes - 1) // 3)


def functions_of(truncation: int) -> int:
    """Associated Legendre functions with l and m up to the truncation, and also the number of
    coefficients of a field.
    """
    return (truncation + 1) * (truncation + 2) // 2


def even_functions_of(truncation: int) -> int:
    """Associated Legendre functions with even l - m, for m up to the truncation and l up to one
    degree more.
    """
    return (truncation + 3) ** 2 // 4 - 1


@cache
def gaussian_latitudes(count: int) -> tuple[Floats, Floats]:
    """The sines of Gaussian latitudes from north to south, and their weights, whose sum is 2. They
    are shared: not to be written to.
    """
    sine, weight = cast(Any, load_core()).gaussian_latitudes(count)
    return np.asarray(sine), np.asarray(weight)


def latitudes_of(count: int) -> Floats:
    """Gaussian latitudes from north to south [degrees]."""
    return np.asarray(np.degrees(np.arcsin(gaussian_latitudes(count)[0])))


def longitudes_of(count: int) -> Floats:
    """Longitudes eastward from 0 [degrees]."""
    return 360.0 * np.arange(count) / count


def nearest_point(latitudes: int, longitudes: int, place: Any) -> tuple[float, float]:
    """The point of a grid next to a latitude and a longitude [degrees]; midway between two
    longitudes it is the eastern one, as in core/sphere/invariants.cpp.
    """
    north, east = latitudes_of(latitudes), longitudes_of(longitudes)
    at = math.floor(place[1] / 360.0 * longitudes + 0.5) % longitudes
    return float(north[np.abs(north - place[0]).argmin()]), float(east[at])

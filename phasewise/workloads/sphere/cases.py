"""The scales of the test cases: their fastest wind and their depth, from which limits follow.

Williamson, Drake, Hack, Jakob, Swarztrauber, J. Comput. Phys. 102 (1992) 211; Galewsky, Scott,
Polvani, Tellus 56A (2004) 429.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

BELL, STEADY, MOUNTAIN, WAVE = (f"williamson-{number}" for number in (1, 2, 5, 6))
JET, FILE = "galewsky", "file"
CASES = (BELL, STEADY, MOUNTAIN, WAVE, JET, FILE)
SOLVED = (BELL, STEADY)
"""Cases whose solution is known."""

DAY = 86400.0
PERIOD = 12 * DAY
"""Time of a turn of the solid rotation in cases 1 and 2 [s]."""
STEADY_GEOPOTENTIAL = 2.94e4
"""Largest geopotential of case 2 [m²/s²]."""
MOUNTAIN_WIND, MOUNTAIN_DEPTH = 20.0, 5960.0
"""Wind [m/s] and largest depth [m] of case 5."""
MOUNTAIN_HEIGHT = 2000.0
"""Height of its mountain [m]."""
WAVE_RATE, WAVE_NUMBER, WAVE_DEPTH = 7.848e-6, 4, 8000.0
"""ω = K [1/s], R, and depth at the poles [m] of case 6."""
JET_WIND, JET_DEPTH = 80.0, 10000.0
"""Wind [m/s] and mean depth [m] of Galewsky's jet."""


@dataclass(frozen=True)
class Scales:
    """The fastest wind [m/s] of a case and its depth [m], the largest one or the mean; a depth of
    0 stands for a case without gravity waves. least: the smallest depth [m].
    """

    wind: float
    depth: float
    least: float = math.inf


def scales_of(
    case: str,
    radius: float,
    rotation: float,
    gravity: float,
    mean_depth: float | None,
    amplitude: float,
) -> Scales | None:
    """The scales of a case whose winds have an amplitude; None where they stand in a file."""
    if case in SOLVED:
        wind = amplitude * 2 * math.pi * radius / PERIOD
        if case == BELL:
            return Scales(abs(wind), 0.0)
        depth = STEADY_GEOPOTENTIAL / gravity
        return Scales(abs(wind), depth, depth - _balance(wind, radius, rotation, gravity))
    if case == MOUNTAIN:
        wind = amplitude * MOUNTAIN_WIND
        fall = _balance(wind, radius, rotation, gravity)
        # The top of the mountain is at 30° north, where a quarter of the fall has been.
        least = MOUNTAIN_DEPTH - max(fall, 0.25 * fall + MOUNTAIN_HEIGHT)
        return Scales(abs(wind), MOUNTAIN_DEPTH, least)
    if case == WAVE:
        rate = amplitude * WAVE_RATE
        least, most = _wave_depths(rate, radius, rotation, gravity)
        return Scales(2 * radius * abs(rate), most, least)
    if case == JET:
        return Scales(abs(amplitude) * JET_WIND, JET_DEPTH if mean_depth is None else mean_depth)
    return None


def _balance(wind: float, radius: float, rotation: float, gravity: float) -> float:
    """By how much the depth falls from the equator to the poles, in balance with a solid rotation
    [m].
    """
    return (radius * rotation * wind + 0.5 * wind**2) / gravity


def _wave_depths(
    rate: float, radius: float, rotation: float, gravity: float
) -> tuple[float, float]:
    """The smallest and the largest depth of case 6 [m], by equations 147 to 150 of Williamson et
    al.
    """
    r = WAVE_NUMBER
    lowest, highest = 0.0, 0.0
    for degree in range(90):
        c = math.cos(math.radians(degree))
        quarter = 0.25 * rate**2 * c ** (2 * r)
        zonal = 0.5 * rate * (2 * rotation + rate) * c**2
        zonal += quarter * ((r + 1) * c**2 + (2 * r**2 - r - 2) - 2 * r**2 / c**2)
        once = 2 * (rotation + rate) * rate / ((r + 1) * (r + 2)) * c**r
        once *= r**2 + 2 * r + 2 - (r + 1) ** 2 * c**2
        twice = quarter * ((r + 1) * c**2 - (r + 2))
        highest = max(highest, zonal + abs(once) + twice)
        lowest = min(lowest, zonal - abs(once) + twice)
    scale = radius**2 / gravity
    return WAVE_DEPTH + scale * lowest, WAVE_DEPTH + scale * highest

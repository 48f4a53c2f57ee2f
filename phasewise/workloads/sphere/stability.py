"""The largest timestep with which leapfrog is stable.

Leapfrog keeps an oscillation of frequency ω bounded where |ω| Δt ≤ 1. A wind U advects the shortest
wave with the frequency U √(M(M+1)) / a. Inertial oscillations have 2Ω, and with the explicit scheme
gravity waves have √(4Ω² + c² M(M+1) / a²). The sum of both frequencies bounds those of the fields
at the start; winds that grow later may still leave it.
"""

from __future__ import annotations

import math

SEMI_IMPLICIT, EXPLICIT = "semi-implicit", "explicit"
SCHEMES = (SEMI_IMPLICIT, EXPLICIT)


def largest_timestep(
    truncation: int, radius: float, rotation: float, wind: float, wave_speed: float, scheme: str
) -> float:
    """The largest stable timestep [s]; infinite without anything that moves.

    wave_speed: of the gravity waves [m/s], which the semi-implicit scheme does not feel.
    """
    shortest = math.sqrt(truncation * (truncation + 1)) / radius
    inertial = 2 * abs(rotation)
    waves = wave_speed * shortest if scheme == EXPLICIT else 0.0
    frequency = wind * shortest + math.hypot(inertial, waves)
    return 1 / frequency if frequency else math.inf

"""The problems, with the domain, the gas and the time that the literature gives them.

sod: Sod, J. Comput. Phys. 27 (1978) 1. lax: Lax, Commun. Pure Appl. Math. 7 (1954) 159. einfeldt:
Einfeldt, Munz, Roe, Sjögreen, J. Comput. Phys. 92 (1991) 273. blast-waves: Woodward, Colella, J.
Comput. Phys. 54 (1984) 115. sedov: Kamm, Timmes, LA-UR-07-2849. noh: Noh, J. Comput. Phys. 72
(1987) 78. kelvin-helmholtz: McNally, Lyra, Passy, Astrophys. J. Suppl. 201 (2012) 18. acoustic-wave
and rayleigh-taylor: Stone et al., Astrophys. J. Suppl. 178 (2008) 137.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from phasewise.workloads.hydro.coordinates import (
    AXES,
    CARTESIAN,
    COORDINATES,
    CYLINDRICAL,
    OUTFLOW,
    PERIODIC,
    REFLECTING,
    ROUNDING,
    SPHERICAL,
    Axis,
    Ends,
)

SOD, LAX, EINFELDT, BLASTS, SEDOV, NOH, ACOUSTIC, SHEAR, FALLING, EVH1, FILE = PROBLEMS = (
    "sod", "lax", "einfeldt", "blast-waves", "sedov", "noh", "acoustic-wave", "kelvin-helmholtz",
    "rayleigh-taylor", "evh1", "file",
)  # fmt: skip
EXPLOSIONS = (SEDOV, EVH1)
NONE, UNIFORM, POINT_MASS = GRAVITIES = ("none", "uniform", "point-mass")

AIR, MONATOMIC = 1.4, 5 / 3
Bounds = tuple[float, float]
UNIT = (0.0, 1.0)
EXPLOSION_BOUNDS = (0.0, 1.2)
ENERGIES = {1: 0.134637, 2: 0.311357, 3: 0.851072}
"""The energy of the whole space with which Sedov's shock is at 0.5, 0.75 and 1 at t = 1, with
γ = 1.4 and a density of 1, in planar, cylindrical and spherical symmetry.
"""
AMPLITUDES = {ACOUSTIC: 1e-6, SHEAR: 0.01, FALLING: 0.01}
FALL = (0.0, -0.1, 0.0)
"""The acceleration of rayleigh-taylor."""


@dataclass(frozen=True)
class Defaults:
    """What a problem has unless the study says otherwise.

    bounds, ends: of the first axes; the others are as wide in zones as the first, and periodic.
    """

    bounds: tuple[Bounds, ...] = (UNIT,)
    ends: tuple[Ends, ...] = ((OUTFLOW, OUTFLOW),)
    gamma: float = AIR
    until: float = 0.0
    coordinates: tuple[str, ...] = (CARTESIAN,)
    fewest_axes: int = 1
    most_axes: int = 3


DEFAULTS = {
    SOD: Defaults(until=0.2),
    LAX: Defaults(until=0.16),
    EINFELDT: Defaults(until=0.15),
    BLASTS: Defaults(ends=((REFLECTING, REFLECTING),), until=0.038),
    SEDOV: Defaults(until=1.0, coordinates=COORDINATES),
    NOH: Defaults(gamma=MONATOMIC, until=0.6, coordinates=COORDINATES),
    ACOUSTIC: Defaults(ends=((PERIODIC, PERIODIC),), gamma=MONATOMIC, until=1.0),
    SHEAR: Defaults(
        bounds=(UNIT, UNIT), ends=((PERIODIC, PERIODIC),), gamma=MONATOMIC, until=1.5,
        fewest_axes=2,
    ),
    FALLING: Defaults(
        bounds=((-0.25, 0.25), (-0.75, 0.75)),
        ends=((PERIODIC, PERIODIC), (REFLECTING, REFLECTING)),
        until=12.75, fewest_axes=2,
    ),
    EVH1: Defaults(until=1.0, coordinates=(SPHERICAL,), fewest_axes=2, most_axes=2),
    FILE: Defaults(coordinates=COORDINATES),
}  # fmt: skip


def bounds_of(problem: str, coordinates: str, zones: tuple[int, ...]) -> list[Bounds]:
    """The bounds of each axis: angles go around, other axes are those of the literature, or have
    zones as wide as the first axis has.
    """
    known = DEFAULTS[problem].bounds
    if problem in (*EXPLOSIONS, NOH):
        known = (UNIT if problem == NOH else EXPLOSION_BOUNDS,) * len(zones)
    found: list[Bounds] = []
    for number, axis in enumerate(AXES[coordinates][: len(zones)]):
        if axis.unit:
            found.append((0.0, math.pi if axis.singular else math.tau))
        elif number < len(known):
            found.append(known[number])
        else:
            low, high = known[0]
            found.append((0.0, (high - low) * zones[number] / zones[0]))
    return found


def ends_of(problem: str, coordinates: str, bounds: list[Bounds]) -> list[Ends]:
    """The boundaries of each axis."""
    return [_ends(problem, AXES[coordinates][n], n, bound) for n, bound in enumerate(bounds)]


def _ends(problem: str, axis: Axis, number: int, bounds: Bounds) -> Ends:
    low, high = bounds
    known = DEFAULTS[problem].ends
    if axis.singular:
        return REFLECTING, REFLECTING if axis.unit else OUTFLOW
    if axis.unit:
        whole = high - low > axis.longest - ROUNDING
        return (PERIODIC, PERIODIC) if whole else (REFLECTING, REFLECTING)
    if problem in (*EXPLOSIONS, NOH):
        return OUTFLOW if low < 0 else REFLECTING, OUTFLOW
    if problem == FILE:
        return known[0]
    return known[number] if number < len(known) else (PERIODIC, PERIODIC)


def symmetry_of(coordinates: str, axes: int) -> int:
    """The dimension n of an explosion or an implosion: 1 planar, 2 cylindrical, 3 spherical."""
    if coordinates == CARTESIAN:
        return axes
    return 2 if coordinates == CYLINDRICAL and axes < 3 else 3

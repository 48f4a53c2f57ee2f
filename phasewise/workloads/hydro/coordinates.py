"""Coordinates of a grid: the names of their axes, how far these may reach, and where they are
singular.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from phasewise.errors import StudyError
from phasewise.output import number_of

CARTESIAN, CYLINDRICAL, SPHERICAL, AXISYMMETRIC = COORDINATES = (
    "cartesian", "cylindrical", "spherical", "axisymmetric",
)  # fmt: skip
REFLECTING, OUTFLOW, PERIODIC, INFLOW = BOUNDARIES = (
    "reflecting", "outflow", "periodic", "inflow",
)  # fmt: skip
Ends = tuple[str, str]
"""The boundaries at the low and at the high end of an axis."""
ROUNDING = 1e-12
"""Bounds nearer than this to 0, π or 2π are those."""


@dataclass(frozen=True)
class Axis:
    """An axis: its name, its unit where it is an angle, the bounds it may not leave, those at which
    it is singular, the longest stretch, and whether it may be periodic.
    """

    name: str
    unit: str = ""
    least: float = -math.inf
    most: float = math.inf
    singular: tuple[float, ...] = ()
    longest: float = math.inf
    closes: bool = True


X, Y, Z = (Axis(name) for name in "xyz")
RADIUS = Axis("r", least=0.0, singular=(0.0,), closes=False)
ANGLE = Axis("θ", "rad", longest=math.tau)
POLAR_ANGLE = Axis("θ", "rad", 0.0, math.pi, (0.0, math.pi), closes=False)
AZIMUTH = Axis("φ", "rad", longest=math.tau)
AXES = {
    CARTESIAN: (X, Y, Z),
    CYLINDRICAL: (RADIUS, ANGLE, Z),
    SPHERICAL: (RADIUS, POLAR_ANGLE, AZIMUTH),
    AXISYMMETRIC: (RADIUS, Z),
}
"""The axes of each kind of coordinates; a grid may have fewer of them."""
FEWEST_AXES = {AXISYMMETRIC: 2}
"""The fewest axes of a grid, where it is not one."""


def names_of(coordinates: str, count: int) -> list[str]:
    """The names of the first axes."""
    return [axis.name for axis in AXES[coordinates][:count]]


def check_axes(coordinates: str, count: int) -> None:
    """StudyError if coordinates have no grid of so many axes."""
    least, most = FEWEST_AXES.get(coordinates, 1), len(AXES[coordinates])
    if not least <= count <= most:
        accepted = str(least) if least == most else f"{least} to {most}"
        raise StudyError(
            f"hydro.zones has {number_of(count, 'axis', 'axes')}, but {coordinates} coordinates "
            f"have {accepted}: {', '.join(names_of(coordinates, most))}"
        )


def check_bounds(coordinates: str, low: Sequence[float], high: Sequence[float]) -> None:
    """StudyError if the bounds of an axis do not suit it."""
    for axis, first, last in zip(AXES[coordinates], low, high, strict=False):
        where = f"the axis {axis.name} goes from hydro.low = {first:g} to hydro.high = {last:g}"
        if not first < last:
            raise StudyError(f"{where}; the upper bound must be above the lower one")
        if first < axis.least - ROUNDING or last > axis.most + ROUNDING:
            most = "" if math.isinf(axis.most) else f" and at most {_number(axis.most)}"
            raise StudyError(
                f"{where}; in {coordinates} coordinates it is at least {_number(axis.least)}{most}"
            )
        if last - first > axis.longest + ROUNDING:
            raise StudyError(f"{where}, which is more than a whole turn of {_number(axis.longest)}")


def check_boundaries(
    coordinates: str, low: Sequence[float], high: Sequence[float], boundaries: Sequence[Ends]
) -> None:
    """StudyError if the boundaries of an axis do not suit it."""
    axes = zip(AXES[coordinates], low, high, boundaries, strict=False)
    for axis, first, last, (at_low, at_high) in axes:
        where = f'hydro.boundaries of the axis {axis.name}: ["{at_low}", "{at_high}"]'
        if PERIODIC in (at_low, at_high):
            if not axis.closes:
                raise StudyError(
                    f"{where} cannot be periodic in {coordinates} coordinates; accepted are "
                    f"{REFLECTING}, {OUTFLOW} and {INFLOW}"
                )
            if at_low != at_high:
                raise StudyError(f"{where} is periodic at one end alone; give it at both ends")
        for bound, end, word in ((first, "low", at_low), (last, "high", at_high)):
            if word != REFLECTING and any(_same(bound, at) for at in axis.singular):
                raise StudyError(
                    f"{where} is not {REFLECTING} at the {end} end, {axis.name} = "
                    f"{_number(bound)}, where the axis is singular; give {REFLECTING} there"
                )


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= ROUNDING


def _number(value: float) -> str:
    """A bound in words: multiples of π as such."""
    for factor, word in ((1, "π"), (2, "2π")):
        if _same(value, factor * math.pi):
            return word
    return f"{value:g}"

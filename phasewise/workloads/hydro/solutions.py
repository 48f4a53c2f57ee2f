"""Exact solutions as functions of arrays (core/hydro/exact.hpp).

>>> from phasewise.workloads.hydro import exact_riemann
>>> sod = exact_riemann(x, 0.2, left=(1, 0, 1), right=(0.125, 0, 0.1), diaphragm=0.5)
>>> sod.density, sod.star.pressure
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from phasewise.driver import Floats, load_planner

State = tuple[float, float, float]
"""Density, velocity and pressure."""


@dataclass(frozen=True)
class Profile:
    """A gas at some places, in arrays of their shape."""

    density: Floats
    velocity: Floats
    """Along x, or away from the centre."""
    pressure: Floats


@dataclass(frozen=True)
class Star:
    """The gas between the waves of a Riemann problem, and the speeds of these waves.

    A shock has the same head and tail. Where vacuum opens, the densities and the pressure are 0.
    """

    pressure: float
    velocity: float
    density_left: float
    density_right: float
    left_head: float
    left_tail: float
    right_tail: float
    right_head: float
    vacuum: bool


@dataclass(frozen=True)
class RiemannProfile(Profile):
    """The gas of a Riemann problem."""

    star: Star


@dataclass(frozen=True)
class ShockedProfile(Profile):
    """A gas behind and before a shock that leaves a centre."""

    shock: float
    """The distance of the shock from the centre."""


@dataclass(frozen=True)
class SedovProfile(ShockedProfile):
    """A point explosion."""

    alpha: float
    """α of R = (E t²/(α ρ))^(1/(n+2))."""


def exact_riemann(
    x: ArrayLike,
    t: float,
    left: Sequence[float],
    right: Sequence[float],
    gamma: float = 1.4,
    diaphragm: float = 0.0,
) -> RiemannProfile:
    """Two states that meet at a diaphragm at t = 0 (Toro, Riemann Solvers and Numerical Methods for
    Fluid Dynamics, chapter 4).

    Args:
        x: Places, an array of any shape.
        t: The time, above 0.
        left: Density, velocity and pressure at x below the diaphragm.
        right: The same above it.
        gamma: Ratio of specific heats, above 1.
        diaphragm: Its x.

    Raises:
        ValueError: A value is out of its range.
    """
    _check_gas(gamma, t)
    states = _state(left, "left"), _state(right, "right")
    found = _core().RiemannSolution(gamma, *states)
    profile = _profile(x, lambda places: found.at((places - diaphragm) / t))
    names = ("pressure", "velocity", "density_left", "density_right", "vacuum")
    values = {name: getattr(found, name) for name in names}
    waves = ("left_head", "left_tail", "right_tail", "right_head")
    return RiemannProfile(*profile, Star(**values, **dict(zip(waves, found.speeds, strict=True))))


def sedov(
    r: ArrayLike,
    t: float,
    energy: float,
    density: float = 1.0,
    gamma: float = 1.4,
    dimensions: int = 3,
) -> SedovProfile:
    """A point explosion in a cold gas (Sedov; Kamm, LA-UR-00-6055).

    Args:
        r: Distances from the centre, an array of any shape.
        t: The time, above 0.
        energy: That of the whole space; in 2 and 1 dimensions of a unit of length or of area.
        density: That of the gas before the shock.
        gamma: Ratio of specific heats, above 1.
        dimensions: 1 planar, 2 cylindrical, 3 spherical.

    Raises:
        ValueError: A value is out of its range.
    """
    _check_gas(gamma, t)
    _check_positive(energy=energy, density=density)
    found = _core().SedovSolution(gamma, _dimensions(dimensions), density, energy)
    profile = _profile(r, lambda places: found.at(np.abs(places), t))
    return SedovProfile(*profile, found.shock(t), found.alpha)


def noh(r: ArrayLike, t: float, gamma: float = 5 / 3, dimensions: int = 3) -> ShockedProfile:
    """A cold gas of density 1 that falls to a centre with velocity -1 (Noh, J. Comput. Phys. 72
    (1987) 78).

    Args:
        r: Distances from the centre, an array of any shape.
        t: The time, above 0.
        gamma: Ratio of specific heats, above 1.
        dimensions: 1 planar, 2 cylindrical, 3 spherical.

    Raises:
        ValueError: A value is out of its range.
    """
    _check_gas(gamma, t)
    found = _core().NohSolution(gamma, _dimensions(dimensions))
    profile = _profile(r, lambda places: found.at(np.abs(places), t))
    return ShockedProfile(*profile, found.shock(t))


def solution_of(parameters: str) -> Any | None:
    """The solution of a study with these flat parameters; None if none is known. Its function
    `at(points, time)` gives density, velocity along axis 1 and pressure at (N, 3) coordinates.
    """
    found = _core().HydroSolution(parameters)
    return found if found.known else None


def _core() -> Any:
    return cast(Any, load_planner())


def _profile(places: ArrayLike, at: Any) -> tuple[Floats, Floats, Floats]:
    """Density, velocity and pressure in the shape of the places."""
    array = np.asarray(places, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError("places must be finite numbers")
    found = at(np.ascontiguousarray(array.ravel()))
    density, velocity, pressure = (np.asarray(one).reshape(array.shape) for one in found)
    return density, velocity, pressure


def _state(given: Sequence[float], side: str) -> State:
    if len(given) != 3:
        raise ValueError(f"{side} must be density, velocity and pressure, but has {len(given)}")
    density, velocity, pressure = (float(one) for one in given)
    if not math.isfinite(density + velocity + pressure) or density <= 0 or pressure <= 0:
        raise ValueError(
            f"{side} = {(density, velocity, pressure)} must be finite, with a density and a "
            "pressure above 0"
        )
    return density, velocity, pressure


def _check_gas(gamma: float, t: float) -> None:
    if not 1 < gamma < math.inf:
        raise ValueError(f"gamma = {gamma:g} must be above 1")
    _check_positive(t=t)


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not 0 < value < math.inf:
            raise ValueError(f"{name} = {value:g} must be above 0")


def _dimensions(given: int) -> int:
    if given not in (1, 2, 3):
        raise ValueError(f"dimensions = {given} must be 1, 2 or 3")
    return int(given)

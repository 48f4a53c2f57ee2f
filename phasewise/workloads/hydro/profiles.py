"""Profiles of a gas beside its solution: along the first axis, or by the distance from a centre."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from phasewise.driver import Floats
from phasewise.study import Study
from phasewise.workloads.hydro.coordinates import CARTESIAN
from phasewise.workloads.hydro.faces import centres_of
from phasewise.workloads.hydro.model import model_of
from phasewise.workloads.hydro.problems import NOH, SEDOV
from phasewise.workloads.hydro.solutions import solution_of
from phasewise.workloads.hydro.table import HydroTable
from phasewise.workloads.hydro.zones import VELOCITIES

MOST_POINTS = 3000
"""Most zones that are drawn; of more, every second, third, …"""
LINE = 1000
"""Points of the solution."""

Quantities = tuple[Floats, Floats, Floats]
"""Density, velocity and pressure."""


@dataclass(frozen=True)
class Profiles:
    """Zones by their place, and the solution along it."""

    label: str
    words: str
    places: Floats
    values: Quantities
    solved_places: Floats
    solution: Quantities | None


def profiles_of(study: Study, fields: Mapping[str, Floats], time: float) -> Profiles:
    """The profiles of a snapshot."""
    model = model_of(study)
    from_centre = model.coordinates == CARTESIAN and model.problem in (SEDOV, NOH)
    several = len(model.zones) > 1
    if from_centre and several:
        label, words = "distance from the centre", "Zones by their distance from the centre"
        places, values = _by_distance(model, fields)
    else:
        label = "x" if model.coordinates == CARTESIAN else "r"
        middle = " in the middle of the others" if several else ""
        words = f"Zones along the first axis{middle}"
        places, values = centres_of(model, 0), _along(model, fields)
    step = -(-len(places) // MOST_POINTS)
    density, velocity, pressure = (one[::step] for one in values)
    line, solution = _solution(study, float(places.max()), time)
    return Profiles(label, words, places[::step], (density, velocity, pressure), line, solution)


def _along(model: HydroTable, fields: Mapping[str, Floats]) -> Quantities:
    """Density, velocity along the axis and pressure, in the middle of the other axes."""
    middle: Any = (slice(None), *(along // 2 for along in model.zones[1:]))
    density, velocity, pressure = (
        np.asarray(fields[name])[middle] for name in ("density", "velocity1", "pressure")
    )
    return density, velocity, pressure


def _by_distance(model: HydroTable, fields: Mapping[str, Floats]) -> tuple[Floats, Quantities]:
    """Distances from the point 0 in order, and density, radial velocity and pressure there."""
    axes = [centres_of(model, axis) for axis in range(len(model.zones))]
    places = np.meshgrid(*axes, indexing="ij")
    distance = np.sqrt(sum(place**2 for place in places))
    along = zip(places, VELOCITIES, strict=False)
    outward = sum(place * np.asarray(fields[name]) for place, name in along) / distance
    order = np.argsort(distance, axis=None)
    density, pressure = (np.asarray(fields[name]) for name in ("density", "pressure"))
    sorted_ = [one.ravel()[order] for one in (distance, density, outward, pressure)]
    return sorted_[0], (sorted_[1], sorted_[2], sorted_[3])


def _solution(study: Study, last: float, time: float) -> tuple[Floats, Quantities | None]:
    """The solution along the first axis, in the middle of the others; from the point 0 along the
    first axis for an explosion.
    """
    model, known = model_of(study), solution_of(study.parameters())
    line = np.linspace(model.low[0], max(last, model.high[0]), LINE)
    if known is None:
        return line, None
    points = np.zeros((LINE, 3))
    points[:, 0] = line
    centred = model.coordinates == CARTESIAN and model.problem in (SEDOV, NOH)
    for axis in range(1, len(model.zones)):
        if not centred:
            points[:, axis] = 0.5 * (model.low[axis] + model.high[axis])
    density, velocity, pressure = known.at(points, time)
    return line, (np.asarray(density), np.asarray(velocity), np.asarray(pressure))

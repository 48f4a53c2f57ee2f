"""What of a gas and a problem is refused, each in one sentence."""

from __future__ import annotations

from phasewise.errors import StudyError
from phasewise.output import number_of
from phasewise.tables.keys import show
from phasewise.workloads.hydro.coordinates import AXES, RADIUS
from phasewise.workloads.hydro.problems import (
    AMPLITUDES,
    DEFAULTS,
    EXPLOSIONS,
    FILE,
    POINT_MASS,
    UNIFORM,
)
from phasewise.workloads.hydro.table import HydroTable

MOST_GAMMA = 100.0


def check_gas(model: HydroTable) -> None:
    """StudyError if the gas, the timestep or the inflow cannot be."""
    if not 1 < model.gamma <= MOST_GAMMA:
        raise StudyError(
            f"hydro.gamma = {model.gamma:g} must be above 1 and at most {MOST_GAMMA:g}: it is the "
            "ratio of specific heats, 1.4 for air"
        )
    if model.courant > 1:
        raise StudyError(
            f"hydro.courant = {model.courant:g} must be at most 1: a wave may cross one zone in a "
            "timestep"
        )
    for name, value in zip(("density", "pressure"), model.inflow, strict=False):
        if value <= 0:
            raise StudyError(f"hydro.inflow: its {name} {value:g} must be above 0")


def check_problem(model: HydroTable) -> None:
    """StudyError if keys, coordinates or axes do not suit the problem."""
    usual, problem = DEFAULTS[model.problem], show(model.problem)
    if model.coordinates not in usual.coordinates:
        accepted = " or ".join(map(show, usual.coordinates))
        raise StudyError(
            f"hydro.coordinates = {show(model.coordinates)} does not suit problem = {problem}; "
            f"accepted: {accepted}"
        )
    axes = len(model.zones)
    if not usual.fewest_axes <= axes <= usual.most_axes:
        least, most = usual.fewest_axes, usual.most_axes
        accepted = str(least) if least == most else f"{least} to {most}"
        raise StudyError(
            f"hydro.zones has {number_of(axes, 'axis', 'axes')}, but problem = {problem} has "
            f"{accepted}"
        )
    _check_owners(model)
    _check_gravity(model)


def _check_owners(model: HydroTable) -> None:
    """StudyError for a key of another problem."""
    owners = {"energy": EXPLOSIONS, "radius": EXPLOSIONS, "amplitude": tuple(AMPLITUDES)}
    owners["file"] = (FILE,)
    for name, problems in owners.items():
        if getattr(model, name) is not None and model.problem not in problems:
            raise StudyError(
                f"hydro.{name} belongs to problem = {' or '.join(map(show, problems))}, but the "
                f"problem is {show(model.problem)}"
            )
    if model.problem == FILE and model.file is None:
        raise StudyError(f'hydro.file is missing: problem = "{FILE}" needs it')


def _check_gravity(model: HydroTable) -> None:
    """StudyError if a kind of gravity lacks its strength, or does not suit the coordinates."""
    for name, kind in (("acceleration", UNIFORM), ("point_mass", POINT_MASS)):
        given, needed = getattr(model, name) is not None, model.gravity == kind
        if needed and not given:
            raise StudyError(f"hydro.{name} is missing: gravity = {show(kind)} needs it")
        if given and not needed:
            raise StudyError(
                f"hydro.{name} belongs to gravity = {show(kind)}, but hydro.gravity is "
                f"{show(model.gravity)}"
            )
    axes = AXES[model.coordinates][: len(model.zones)]
    if model.gravity == POINT_MASS and axes[0] is not RADIUS:
        raise StudyError(
            f'hydro.gravity = "{POINT_MASS}" needs coordinates with a radius, and '
            f"hydro.coordinates = {show(model.coordinates)} have none"
        )
    for number, strength in enumerate(model.acceleration or ()):
        planar = number < len(axes) and axes[number].name in "xyz"
        if strength and not planar:
            raise StudyError(
                f"hydro.acceleration[{number + 1}] = {strength:g} must be 0: uniform gravity acts "
                "along x, y or z, and the grid has no such axis there"
            )

"""What of an ocean is refused, each in one sentence."""

from __future__ import annotations

from phasewise.errors import StudyError
from phasewise.tables.keys import show
from phasewise.workloads.ocean.grid import PLANE, SPHERE
from phasewise.workloads.ocean.table import (
    ALL_SEA,
    CONTINENTS,
    FILE,
    FROM_FILE,
    PERIODIC_XY,
    STRATIFIED,
    WAVE,
    OceanTable,
)

GEOMETRY_OF = {"latitudes": SPHERE, "extent": PLANE, "coriolis": PLANE, "beta": PLANE}
"""Keys that belong to one geometry."""
INITIAL_OF = {"wave_numbers": WAVE, "wave_height": WAVE, "initial_file": FROM_FILE}
"""Keys that belong to one kind of start."""


def check_all(given: OceanTable) -> None:
    """StudyError where keys do not suit each other."""
    _check_geometry(given)
    _check_mask(given)
    _check_start(given)
    if given.iterations is not None and given.tolerance is not None:
        raise StudyError(
            f"ocean.iterations = {given.iterations} and ocean.tolerance = {given.tolerance:g} "
            "exclude each other: a solve ends after a fixed number of iterations, or where its "
            "residual is small enough"
        )


def _check_geometry(given: OceanTable) -> None:
    for name, geometry in GEOMETRY_OF.items():
        if getattr(given, name) is not None and given.geometry != geometry:
            raise StudyError(
                f"ocean.{name} belongs to geometry = {show(geometry)}, but the geometry is "
                f"{show(given.geometry)}"
            )
    if given.geometry == PLANE and given.extent is None:
        raise StudyError(
            "ocean.extent is missing: a plane needs its lengths along x and y [m], as [4e6, 2e6]"
        )
    if given.geometry == SPHERE and given.periodic == PERIODIC_XY:
        raise StudyError(
            'ocean.periodic = "xy" belongs to geometry = "plane": on the sphere walls close the '
            'ocean in the south and in the north; give "x" or "none"'
        )
    if given.latitudes is not None and not given.latitudes[0] < given.latitudes[1]:
        south, north = given.latitudes
        raise StudyError(
            f"ocean.latitudes = [{south:g}, {north:g}]: the first is the southern wall and must be "
            "below the second one"
        )


def _check_mask(given: OceanTable) -> None:
    if given.mask == FILE and given.mask_file is None:
        raise StudyError(f'ocean.mask_file is missing: mask = "{FILE}" needs it')
    if given.mask_file is not None and given.mask not in (None, FILE):
        raise StudyError(
            f"ocean.mask_file belongs to mask = {show(FILE)}, but the mask is {show(given.mask)}"
        )
    if given.mask_variable is not None and given.mask_file is None:
        raise StudyError(
            "ocean.mask_variable names a variable of ocean.mask_file, which is missing"
        )
    if given.sea is not None and given.mask in (ALL_SEA, FILE):
        raise StudyError(
            f"ocean.sea belongs to mask = {show(CONTINENTS)}, but the mask is {show(given.mask)}"
        )


def _check_start(given: OceanTable) -> None:
    for name, initial in INITIAL_OF.items():
        alone = name == "initial_file" and given.initial is None
        if getattr(given, name) is not None and given.initial != initial and not alone:
            raise StudyError(
                f"ocean.{name} belongs to initial = {show(initial)}, but the start is "
                f"{show(given.initial or STRATIFIED)}"
            )
    if given.initial == FROM_FILE and given.initial_file is None:
        raise StudyError(f'ocean.initial_file is missing: initial = "{FROM_FILE}" needs it')

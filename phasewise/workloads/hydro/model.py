"""Reads a study of gas dynamics: the table [hydro] with the defaults of its problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from phasewise.tables.declared import flat_of, read_table, values_of
from phasewise.workloads.hydro.checks import check_gas, check_problem
from phasewise.workloads.hydro.coordinates import check_axes, check_bounds
from phasewise.workloads.hydro.lists import boundaries_in, numbers_in, zones_in
from phasewise.workloads.hydro.problems import (
    AMPLITUDES,
    DEFAULTS,
    ENERGIES,
    EXPLOSIONS,
    FALL,
    FALLING,
    FILE,
    NONE,
    UNIFORM,
    bounds_of,
    ends_of,
)
from phasewise.workloads.hydro.table import HydroRecords, HydroTable

REGION = 3.0
"""Radius of the region that has the energy of an explosion at first, in zones of the first axis."""


def read(tables: Mapping[str, Any], records: Mapping[str, Any], folder: Path) -> HydroTable:
    """The model that a study's tables describe; StudyError if they do not describe one."""
    given = read_table(HydroTable, tables["hydro"] or {}, "hydro")
    found = replace(
        given,
        records=HydroRecords(**records),
        zones=zones_in(given.zones),
        file=None if given.file is None else (folder / given.file).resolve(),
        **_gas_and_time(given),
    )
    found = replace(found, **_grid(found))
    found = replace(found, **_perturbation(found))
    check_gas(found)
    check_problem(found)
    found.check()
    return found


def _gas_and_time(given: HydroTable) -> dict[str, Any]:
    """Gas, time and gravity with the problem's defaults."""
    usual = DEFAULTS[given.problem]
    falls = given.problem == FALLING
    gravity = given.gravity or (UNIFORM if falls else NONE)
    acceleration = FALL if given.acceleration is None and falls else given.acceleration
    return {
        "coordinates": given.coordinates or usual.coordinates[0],
        "gamma": usual.gamma if given.gamma is None else given.gamma,
        "until": usual.until if given.until is None else given.until,
        "gravity": gravity,
        "acceleration": acceleration if gravity == UNIFORM else given.acceleration,
    }


def _grid(found: HydroTable) -> dict[str, Any]:
    """The bounds and the boundaries of each axis; StudyError where they are not those of the
    axes.
    """
    count = len(found.zones)
    check_axes(found.coordinates, count)
    usual = bounds_of(found.problem, found.coordinates, found.zones)
    low = numbers_in(found.low, count, "hydro.low") or tuple(one for one, _ in usual)
    high = numbers_in(found.high, count, "hydro.high") or tuple(one for _, one in usual)
    check_bounds(found.coordinates, low, high)
    bounds = list(zip(low, high, strict=True))
    ends = boundaries_in(found.boundaries, count)
    return {
        "low": low,
        "high": high,
        "boundaries": ends or tuple(ends_of(found.problem, found.coordinates, bounds)),
    }


def _perturbation(found: HydroTable) -> dict[str, Any]:
    """The keys of explosions and perturbations with their defaults."""
    changes: dict[str, Any] = {}
    if found.problem in EXPLOSIONS:
        if found.energy is None:
            changes["energy"] = ENERGIES[found.symmetry]
        if found.radius is None:
            changes["radius"] = REGION * found.zone_widths[0]
    if found.problem in AMPLITUDES and found.amplitude is None:
        changes["amplitude"] = AMPLITUDES[found.problem]
    return changes


def resolved(model: HydroTable) -> dict[str, Any]:
    """The tables from which `read` makes the same model."""
    own = values_of(model) | {"boundaries": [list(ends) for ends in model.boundaries]}
    return {"hydro": own, "records": values_of(model.records)}


def parameters(model: HydroTable) -> Iterator[tuple[str, Any]]:
    """The flat parameters of a model."""
    for name, value in flat_of(model):
        yield f"hydro.{name}", value
    yield "hydro.boundaries", tuple(word for ends in model.boundaries for word in ends)
    yield "hydro.acceleration", model.acceleration or (0.0, 0.0, 0.0)
    yield "hydro.point_mass", model.point_mass or 0.0
    yield "hydro.amplitude", model.amplitude or 0.0
    # Problems without an explosion do not use these, but a reader wants them above 0.
    yield "hydro.energy", model.energy or 1.0
    yield "hydro.radius", model.radius or 1.0
    yield "hydro.norms_every", model.records.l1_every


def model_of(study: Any) -> HydroTable:
    """The model of a study of this workload."""
    return cast(HydroTable, study.model)


def from_file(model: HydroTable) -> bool:
    """Whether the arrays at the start come from outside."""
    return model.problem == FILE

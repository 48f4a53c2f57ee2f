"""Reads a study of an ocean: the table [ocean] with the defaults of its grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from phasewise.tables.declared import flat_of, read_table, values_of
from phasewise.tables.keys import plain
from phasewise.workloads.ocean.checks import check_all
from phasewise.workloads.ocean.grid import (
    PLANE,
    SPHERE,
    STRETCHED,
    TIMESTEPS,
    UNIFORM,
    USUAL_LATITUDES,
    USUAL_TIMESTEP,
    size_in,
    thicknesses_in,
)
from phasewise.workloads.ocean.table import (
    ALL_SEA,
    CLOSED,
    CONTINENTS,
    FILE,
    FROM_FILE,
    GYRE,
    NO_WIND,
    PERIODIC_X,
    REST,
    STRATIFIED,
    TRADES,
    WAVE,
    OceanRecords,
    OceanTable,
)

SEA = 0.68
"""The share of the sea with continents of the seed."""
MIXING_SPEED = 0.1
"""Viscosity over the largest width of a cell [m/s]."""
DIFFUSING_SPEED = 0.01
WAVE_NUMBERS, WAVE_HEIGHT = (1, 0), 0.01


def read(tables: Mapping[str, Any], records: Mapping[str, Any], folder: Path) -> OceanTable:
    """The model that a study's tables describe; StudyError if they do not describe one."""
    given = read_table(OceanTable, tables["ocean"] or {}, "ocean")
    check_all(given)
    found = replace(
        given,
        records=OceanRecords(**records),
        size=size_in(given.grid),
        grid=_hashed(given.grid),
        mask_file=None if given.mask_file is None else (folder / given.mask_file).resolve(),
        initial_file=(
            None if given.initial_file is None else (folder / given.initial_file).resolve()
        ),
    )
    found = replace(found, **_place(found))
    found = replace(found, **_levels(found))
    found = replace(found, **_time_and_start(found))
    return replace(found, **_mixing(found))


def _hashed(value: Any) -> Any:
    """A value of a study with lists as tuples."""
    found = plain(value)
    return tuple(found) if isinstance(found, list) else found


def _place(given: OceanTable) -> dict[str, Any]:
    """Where the grid and the land are."""
    sphere = given.geometry == SPHERE
    usual = CONTINENTS if sphere else ALL_SEA
    mask = given.mask or (FILE if given.mask_file is not None else usual)
    return {
        "latitudes": given.latitudes or (USUAL_LATITUDES if sphere else None),
        "coriolis": 0.0 if given.coriolis is None and not sphere else given.coriolis,
        "beta": 0.0 if given.beta is None and not sphere else given.beta,
        "periodic": given.periodic or (PERIODIC_X if sphere else CLOSED),
        "mask": mask,
        "sea": SEA if given.sea is None and mask == CONTINENTS else given.sea,
    }


def _levels(given: OceanTable) -> dict[str, Any]:
    """The levels; a plane has equally thick ones by default."""
    usual = STRETCHED if given.geometry == SPHERE else UNIFORM
    levels = usual if given.levels is None else _hashed(given.levels)
    found = thicknesses_in(levels, given.size[2], given.depth)
    depth = given.depth
    if depth is None and isinstance(levels, str):
        depth = sum(found)
    return {"levels": levels, "thicknesses": found, "depth": depth}


def _time_and_start(given: OceanTable) -> dict[str, Any]:
    """The timestep, the wind, and the fields at the start."""
    named = given.grid if isinstance(given.grid, str) else ""
    winds = {SPHERE: TRADES, PLANE: GYRE}
    calm = given.initial in (REST, WAVE)
    initial = given.initial or (FROM_FILE if given.initial_file is not None else STRATIFIED)
    wave = initial == WAVE
    return {
        "timestep": given.timestep or TIMESTEPS.get(named, USUAL_TIMESTEP),
        "wind_profile": given.wind_profile or (NO_WIND if calm else winds[given.geometry]),
        "initial": initial,
        "wave_numbers": given.wave_numbers or (WAVE_NUMBERS if wave else None),
        "wave_height": WAVE_HEIGHT if given.wave_height is None and wave else given.wave_height,
    }


def _mixing(given: OceanTable) -> dict[str, Any]:
    """Mixing along x and y that grows with the cells; none for waves, whose frequency is known."""
    _, most, across = given.widths
    widest = 0.0 if given.initial == WAVE else max(most, across)
    usual = {"viscosity": MIXING_SPEED * widest, "diffusivity": DIFFUSING_SPEED * widest}
    return {name: value for name, value in usual.items() if getattr(given, name) is None}


def resolved(model: OceanTable) -> dict[str, Any]:
    """The tables from which `read` makes the same model."""
    return {"ocean": values_of(model), "records": values_of(model.records)}


def parameters(model: OceanTable) -> Iterator[tuple[str, Any]]:
    """The flat parameters of a model."""
    yield "ocean.grid", model.size
    for name, value in flat_of(model):
        yield f"ocean.{name}", value
    yield "ocean.thicknesses", model.thicknesses
    yield "ocean.tolerance", 0.0 if model.iterations else model.wanted
    yield "ocean.expected_iterations", model.expected_iterations
    if model.mask == FILE:
        from phasewise.workloads.ocean.mask_file import sea_levels_of

        yield "ocean.sea_levels", sea_levels_of(model)


def model_of(study: Any) -> OceanTable:
    """The model of a study of this workload."""
    return cast(OceanTable, study.model)

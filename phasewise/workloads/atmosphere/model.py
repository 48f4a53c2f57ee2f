"""Reads a study of an atmosphere's columns: the table [atmosphere] with the grid that a file of
costs gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from phasewise.errors import StudyError
from phasewise.tables.declared import flat_of, read_table, values_of
from phasewise.workloads.atmosphere.costs_file import (
    costs_of,
    fingerprint_of_costs,
    grid_of_costs,
)
from phasewise.workloads.atmosphere.table import USUAL_GRID, AtmosphereRecords, AtmosphereTable


def read(
    tables: Mapping[str, Any], own_records: Mapping[str, Any], folder: Path
) -> AtmosphereTable:
    """The model of a study's table [atmosphere]."""
    given = read_table(AtmosphereTable, tables["atmosphere"] or {}, "atmosphere")
    if given.costs is not None:
        given = replace(given, costs=(folder / given.costs).resolve())
    _check_costs(given)
    grid = given.grid or (USUAL_GRID if given.costs is None else grid_of_costs(given))
    found = replace(given, grid=grid, records=AtmosphereRecords(**own_records))
    if found.costs is None or found.costs_fingerprint is not None:
        return found
    costs_of(found)
    return replace(found, costs_fingerprint=fingerprint_of_costs(found))


def _check_costs(given: AtmosphereTable) -> None:
    """StudyError where keys belong to costs from a file, which is not given, or lack it."""
    if given.costs is None:
        for name in ("costs_variable", "costs_fingerprint", "column_bytes"):
            if getattr(given, name) is not None:
                raise StudyError(
                    f"atmosphere.{name} belongs to atmosphere.costs, the file with the seconds of "
                    "each column, which is missing"
                )
    elif given.column_bytes is None:
        raise StudyError(
            "atmosphere.column_bytes is missing: with atmosphere.costs it is a list of two "
            "integers, the bytes of a column on its way out and back, as [600, 800]"
        )


def resolved(model: AtmosphereTable) -> dict[str, Any]:
    """The tables from which `read` makes the same model."""
    return {"atmosphere": values_of(model), "records": values_of(model.records)}


def parameters(model: AtmosphereTable) -> Iterator[tuple[str, Any]]:
    """The flat parameters of a model."""
    for name, value in flat_of(model):
        yield f"atmosphere.{name}", value
    if model.costs is not None:
        costs = costs_of(model)
        yield "atmosphere.cost_times", costs.shape[0]
        yield "atmosphere.column_bytes", model.column_bytes
        yield "atmosphere.costs", tuple(costs.ravel().tolist())


def model_of(study: Any) -> AtmosphereTable:
    """The model of a study of this workload."""
    return cast(AtmosphereTable, study.model)

"""Values of all columns, put together on rank 0 from the rows of all ranks."""

from __future__ import annotations

import math

import numpy as np

from phasewise.driver import Communicator, Floats, StatefulRun
from phasewise.workloads.atmosphere.table import AtmosphereTable

COLUMNS, LEVELS = "columns", "levels"
"""The sets of rows of a run's state: columns by longitude + longitudes × latitude, and levels by
level + levels × column.
"""
OF_COLUMNS = ("surface_temperature", "precipitation", "cost")
OF_LEVELS = ("temperature", "vapour", "cloud")


def fields_of(model: AtmosphereTable) -> tuple[str, ...]:
    """The fields that a study has."""
    return ("cost",) if model.costs is not None else (*OF_COLUMNS, *OF_LEVELS)


def whole_field(
    run: StatefulRun, comm: Communicator, model: AtmosphereTable, name: str
) -> Floats | None:
    """A field (latitudes, longitudes) from the south, or with an axis more for levels, the
    uppermost first, on rank 0; None elsewhere. Collective.
    """
    levels = (model.levels,) if name in OF_LEVELS else ()
    rows = run.state()[LEVELS if levels else COLUMNS]
    ids = comm.gather(np.ascontiguousarray(rows["id"], dtype=np.int64).tobytes())
    parts = comm.gather(np.ascontiguousarray(rows[name], dtype=np.float64).tobytes())
    if comm.rank() != 0:
        return None
    found = np.empty(model.columns * math.prod(levels))
    for own, part in zip(ids, parts, strict=True):
        found[np.frombuffer(own, np.int64)] = np.frombuffer(part)
    return found.reshape(*model.grid, *levels)

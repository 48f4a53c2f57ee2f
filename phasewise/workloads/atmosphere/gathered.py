"""Values of all columns, put together on rank 0 from the rows of all ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phasewise.driver import Communicator, Floats, StatefulRun
from phasewise.workloads.atmosphere.table import AtmosphereTable

SET = "columns"
"""The set of rows of a run's state: columns by longitude + longitudes × latitude."""
OF_COLUMNS = ("surface_temperature", "precipitation", "cost")
OF_LEVELS = ("temperature", "vapour", "cloud")


def fields_of(model: AtmosphereTable) -> tuple[str, ...]:
    """The fields that a study has."""
    return ("cost",) if model.costs is not None else (*OF_COLUMNS, *OF_LEVELS)


def whole_fields(
    run: StatefulRun, comm: Communicator, model: AtmosphereTable, names: Sequence[str]
) -> dict[str, Floats] | None:
    """Fields (latitudes, longitudes) from the south, those of levels with an axis more, the
    uppermost first, on rank 0; None elsewhere. Collective.
    """
    rows = run.state()[SET]
    ids = comm.gather(np.ascontiguousarray(rows["id"], dtype=np.int64).tobytes())
    parts = {
        name: comm.gather(np.ascontiguousarray(rows[name], dtype=np.float64).tobytes())
        for name in names
    }
    if comm.rank() != 0:
        return None
    order = np.concatenate([np.frombuffer(part, np.int64) for part in ids])
    found = {}
    for name in names:
        values = np.concatenate([np.frombuffer(part) for part in parts[name]])
        levels = (model.levels,) if name in OF_LEVELS else ()
        whole = np.empty((model.columns, *levels))
        whole[order] = values.reshape(-1, *levels)
        found[name] = whole.reshape(*model.grid, *levels)
    return found

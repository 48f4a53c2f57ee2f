"""Fields of the whole ocean, put together on rank 0 from the rows of all ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Arrays, Communicator, Floats, StatefulRun
from phasewise.workloads.ocean.driver import CELLS, COLUMNS
from phasewise.workloads.ocean.table import OceanTable

Integers = NDArray[np.int64]
OF_COLUMNS = ("surface",)
FLOW = ("u", "v")
TRACERS = ("temperature", "salinity")
FIELDS = (*OF_COLUMNS, *FLOW, *TRACERS)


def fields_of(model: OceanTable) -> tuple[str, ...]:
    """The fields that a study has."""
    return FIELDS if model.baroclinic else (*OF_COLUMNS, *FLOW)


def levels_of(model: OceanTable) -> int:
    """Levels of the fields that have some; without levels the flow is that of the whole depth."""
    return model.size[2] if model.baroclinic else 1


def whole_field(
    run: StatefulRun, comm: Communicator, model: OceanTable, name: str
) -> Floats | None:
    """A field of the whole ocean on rank 0, None elsewhere: the surface [j][i], and others
    [k][j][i]; NaN on land. Collective.
    """
    nx, ny, _ = model.size
    if name in OF_COLUMNS:
        return _put(run.state()[COLUMNS], comm, name, (ny, nx))
    return _put(run.state()[CELLS], comm, name, (levels_of(model), ny, nx))


def uppermost(
    run: StatefulRun, comm: Communicator, model: OceanTable, names: Sequence[str]
) -> dict[str, Floats] | None:
    """Fields of the uppermost level [j][i] on rank 0, None elsewhere; collective."""
    nx, ny, _ = model.size
    rows = _only(run.state()[CELLS], names, lambda ids: ids < nx * ny)
    found = {name: _put(rows, comm, name, (ny, nx)) for name in names}
    return {name: one for name, one in found.items() if one is not None} or None


def section(
    run: StatefulRun, comm: Communicator, model: OceanTable, name: str, column: int
) -> Floats | None:
    """A field [k][j] from the south to the north through the cells with i = column, on rank 0, None
    elsewhere; collective.
    """
    nx, ny, nz = model.size
    rows = _only(run.state()[CELLS], (name,), lambda ids: ids % nx == column)
    return _put({**rows, "id": rows["id"] // nx}, comm, name, (nz, ny))


def _only(rows: Arrays, names: Sequence[str], wanted: Any) -> dict[str, NDArray[Any]]:
    """Those rows whose numbers are wanted."""
    ids = np.asarray(rows["id"], dtype=np.int64)
    chosen = wanted(ids)
    return {"id": ids[chosen], **{name: np.asarray(rows[name])[chosen] for name in names}}


def _put(
    rows: Mapping[str, NDArray[Any]], comm: Communicator, name: str, shape: tuple[int, ...]
) -> Floats | None:
    """The rows of all ranks by their numbers, on rank 0, None elsewhere; collective."""
    ids = comm.gather(np.ascontiguousarray(rows["id"], dtype=np.int64).tobytes())
    values = comm.gather(np.ascontiguousarray(rows[name], dtype=np.float64).tobytes())
    if comm.rank() != 0:
        return None
    found = np.full(int(np.prod(shape)), np.nan)
    for own, part in zip(ids, values, strict=True):
        found[np.frombuffer(own, np.int64)] = np.frombuffer(part)
    return found.reshape(shape)

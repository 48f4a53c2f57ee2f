"""The state of a run by the numbers of zones, i + n₁ (j + n₂ k), and as arrays [i][j][k] of the
whole grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Communicator, Floats, StatefulRun
from phasewise.workloads.hydro.table import HydroTable

Integers = NDArray[np.int64]
SET = "zones"
"""The set of rows of a run's state (core/hydro/run.hpp)."""
VELOCITIES = ("velocity1", "velocity2", "velocity3")
POSITIVE = ("density", "pressure")
FIELDS = (*POSITIVE, *VELOCITIES)


def fields_of(model: HydroTable) -> tuple[str, ...]:
    """The fields of a grid: density, pressure, and the velocity along each of its axes."""
    return (*POSITIVE, *VELOCITIES[: len(model.zones)])


def own_zones(run: StatefulRun) -> Integers:
    """The numbers of this rank's zones."""
    return np.asarray(run.state()[SET]["id"], dtype=np.int64)


def places_of(numbers: Integers, zones: Sequence[int]) -> list[Integers]:
    """i, j, k of zones, as many as there are axes."""
    found, rest = [], numbers
    for along in zones:
        found.append(rest % along)
        rest = rest // along
    return found


def hand_over(
    run: StatefulRun, comm: Communicator, model: HydroTable, arrays: Mapping[str, Floats]
) -> None:
    """Replace fields of this rank's zones, which are in the order of `own_zones`. Densities and
    pressures below the floors are set to them, and counted. Collective.
    """
    rows = run.state()[SET]
    columns = {name: np.asarray(rows[name]) for name in rows if name != "id"}
    for name, values in arrays.items():
        columns[name] = np.ascontiguousarray(values, dtype=np.float64)
    for name in POSITIVE:
        floor = getattr(model, f"{name}_floor")
        counted = summed(comm, int((columns[name] < floor).sum()))
        columns[name] = np.maximum(columns[name], floor)
        columns[f"{name}_floors"] = columns[f"{name}_floors"] + counted
    run.restore(SET, np.ascontiguousarray(rows["id"], dtype=np.int64), columns)


def summed(comm: Communicator, count: int) -> int:
    """The sum of a count over all ranks; collective."""
    total = sum(int(part) for part in comm.gather(str(count).encode()))
    return int(comm.broadcast(str(total).encode()))


def whole_fields(
    run: StatefulRun, comm: Communicator, model: HydroTable, names: Sequence[str]
) -> dict[str, Floats] | None:
    """Fields of the whole grid, [i][j][k], on rank 0; None elsewhere. Collective."""
    rows = whole_rows(run, comm, names)
    return rows and {name: in_shape(values, model.zones) for name, values in rows.items()}


def whole_rows(
    run: StatefulRun, comm: Communicator, names: Sequence[str]
) -> dict[str, Floats] | None:
    """Columns of the state by the numbers of all zones, on rank 0; None elsewhere. Collective."""
    rows = run.state()[SET]
    numbers = comm.gather(np.ascontiguousarray(rows["id"], dtype=np.int64).tobytes())
    parts = {name: comm.gather(np.ascontiguousarray(rows[name]).tobytes()) for name in names}
    if comm.rank() != 0:
        return None
    order = np.concatenate([np.frombuffer(part, np.int64) for part in numbers])
    found = {}
    for name in names:
        found[name] = np.empty(len(order))
        found[name][order] = np.concatenate([np.frombuffer(part) for part in parts[name]])
    return found


def in_shape(values: Floats, zones: Sequence[int]) -> Floats:
    """Values by the numbers of all zones as an array [i][j][k]."""
    return np.ascontiguousarray(values.reshape(tuple(reversed(zones))).T)

"""Exchanges with halos, run on all ranks of mpiexec; rank 0 prints what went wrong and the records.

A field [rows][columns] of each rank has a frame of one; what its neighbours along a periodic row
have at their edges comes into the frame, west and east.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

import phasewise._core as core
from phasewise.workload.protocols import available

ROWS, COLUMNS = 5, 4
MANY_ROWS = 150
"""Of a second field: so many that columns are copied in parts."""
TIMES = 3
TYPES = ("derived", "packed", "neighbour")
"""Protocols that store, and cannot add."""
FROM_DEVICE = (
    *("irecv-isend", "ordered", "sendrecv", "isend-recv", "irecv-send"),
    *("ready", "synchronous", "persistent"),
)
"""Protocols whose messages may lie on a device."""


def column(field: np.ndarray, place: int) -> tuple[list[int], int, int, list[tuple[int, int]]]:
    """A column within the frame: one value a row."""
    row = field.strides[0]
    return [0], row + place * field.itemsize, field.itemsize, [(field.shape[0] - 2, row)]


def halo(rank: int, size: int, field: np.ndarray, protocol: str, adds: bool) -> dict[str, Any]:
    """The exchange of this rank: what goes west is received from the east, in this order."""
    west, east = (rank - 1) % size, (rank + 1) % size
    return {
        "team": list(range(size)),
        "me": rank,
        "protocol": protocol,
        "nodes": [0] * size,
        "adds": adds,
        "blocks": [column(field, place) for place in (1, COLUMNS, 0, COLUMNS + 1)],
        "rounds": [
            {"sends": [(west, [0]), (east, [1])], "receives": [(east, [3]), (west, [2])]},
        ],
    }


def field_of(rank: int, rows: int) -> np.ndarray:
    """Values that differ everywhere, and a frame of -1."""
    field = np.full((rows + 2, COLUMNS + 2), -1.0)
    inner = 1000 * rank + np.arange(rows * COLUMNS, dtype=float)
    field[1:-1, 1:-1] = inner.reshape(rows, COLUMNS)
    return field


def expected(rank: int, size: int, rows: int, adds: bool) -> np.ndarray:
    """The field after the exchanges."""
    field = field_of(rank, rows)
    west, east = field_of((rank - 1) % size, rows), field_of((rank + 1) % size, rows)
    for _ in range(TIMES):
        for here, theirs in ((0, west[1:-1, COLUMNS]), (COLUMNS + 1, east[1:-1, 1])):
            field[1:-1, here] = field[1:-1, here] + theirs if adds else theirs
    return field


def exchanged(protocol: str, adds: bool, rows: int, on_device: bool) -> tuple[np.ndarray, str]:
    """This rank's field after the exchanges, and the record of them."""
    executor = core.Executor(events=100, on_device=on_device)
    field = field_of(core.rank(), rows)
    memory = field.reshape(-1).view(np.uint8)
    exchange = halo(core.rank(), core.size(), field, protocol, adds)
    executor.run(exchange, memory, field.nbytes, memory, field.nbytes, TIMES)
    return field, executor.record()


def main() -> int:
    """All protocols; rank 0 prints the faults of every rank, and the records."""
    rank, size = core.rank(), core.size()
    faults, records = [], {}
    for protocol in available():
        for adds in (False, True):
            if adds and protocol in TYPES:
                continue
            for on_device in (True, False) if protocol in FROM_DEVICE else (False,):
                for rows in (MANY_ROWS, ROWS):
                    field, record = exchanged(protocol, adds, rows, on_device)
                    if not np.array_equal(field, expected(rank, size, rows, adds)):
                        way = f"{protocol}, adds = {adds}, on a device = {on_device}"
                        faults.append(f"rank {rank}: {way}, {rows} rows")
            records[f"{protocol} {adds}"] = json.loads(record)
    everyone = core.gather(json.dumps([faults, records]).encode())
    if rank == 0:
        print(json.dumps([json.loads(one) for one in everyone]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Gathers rows of all ranks on rank 0 in the order of their ids, block by block.

The order does not depend on the ranks, so that a file written from the rows is the same on any
number of ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Arrays, Communicator

BLOCK = 1 << 18
"""Ids in a block; each column of numbers in it takes 2 MB on rank 0."""

ID = "id"

Columns = Mapping[str, str]
"""Names of columns and their types in files, `ID` first."""


def count_rows(rows: Arrays, comm: Communicator, below: int) -> int:
    """The number of rows of all ranks with an id below `below`, on every rank; collective."""
    here = int(np.count_nonzero(rows[ID] < below))
    counts = comm.gather(here.to_bytes(8, "little"))
    total = sum(int.from_bytes(count, "little") for count in counts)
    return int.from_bytes(comm.broadcast(total.to_bytes(8, "little")), "little")


def gather_rows(
    rows: Arrays, columns: Columns, comm: Communicator, below: int, block: int = BLOCK
) -> Iterator[Arrays]:
    """The rows with ids under `below`; every rank iterates to the end.

    Rank 0 gets arrays of all columns by ascending id, at most `block` of each at a time; the other
    ranks get as many empty ones.
    """
    kind = np.dtype([(name, columns[name]) for name in columns])
    ids = np.asarray(rows[ID])
    order = np.argsort(ids, kind="stable")
    edges = np.append(np.arange(0, below, block), below)
    cuts = np.searchsorted(ids, edges, sorter=order)
    for first, last in pairwise(cuts):
        part = np.empty(int(last - first), kind)
        for name in columns:
            part[name] = np.asarray(rows[name])[order[first:last]]
        parts = [np.frombuffer(data, kind) for data in comm.gather(part.tobytes())]
        found = np.concatenate([np.empty(0, kind), *parts])
        found = found[np.argsort(found[ID], kind="stable")]
        yield {name: found[name] for name in columns}


def no_rows(columns: Columns) -> dict[str, NDArray[Any]]:
    """The columns of a rank that holds no rows."""
    return {name: np.empty(0, kind) for name, kind in columns.items()}

"""Particles of all ranks handed to rank 0 in the order of their ids, a block at a time.

Ids, not ranks, give the order, so that a file written from them is the same on any number of ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from phasewise.driver import COORDINATES, Arrays, Communicator, Driver

BLOCK = 1 << 18
"""Ids in a block: 13 MB of particles on rank 0 at a time."""

_PARTICLE = np.dtype([("id", "<u4"), *((name, "<f8") for name in COORDINATES)])


def count_particles(driver: Driver, comm: Communicator, beam: int, below: int) -> int:
    """Living particles of `beam` with an id under `below`, on every rank; collective."""
    here = 0
    if beam in driver.beams_here:
        here = int(np.count_nonzero(driver.particles(beam)["id"] < below))
    counts = comm.gather(here.to_bytes(8, "little"))
    total = sum(int.from_bytes(count, "little") for count in counts)
    return int.from_bytes(comm.broadcast(total.to_bytes(8, "little")), "little")


def gather_particles(
    driver: Driver, comm: Communicator, beam: int, below: int, block: int = BLOCK
) -> Iterator[Arrays]:
    """The living particles of `beam` with ids under `below`; every rank iterates to the end.

    Rank 0 gets arrays `id` and the six coordinates by ascending id, at most `block` of each at a
    time; the other ranks as many empty ones.
    """
    mine = driver.particles(beam) if beam in driver.beams_here else None
    ids = np.empty(0, np.uint32) if mine is None else np.asarray(mine["id"])
    order = np.argsort(ids, kind="stable")
    edges = np.append(np.arange(0, below, block), below)
    cuts = np.searchsorted(ids, edges, sorter=order)
    for first, last in pairwise(cuts):
        part = np.empty(int(last - first), _PARTICLE)
        if mine is not None:
            for name in _PARTICLE.names or ():
                part[name] = np.asarray(mine[name])[order[first:last]]
        parts = [np.frombuffer(data, _PARTICLE) for data in comm.gather(part.tobytes())]
        block_of_all = np.concatenate([np.empty(0, _PARTICLE), *parts])
        block_of_all = block_of_all[np.argsort(block_of_all["id"], kind="stable")]
        yield {name: block_of_all[name] for name in _PARTICLE.names or ()}

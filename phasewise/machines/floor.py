"""A lower bound for the time of given messages on a machine, for any order and any routes:

max( volume of an adapter / its bandwidth,  volume across a cut / its bandwidth,  volume on a memory
bus or on the link of two sockets / its bandwidth ).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.machines.machine import Machine
from phasewise.machines.topology import adapters_of, cuts, sockets_of

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Floor:
    """Lower bounds [s] by what limits them; `seconds` is the largest."""

    adapter: float
    cut: float
    memory: float

    @property
    def seconds(self) -> float:
        """The floor [s]."""
        return max(self.adapter, self.cut, self.memory)


def floor(
    machine: Machine,
    nodes: Integers,
    source: Integers,
    target: Integers,
    volume: NDArray[np.int64] | Floats,
    taper: bool = True,
) -> Floor:
    """The floor for n messages: `volume` bytes (n,) from rank `source` (n,) to rank `target` (n,).

    nodes (R,): the node of each rank, if the nodes are filled one after another. taper: count the
    narrower upper stage that a full twin has.
    """
    a, b = nodes[source], nodes[target]
    bytes_ = np.asarray(volume, dtype=np.float64)
    outside, inside = a != b, a == b
    adapters = adapters_of(machine, len(nodes))
    sent = _most(adapters[source[outside]], bytes_[outside])
    received = _most(adapters[target[outside]], bytes_[outside])
    return Floor(
        adapter=max(sent, received) / adapter_bandwidth(machine),
        cut=max(
            (
                _across(mask, a, b, bytes_) / width
                for mask, width in cuts(machine, len(nodes), taper)
            ),
            default=0.0,
        ),
        memory=_within(machine, len(nodes), source[inside], target[inside], bytes_[inside]),
    )


def adapter_bandwidth(machine: Machine) -> float:
    """Bandwidth [B/s] of an adapter of a node, each way, or of all its links where it has none."""
    network = machine.network
    if network.adapter_bandwidth is not None:
        return network.adapter_bandwidth
    # A message can leave over any of the six links.
    return 6 * (network.link_bandwidth or network.flow_bandwidth)


def _most(place: Integers, volume: Floats) -> float:
    """The most bytes of any place."""
    return float(np.bincount(place, volume).max(initial=0.0))


def _across(mask: NDArray[np.bool_], a: Integers, b: Integers, volume: Floats) -> float:
    out = float(volume[mask[a] & ~mask[b]].sum())
    into = float(volume[~mask[a] & mask[b]].sum())
    return max(out, into)


def _within(
    machine: Machine, ranks: int, source: Integers, target: Integers, volume: Floats
) -> float:
    memory, sockets = machine.memory, machine.sockets
    if memory is None or not len(volume):
        return 0.0
    socket = sockets_of(machine, ranks)
    start, end = socket[source], socket[target]
    across = start != end
    # A message to another socket crosses the buses of both.
    buses = np.concatenate([start, end[across]])
    bus = _most(buses, np.concatenate([volume, volume[across]])) / memory.bandwidth
    if sockets is None:
        return max(bus, _most(source, volume) / memory.rank_bandwidth)
    own = np.where(across, sockets.rank_bandwidth, memory.rank_bandwidth)
    rank = _most(source, volume / own)
    count = int(socket.max()) + 1
    link = _most((start * count + end)[across], volume[across]) / sockets.bandwidth
    return max(bus, rank, link)

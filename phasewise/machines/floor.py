"""A lower bound for the time of given messages on a machine, for any order and any routes:

max( volume of a node / adapter,  volume across a cut / its bandwidth ).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.machines.machine import Machine
from phasewise.machines.topology import cuts, node_count

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

    nodes (R,): the node of each rank. taper: count the narrower upper stage that a full twin has.
    """
    a, b = nodes[source], nodes[target]
    bytes_ = np.asarray(volume, dtype=np.float64)
    count = max(node_count(machine, len(nodes)), int(nodes.max(initial=0)) + 1)
    outside, inside = a != b, a == b
    sent = np.bincount(a[outside], bytes_[outside], count)
    received = np.bincount(b[outside], bytes_[outside], count)
    return Floor(
        adapter=float(max(sent.max(), received.max())) / node_bandwidth(machine),
        cut=max(
            (
                _across(mask, a, b, bytes_) / width
                for mask, width in cuts(machine, len(nodes), taper)
            ),
            default=0.0,
        ),
        memory=_within(machine, a[inside], source[inside], bytes_[inside], count),
    )


def node_bandwidth(machine: Machine) -> float:
    """Bandwidth [B/s] of a node towards the others, each way: that of its adapter, or of all its
    links.
    """
    network = machine.network
    if network.adapter_bandwidth is not None:
        return network.adapter_bandwidth
    # A message can leave over any of the six links.
    return 6 * (network.link_bandwidth or network.flow_bandwidth)


def _across(mask: NDArray[np.bool_], a: Integers, b: Integers, volume: Floats) -> float:
    out = float(volume[mask[a] & ~mask[b]].sum())
    into = float(volume[~mask[a] & mask[b]].sum())
    return max(out, into)


def _within(
    machine: Machine, node: Integers, source: Integers, volume: Floats, count: int
) -> float:
    if machine.memory is None or not len(volume):
        return 0.0
    bus = float(np.bincount(node, volume, count).max()) / machine.memory.bandwidth
    return max(bus, float(np.bincount(source, volume).max()) / machine.memory.rank_bandwidth)

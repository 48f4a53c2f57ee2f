"""The node of each rank, the size of the network, and its bottlenecks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import StudyError
from phasewise.machines.machine import Machine, Network

Integers = NDArray[np.int64]
Shape = tuple[int, int, int]

SHARED_LINKS = ("torus", "dragonfly")
"""Kinds of networks on whose links messages of different nodes meet."""

LONGEST_SIDE = 2
"""Largest ratio of a box's longest side to its shortest."""


def nodes_of(machine: Machine, ranks: int) -> Integers:
    """The node of each rank (ranks,): rank div ranks of a node, nodes in x-fastest order."""
    return np.arange(ranks) // machine.node_ranks


def node_count(machine: Machine, ranks: int) -> int:
    """Nodes that a number of ranks needs."""
    return -(-ranks // machine.node_ranks)


@cache
def smallest_box(nodes: int) -> Shape:
    """Sides x <= y <= z of the smallest box that holds the nodes.

    No side is more than twice as long as another; among equally large boxes it is the most cubic
    one.
    """
    best: tuple[int, int, Shape] | None = None
    for x in range(1, round(nodes ** (1 / 3)) + 2):
        for y in range(x, LONGEST_SIDE * x + 1):
            z = max(y, -(-nodes // (x * y)))
            if z <= LONGEST_SIDE * x:
                found = (x * y * z, x + y + z, (x, y, z))
                best = found if best is None else min(best, found)
    assert best is not None
    return best[2]


def torus_dims(machine: Machine, ranks: int) -> Shape:
    """Sides of the torus for a number of ranks; StudyError if it is too small."""
    nodes = node_count(machine, ranks)
    dims = machine.network.dims or smallest_box(nodes)
    _check_places(
        machine, ranks, dims[0] * dims[1] * dims[2], f"torus of {dims[0]}x{dims[1]}x{dims[2]}"
    )
    return dims


def check_size(machine: Machine, ranks: int) -> None:
    """StudyError if the machine has too few nodes for the ranks."""
    network = machine.network
    if network.kind == "none" and ranks > machine.node_ranks:
        raise StudyError(
            f"{machine.name} is a single node of {machine.node_ranks} ranks, without a network; "
            f"give at most {machine.node_ranks} ranks, not {ranks}"
        )
    if network.kind == "torus":
        torus_dims(machine, ranks)
    elif network.kind == "dragonfly":
        groups, routers, nodes = dragonfly_dims(network)
        name = f"dragonfly of {groups} groups of {routers} routers with {nodes} nodes each"
        _check_places(machine, ranks, groups * routers * nodes, name)


def dragonfly_dims(network: Network) -> Shape:
    """Groups, routers of a group, nodes of a router."""
    assert network.groups and network.routers and network.router_nodes
    return network.groups, network.routers, network.router_nodes


def _check_places(machine: Machine, ranks: int, places: int, name: str) -> None:
    nodes = node_count(machine, ranks)
    if nodes > places:
        on = f" with {machine.node_ranks} ranks a node" if machine.node_ranks > 1 else ""
        raise StudyError(
            f"{machine.name}: its {name} has {places} nodes{on}, and {ranks} ranks need {nodes}; "
            f"give at most {places * machine.node_ranks} ranks"
        )


def cuts(machine: Machine, ranks: int, taper: bool) -> Iterator[tuple[NDArray[np.bool_], float]]:
    """Bottlenecks of the network beyond a node's adapter.

    Each is a mask (nodes,) of the nodes on one side, and the bandwidth [B/s] out of that side,
    which is also that into it. taper: whether a fat-tree's upper stage is narrower.
    """
    network = machine.network
    places = np.arange(node_count(machine, ranks))
    if network.kind == "fat-tree" and network.taper is not None and taper:
        for first in range(0, len(places), network.taper.nodes):
            yield (
                places // network.taper.nodes == first // network.taper.nodes,
                network.taper.bandwidth,
            )
    elif network.kind == "torus":
        yield from _planes(torus_dims(machine, ranks), places, network.link_bandwidth or 0.0)
    elif network.kind == "dragonfly":
        groups, routers, nodes = dragonfly_dims(network)
        # Each group has one link to each other group.
        for group in range(groups):
            width = (groups - 1) * (network.global_bandwidth or 0.0)
            yield places // (routers * nodes) == group, width


def _planes(
    dims: Shape, places: Integers, link: float
) -> Iterator[tuple[NDArray[np.bool_], float]]:
    """Pairs of planes that halve a torus, across each direction, at every place."""
    stride = 1
    for axis, length in enumerate(dims):
        at = places // stride % length
        area = dims[0] * dims[1] * dims[2] // length
        # A ring is cut twice; between two nodes there is a pair of links.
        for first in range(length if length > 1 else 0):
            inside = (at - first) % length < length // 2
            yield inside, 2 * area * link
        stride *= dims[axis]

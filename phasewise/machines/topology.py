"""The node, socket and adapter of each rank, the size of the network, and its bottlenecks."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import StudyError
from phasewise.machines.machine import Block, Machine, Network

Integers = NDArray[np.int64]
Shape = tuple[int, int, int]

SHARED_LINKS = ("torus", "dragonfly")
"""Kinds of networks on whose links messages of different nodes meet."""

LONGEST_SIDE = 2
"""Largest ratio of a box's longest side to its shortest."""


def nodes_of(machine: Machine, ranks: int) -> Integers:
    """The node of each rank (ranks,), if the nodes are filled one after another."""
    return np.arange(ranks) // machine.node_ranks


def sockets_of(machine: Machine, ranks: int) -> Integers:
    """The socket of each rank (ranks,), numbered through all nodes; each socket of a node has the
    same number of its ranks, in order.
    """
    return _shares_of(machine, ranks, machine.socket_count)


def adapters_of(machine: Machine, ranks: int) -> Integers:
    """The adapter that each rank uses (ranks,), likewise."""
    return _shares_of(machine, ranks, machine.network.adapters)


def parts_of(machine: Machine, ranks: int) -> Integers:
    """The part of its node on which each rank is (ranks,), from 0 in each node: the ranks of a part
    have both socket and adapter in common.
    """
    parts = part_count(machine)
    return _shares_of(machine, ranks, parts) % parts


def part_count(machine: Machine) -> int:
    """The number of such parts of a node."""
    return math.lcm(machine.socket_count, machine.network.adapters)


def _shares_of(machine: Machine, ranks: int, shares: int) -> Integers:
    node, local = np.divmod(np.arange(ranks), machine.node_ranks)
    return np.asarray(node * shares + local * shares // machine.node_ranks, dtype=np.int64)


def node_count(machine: Machine, ranks: int) -> int:
    """The number of nodes that a number of ranks needs."""
    return -(-ranks // machine.node_ranks)


def places_of(machine: Machine, ranks: int) -> Integers:
    """The place of each node (nodes,) in the network, x fastest on a torus: in order, or shuffled
    over all places of the network that the job gets (on a fat-tree: as many places as the job has
    nodes).
    """
    nodes, network = node_count(machine, ranks), machine.network
    if network.allocation == "in-order":
        return np.arange(nodes)
    return np.array(_shuffled(place_count(machine, ranks), network.allocation_seed)[:nodes])


@cache
def _shuffled(count: int, seed: int) -> tuple[int, ...]:
    """0 to count - 1 in an order that is the same everywhere."""

    def key(place: int) -> bytes:
        return hashlib.sha256(f"{seed} {place}".encode()).digest()

    return tuple(sorted(range(count), key=key))


def place_count(machine: Machine, ranks: int) -> int:
    """The number of places for nodes in the network that the ranks get."""
    if machine.network.kind == "torus":
        return torus_block(machine, ranks).nodes
    if machine.network.kind == "dragonfly":
        return math.prod(dragonfly_dims(machine.network))
    return node_count(machine, ranks)


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


def torus_block(machine: Machine, ranks: int) -> Block:
    """The part of the torus that a number of ranks gets: the smallest block with enough nodes;
    StudyError if the largest one has too few.
    """
    nodes = node_count(machine, ranks)
    blocks = machine.network.blocks or (Block(smallest_box(nodes)),)
    found = next((block for block in blocks if block.nodes >= nodes), blocks[-1])
    _check_places(machine, ranks, found.nodes, found.title)
    return found


def check_size(machine: Machine, ranks: int) -> None:
    """StudyError if the machine has too few nodes for the ranks."""
    network = machine.network
    if machine.nodes is not None and ranks > machine.nodes * machine.node_ranks:
        raise StudyError(
            f"{machine.name} has {machine.nodes} nodes of {machine.node_ranks} ranks; give at most "
            f"{machine.nodes * machine.node_ranks} ranks, not {ranks}"
        )
    if network.kind == "none" and ranks > machine.node_ranks:
        raise StudyError(
            f"{machine.name} is a single node of {machine.node_ranks} ranks, without a network; "
            f"give at most {machine.node_ranks} ranks, not {ranks}"
        )
    if network.kind == "torus":
        torus_block(machine, ranks)
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
    places = places_of(machine, ranks)
    if network.kind == "fat-tree" and network.taper is not None and taper:
        stages = places // network.taper.nodes
        for stage in range(int(stages.max(initial=0)) + 1):
            yield stages == stage, network.taper.bandwidth
    elif network.kind == "torus":
        yield from _planes(torus_block(machine, ranks), places, network.link_bandwidth or 0.0)
    elif network.kind == "dragonfly":
        groups, routers, nodes = dragonfly_dims(network)
        # Each group has one link to each other group.
        for group in range(groups):
            width = (groups - 1) * (network.global_bandwidth or 0.0)
            yield places // (routers * nodes) == group, width


def _planes(
    block: Block, places: Integers, link: float
) -> Iterator[tuple[NDArray[np.bool_], float]]:
    """Planes across each direction, at every place: one plane cuts a mesh, a pair of them halves a
    torus.
    """
    stride = 1
    for length in block.dims:
        at = places // stride % length
        area = block.nodes // length
        if block.wrap:
            # A ring is cut twice; between two nodes there is a pair of links.
            for first in range(length if length > 1 else 0):
                yield (at - first) % length < length // 2, 2 * area * link
        else:
            for first in range(1, length):
                yield at < first, area * link
        stride *= length

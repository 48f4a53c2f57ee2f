"""Nodes of two sockets and four adapters, and what their messages take by theory."""

from __future__ import annotations

from phasewise.machines.machine import Machine, parse_machine
from phasewise.study import Study

NODE = """
name = "paired"
[node]
ranks = 8
sockets = 2
[memory]
latency = 1e-6
rank_bandwidth = 4e9
bandwidth = 8e9
[sockets]
latency = 2e-6
rank_bandwidth = 2e9
bandwidth = 3e9
[processor]
peak = 1e9
flops = 1e9
bandwidth = 1e9
"""
"""Ranks 0 to 3 of a node are on the first socket; two ranks each share an adapter."""
FAT_TREE = """
[network]
kind = "fat-tree"
latency = 4e-6
flow_bandwidth = 1e9
adapter_bandwidth = 1.5e9
adapters = 4
"""
TAPER = """
[network.taper]
nodes = 1
bandwidth = 1.2e9
"""
DRAGONFLY = """
[network]
kind = "dragonfly"
latency = 4e-6
flow_bandwidth = 1e9
adapter_bandwidth = 1.5e9
adapters = 4
groups = 2
routers = 2
router_nodes = 2
hop_latency = 5e-7
link_bandwidth = 1.2e9
global_bandwidth = 2e9
"""
TORUS = """
[network]
kind = "torus"
dims = [2, 1, 1]
latency = 4e-6
flow_bandwidth = 1e9
adapter_bandwidth = 1.5e9
adapters = 4
hop_latency = 1e-6
link_bandwidth = 1.6e9
"""
NETWORKS = {
    "fat-tree": FAT_TREE,
    "tapered": FAT_TREE + TAPER,
    "dragonfly": DRAGONFLY,
    "torus": TORUS,
}

SIZE = 3_000_000
"""Bytes of a message."""

Way = tuple[float, float]
"""Latency [s] and bandwidth [B/s] of each message."""

WITHIN: dict[str, Way] = {
    # Both messages of a pair get all that one can have, of a bus of 8 GB/s.
    "0-1": (1e-6, 4e9),
    "0-1; 4-5": (1e-6, 4e9),
    "0-1; 2-3": (1e-6, 2e9),
    # Over the link between the sockets: one message each way, and two or three.
    "0-4": (2e-6, 2e9),
    "0-4; 1-5": (2e-6, 1.5e9),
    "0-4; 1-5; 2-6": (2e-6, 1e9),
    # On two nodes.
    "0-4; 8-12": (2e-6, 2e9),
}
"""The messages of pairs that exchange within nodes."""
BETWEEN: dict[str, dict[str, Way]] = {
    # One adapter of 1.5 GB/s, for one message and for two; two adapters; all eight ranks.
    "fat-tree": {
        "0-8": (4e-6, 1e9),
        "0-8; 1-9": (4e-6, 0.75e9),
        "0-8; 1-10": (4e-6, 0.75e9),
        "0-8; 2-10": (4e-6, 1e9),
        "0-8; 1-9; 2-10": (4e-6, 0.75e9),
        "i-(i+8), i=0..7": (4e-6, 0.75e9),
    },
    # A node shares 1.2 GB/s towards the others.
    "tapered": {"0-8": (4e-6, 1e9), "0-8; 2-10": (4e-6, 0.6e9)},
    # Each adapter has a link of 1.2 GB/s to the router, which both nodes share.
    "dragonfly": {
        "0-8": (5e-6, 1e9),
        "0-8; 1-9": (5e-6, 0.6e9),
        "0-8; 2-10": (5e-6, 1e9),
        "i-(i+8), i=0..7": (5e-6, 0.6e9),
    },
    # All adapters of a node share its links.
    "torus": {"0-8": (5e-6, 1e9), "0-8; 1-9": (5e-6, 0.75e9), "0-8; 2-10": (5e-6, 0.8e9)},
}
"""The messages of pairs of ranks of two nodes, by network."""


def paired(network: str = "fat-tree") -> Machine:
    """The machine with one of the networks."""
    return parse_machine(NODE + NETWORKS[network], "paired.toml")


def seconds(way: Way) -> float:
    """The time of messages both ways at once."""
    latency, bandwidth = way
    return latency + SIZE / bandwidth


def swap(pairs: str) -> Study:
    """Pairs of ranks that send to each other at once."""
    own = {"bytes": SIZE, "pairs": pairs, "verify": False}
    return Study.from_dict({"workload": "commtest", "exchanges": 1, "commtest": own})

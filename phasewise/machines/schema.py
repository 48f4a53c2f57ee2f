"""Every key of a machine file: kind, range and unit. docs/machine-file.md says what each means."""

from __future__ import annotations

from dataclasses import replace

from phasewise.study.study import CUDA, EMULATED
from phasewise.tables.keys import Key
from phasewise.workload.protocols import PROTOCOLS

MICROSECONDS = "the unit is seconds, a microsecond is 1e-6"
_LATENCY = Key("number", above=0, most=1, unit="s", hint=MICROSECONDS)
_HOP = Key("number", least=0, most=1, unit="s", hint=MICROSECONDS)
_BANDWIDTH = Key("number", least=1e3, most=1e13, unit="B/s", hint="the unit is B/s, 1e6 an MB/s")
_RATE = Key("number", least=1e6, most=1e16, unit="flop/s", hint="the unit is flop/s")
DEVICES = (CUDA, EMULATED)
"""Kinds of devices."""

_COUNT = Key("integer", least=1, most=10**6)
_PARTS = Key("integer", 1, least=1, most=64)
_TABLE = Key("table")
_MEASURED = Key("any")

TOP = {
    "name": Key("text", needed="the name of the machine"),
    "title": Key("text"),
    "source": Key("text"),
    "node": replace(_TABLE, needed="the table of a node's ranks"),
    "memory": replace(_TABLE, needed="the table of messages within a node of several ranks"),
    "sockets": replace(
        _TABLE,
        needed="the table of messages between the sockets that node.sockets gives a node",
    ),
    "network": replace(_TABLE, needed="the table of the network between the nodes"),
    "protocol": Key("table"),
    "processor": replace(_TABLE, needed="the table of the rates of a rank"),
    "overhead": Key("table"),
    "copies": Key("table"),
    "exchanges": Key("table"),
    "echoes": Key("table"),
    "types": Key("table"),
    "streams": Key("table"),
    "paper": Key("table"),
    "measured": Key("table"),
    "curve": Key("any"),
    "kernels": Key("table"),
    "device": Key("table"),
}

NODE = {
    "ranks": replace(_COUNT, needed="the number of ranks of a node"),
    "count": _COUNT,
    "sockets": _PARTS,
}

MEMORY = {
    "latency": replace(_LATENCY, needed="the latency of a message within a node"),
    "rank_bandwidth": replace(_BANDWIDTH, needed="the bandwidth of one message within a node"),
    "bandwidth": replace(_BANDWIDTH, needed="the bandwidth of all ranks of a socket together"),
}
RANK_SHARES = {"rank_shares": Key("flag", False)}
"""Whether the messages that a rank sends at once within its node, or receives at once, share
rank_bandwidth.
"""

SOCKETS = {
    "latency": replace(_LATENCY, needed="the latency of a message to another socket"),
    "rank_bandwidth": replace(_BANDWIDTH, needed="the bandwidth of one message to another socket"),
    "bandwidth": replace(_BANDWIDTH, needed="the bandwidth of the link of two sockets, each way"),
}

COPIES = dict.fromkeys(("spans", "seconds", "sizes", "within", "across"), Key("any"))

KINDS = ("fat-tree", "torus", "dragonfly", "none")
"""none: a machine of one node."""

ALLOCATIONS = ("in-order", "shuffled")
"""How a job's nodes are placed in the network."""

NETWORK = {
    "kind": Key("word", choices=KINDS, needed="the kind of network"),
    "latency": replace(_LATENCY, needed="the latency of a message between two nodes"),
    "flow_bandwidth": replace(_BANDWIDTH, needed="the bandwidth of one message between two nodes"),
    "adapter_bandwidth": replace(_BANDWIDTH, needed="the bandwidth of an adapter of a node"),
    "adapters": _PARTS,
    "taper": Key("table"),
    "dims": Key("any", needed="the number of nodes along each side"),
    "block": Key("any"),
    "allocation": Key("word", "in-order", choices=ALLOCATIONS),
    "allocation_seed": Key("integer", 1, least=1, most=2**31),
    "link_bandwidth": replace(_BANDWIDTH, needed="the bandwidth of a link, each way"),
    "hop_latency": replace(_HOP, needed="the latency of each link on the way"),
    "groups": replace(_COUNT, needed="the number of groups"),
    "routers": replace(_COUNT, needed="the number of routers of a group"),
    "router_nodes": replace(_COUNT, needed="the number of nodes of a router"),
    "global_bandwidth": replace(_BANDWIDTH, needed="the bandwidth of the link of two groups"),
}

_MESSAGE = ("latency", "flow_bandwidth")

OF_KIND: dict[str, tuple[str, ...]] = {
    "fat-tree": (*_MESSAGE, "adapter_bandwidth"),
    "torus": (*_MESSAGE, "dims", "link_bandwidth", "hop_latency"),
    "dragonfly": (
        *_MESSAGE, "adapter_bandwidth", "groups", "routers", "router_nodes", "link_bandwidth",
        "hop_latency", "global_bandwidth",
    ),
    "none": (),
}  # fmt: skip
"""Keys of [network] that are needed, by kind of network."""

_ALLOCATION = ("allocation", "allocation_seed")

OPTIONAL_OF_KIND: dict[str, tuple[str, ...]] = {
    "fat-tree": ("adapters", "taper", *_ALLOCATION),
    "torus": ("adapter_bandwidth", "adapters", "block", *_ALLOCATION),
    "dragonfly": ("adapters", *_ALLOCATION),
}

BLOCK = {
    "dims": Key("any", needed="the number of nodes along each side"),
    "wrap": Key("flag", True),
}

TAPER = {
    "nodes": replace(_COUNT, needed="the number of nodes that share a bandwidth"),
    "bandwidth": replace(_BANDWIDTH, most=1e15, needed="the bandwidth that these nodes share"),
}

PROTOCOL = {
    "eager": Key("integer", 0, least=0, most=2**30, unit="B"),
    "sizes": Key("any", ()),
    "bandwidth_factors": Key("any", ()),
    "latency_factors": Key("any", ()),
}

FACTOR = Key("number", least=1e-3, most=1e3)
SIZE = Key("integer", least=0, most=2**40, unit="B")
DIMENSION = Key("integer", least=1, most=10**4)

PROCESSOR = {
    "peak": replace(_RATE, needed="the rate of a rank by the data sheet"),
    "flops": replace(_RATE, needed="the rate that the kernels of a rank sustain"),
    "bandwidth": replace(_BANDWIDTH, needed="the bandwidth that the kernels of a rank sustain"),
}

VECTOR = {
    "vector_length": Key(
        "integer",
        needed="the iterations of a vector instruction",
        least=1,
        most=10**6,
        unit="iterations",
    ),
    "loop_start": replace(_HOP, needed="the time until a vectorised loop is under way"),
    "scalar_flops": replace(_RATE, needed="the rate of loops that do not vectorise"),
}
"""Further keys of [processor]: a vector processor has all of them, another one none."""

OVERHEADS = ("two-sided", "persistent", "derived", "one-sided", "coarray", "shmem")
"""Kinds of messages in the core's order; [overhead] gives what each costs beyond the latency."""
_COST = Key("number", least=0, most=1, unit="s", hint=MICROSECONDS)
OVERHEAD = dict.fromkeys(
    OVERHEADS[:5], replace(_COST, needed="what such a message costs each of its two ends")
) | dict.fromkeys(("shmem", "round", "collective", "threads"), _COST)
"""Keys of [overhead]: the kinds of messages, a round of an exchange, a collective call, and what
threads add to a message.
"""

EXCHANGES = dict.fromkeys(PROTOCOLS, _COST)
TYPES = {"spans": Key("any"), "seconds": Key("any"), "message": _COST}
STREAMS = dict.fromkeys(("sizes", "messages", "puts"), Key("any"))

DEVICE = {
    "name": Key("text", needed="the name of the device"),
    "kind": Key("word", choices=DEVICES, needed="the kind of device"),
    "memory": Key("number", needed="the size of its memory", least=1e6, most=1e15, unit="B"),
    "bandwidth": replace(_BANDWIDTH, needed="the bandwidth of its memory"),
    "flops": replace(_RATE, needed="the rate of its arithmetic"),
    "additions": Key(
        "number",
        needed="the rate of additions to values that threads share",
        least=1e3,
        most=1e16,
        unit="1/s",
    ),
    "launch": replace(_COST, needed="the time of a launch"),
    "wait": replace(_COST, needed="the time in which the host sees that a launch has ended"),
    "transfers": replace(_TABLE, needed="the table of copies between host and device"),
    "kernels": Key("table"),
}
TRANSFERS = dict.fromkeys(("sizes", "to_device", "to_host"), Key("any"))

PAPER = {
    "ping_pong": _MEASURED,
    "ping_ping": _MEASURED,
    "parallel_inter": _MEASURED,
    "parallel_intra": _MEASURED,
    "grid_256": _MEASURED,
}
MEASURED_LATENCY, MEASURED_BANDWIDTH = _LATENCY, _BANDWIDTH

BENCHMARKS = ("ping-pong", "ping-ping", "parallel", "grid")
LEVELS = ("socket", "node", "network")
"""socket: only of a node with several sockets; node is then between them."""
DIRECTIONS = ("row", "column")
REFERENCES = ("simulator", "hardware")

CURVE = {
    "benchmark": Key("word", choices=BENCHMARKS, needed="the benchmark that was timed"),
    "level": Key("word", choices=LEVELS, needed="where its messages went"),
    "pairs": Key("integer", 1, least=1, most=10**6),
    "direction": Key(
        "word", "", choices=DIRECTIONS, needed="the direction of the messages in the grid"
    ),
    "distance": Key(
        "integer", 0, least=1, most=10**6, needed="the distance of two ranks that exchange"
    ),
    "ranks": Key("integer", 0, least=2, most=10**6, needed="the number of ranks in the grid"),
    "sizes": Key("any", needed="the list of the sizes of the messages"),
    "seconds": Key("any", needed="the list of the times of a message of each size"),
    "low": Key("any"),
    "high": Key("any"),
    "latency": replace(_HOP, needed="the latency that was fitted"),
    "bandwidth": replace(_BANDWIDTH, needed="the bandwidth that was fitted"),
    "residual": Key("number", 0.0, least=0, most=1e3),
    "bends": Key("any", ()),
    "noisy": Key("flag", False),
}

OF_CURVE = ("benchmark", "level", "sizes", "seconds", "latency", "bandwidth")
OF_GRID = ("direction", "distance", "ranks")
"""Keys that every curve needs, and those that one of the benchmark "grid" needs besides."""

MESSAGE_SECONDS = Key("number", above=0, most=100, unit="s", hint=MICROSECONDS)
"""Bounds for the time of one message of at most a few MB."""

MEASURED = {
    "reference": Key("word", choices=REFERENCES, needed="what was timed"),
    "ranks": Key("integer", needed="the number of ranks that were timed", least=1, most=10**6),
    "date": Key("text", ""),
    "host": Key("text", ""),
    "twin": Key("text", ""),
    "load": Key("number", 0.0, least=0, most=1e6),
    "core_seconds": Key("number", 0.0, least=0, most=1e-3, unit="s"),
}

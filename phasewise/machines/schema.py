"""Every key of a machine file: kind, range and unit. docs/machine-file.md says what each means."""

from __future__ import annotations

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
_MEASURED = Key("any")

TOP = {
    "name": Key("text"),
    "title": Key("text"),
    "source": Key("text"),
    "node": Key("table"),
    "memory": Key("table"),
    "network": Key("table"),
    "protocol": Key("table"),
    "processor": Key("table"),
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

NODE = {"ranks": _COUNT, "count": _COUNT}

MEMORY = {"latency": _LATENCY, "rank_bandwidth": _BANDWIDTH, "bandwidth": _BANDWIDTH}
RANK_SHARES = {"rank_shares": Key("flag", False)}
"""Whether the messages that a rank sends at once within its node, or receives at once, share
rank_bandwidth.
"""

COPIES = dict.fromkeys(("spans", "seconds", "sizes", "within", "across"), Key("any"))

KINDS = ("fat-tree", "torus", "dragonfly", "none")
"""none: a machine of one node."""

ALLOCATIONS = ("in-order", "shuffled")
"""How a job's nodes are placed in the network."""

NETWORK = {
    "kind": Key("word", choices=KINDS),
    "latency": _LATENCY,
    "flow_bandwidth": _BANDWIDTH,
    "adapter_bandwidth": _BANDWIDTH,
    "taper": Key("table"),
    "dims": Key("any"),
    "block": Key("any"),
    "allocation": Key("word", "in-order", choices=ALLOCATIONS),
    "allocation_seed": Key("integer", 1, least=1, most=2**31),
    "link_bandwidth": _BANDWIDTH,
    "hop_latency": _HOP,
    "groups": _COUNT,
    "routers": _COUNT,
    "router_nodes": _COUNT,
    "global_bandwidth": _BANDWIDTH,
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
"""Keys of [network] that a kind of network needs."""

_ALLOCATION = ("allocation", "allocation_seed")

OPTIONAL_OF_KIND: dict[str, tuple[str, ...]] = {
    "fat-tree": ("taper", *_ALLOCATION),
    "torus": ("adapter_bandwidth", "block", *_ALLOCATION),
    "dragonfly": _ALLOCATION,
}

BLOCK = {"dims": Key("any"), "wrap": Key("flag", True)}

TAPER = {"nodes": _COUNT, "bandwidth": _BANDWIDTH}

PROTOCOL = {
    "eager": Key("integer", 0, least=0, most=2**30, unit="B"),
    "sizes": Key("any", ()),
    "bandwidth_factors": Key("any", ()),
    "latency_factors": Key("any", ()),
}

FACTOR = Key("number", least=1e-3, most=1e3)
SIZE = Key("integer", least=0, most=2**40, unit="B")
DIMENSION = Key("integer", least=1, most=10**4)

PROCESSOR = {"peak": _RATE, "flops": _RATE, "bandwidth": _BANDWIDTH}

VECTOR = {
    "vector_length": Key("integer", least=1, most=10**6, unit="iterations"),
    "loop_start": Key("number", least=0, most=1, unit="s", hint=MICROSECONDS),
    "scalar_flops": _RATE,
}
"""Further keys of [processor] for a vector processor: either all of them or none."""

OVERHEADS = ("two-sided", "persistent", "derived", "one-sided", "coarray", "shmem")
"""Kinds of messages in the core's order; [overhead] gives what each costs beyond the latency."""
NEEDED_OVERHEADS = OVERHEADS[:5]
"""Keys that [overhead] must have; `shmem` and `round` are optional."""
_COST = Key("number", least=0, most=1, unit="s", hint=MICROSECONDS)
OVERHEAD = dict.fromkeys((*OVERHEADS, "round"), _COST)

EXCHANGES = dict.fromkeys(PROTOCOLS, _COST)
TYPES = {"spans": Key("any"), "seconds": Key("any"), "message": _COST}
STREAMS = dict.fromkeys(("sizes", "messages", "puts"), Key("any"))

DEVICE = {
    "name": Key("text"),
    "kind": Key("word", choices=DEVICES),
    "memory": Key("number", least=1e6, most=1e15, unit="B"),
    "bandwidth": _BANDWIDTH,
    "flops": _RATE,
    "additions": Key("number", least=1e3, most=1e16, unit="1/s"),
    "launch": _COST,
    "wait": _COST,
    "transfers": Key("table"),
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
LEVELS = ("node", "network")
DIRECTIONS = ("row", "column")
REFERENCES = ("simulator", "hardware")

CURVE = {
    "benchmark": Key("word", choices=BENCHMARKS),
    "level": Key("word", choices=LEVELS),
    "pairs": Key("integer", 1, least=1, most=10**6),
    "direction": Key("word", "", choices=DIRECTIONS),
    "distance": Key("integer", 0, least=1, most=10**6),
    "ranks": Key("integer", 0, least=2, most=10**6),
    "sizes": Key("any"),
    "seconds": Key("any"),
    "low": Key("any"),
    "high": Key("any"),
    "latency": Key("number", least=0, most=1, unit="s", hint=MICROSECONDS),
    "bandwidth": _BANDWIDTH,
    "residual": Key("number", 0.0, least=0, most=1e3),
    "bends": Key("any", ()),
    "noisy": Key("flag", False),
}

MESSAGE_SECONDS = Key("number", above=0, most=100, unit="s", hint=MICROSECONDS)
"""Bounds for the time of one message of at most a few MB."""

MEASURED = {
    "reference": Key("word", choices=REFERENCES),
    "ranks": Key("integer", least=1, most=10**6),
    "date": Key("text", ""),
    "host": Key("text", ""),
    "twin": Key("text", ""),
    "load": Key("number", 0.0, least=0, most=1e6),
}

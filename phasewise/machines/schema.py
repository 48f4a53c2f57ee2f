"""Every key of a machine file: kind, range and unit. docs/machines.md says what each one means."""

from __future__ import annotations

from phasewise.study.keys import Key

MICROSECONDS = "the unit is seconds, a microsecond is 1e-6"
_LATENCY = Key("number", above=0, most=1, unit="s", hint=MICROSECONDS)
_HOP = Key("number", least=0, most=1, unit="s", hint=MICROSECONDS)
_BANDWIDTH = Key("number", least=1e3, most=1e13, unit="B/s", hint="the unit is B/s, 1e6 an MB/s")
_RATE = Key("number", least=1e6, most=1e16, unit="flop/s", hint="the unit is flop/s")
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
    "paper": Key("table"),
}

NODE = {"ranks": _COUNT}

MEMORY = {"latency": _LATENCY, "rank_bandwidth": _BANDWIDTH, "bandwidth": _BANDWIDTH}

KINDS = ("fat-tree", "torus", "dragonfly")

NETWORK = {
    "kind": Key("word", choices=KINDS),
    "latency": _LATENCY,
    "flow_bandwidth": _BANDWIDTH,
    "adapter_bandwidth": _BANDWIDTH,
    "taper": Key("table"),
    "dims": Key("any"),
    "link_bandwidth": _BANDWIDTH,
    "hop_latency": _HOP,
    "groups": _COUNT,
    "routers": _COUNT,
    "router_nodes": _COUNT,
    "global_bandwidth": _BANDWIDTH,
}

OF_KIND = {
    "fat-tree": ("adapter_bandwidth",),
    "torus": ("dims", "link_bandwidth", "hop_latency"),
    "dragonfly": (
        "adapter_bandwidth", "groups", "routers", "router_nodes", "link_bandwidth", "hop_latency",
        "global_bandwidth",
    ),
}  # fmt: skip
"""Keys of [network] that a kind of network needs beside latency and flow_bandwidth."""

OPTIONAL_OF_KIND = {"fat-tree": ("taper",), "torus": ("adapter_bandwidth",), "dragonfly": ()}

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

PAPER = {
    "ping_pong": _MEASURED,
    "ping_ping": _MEASURED,
    "parallel_inter": _MEASURED,
    "parallel_intra": _MEASURED,
    "grid_256": _MEASURED,
}
MEASURED_LATENCY, MEASURED_BANDWIDTH = _LATENCY, _BANDWIDTH

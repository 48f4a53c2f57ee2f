"""The simulated twin of a machine: the platform, the ranks' hosts, and SimGrid's options.

A plain twin has the adapters of a node, the memory buses of its sockets and the links between them,
the limit of one flow, latencies and the links of a torus or dragonfly; a full twin also has the
protocol's changes with size and the tapered stage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from phasewise.machines.machine import Machine
from phasewise.machines.topology import (
    check_size,
    dragonfly_dims,
    node_count,
    nodes_of,
    part_count,
    parts_of,
    places_of,
    torus_block,
)

TWINS = ("plain", "full")

COLLECTIVES = {
    "barrier": "ompi_recursivedoubling",
    "allreduce": "rab_rdb",
    "reduce": "binomial",
    "bcast": "binomial_tree",
    "allgather": "bruck",
    "allgatherv": "mpich_ring",
    "reduce_scatter": "ompi_ring",
}
"""The SimGrid algorithm for each library collective: what libraries use for data of our sizes, on
any number of ranks. SimGrid's defaults are naive, and its selectors by size exchange hundreds of
messages per rank at the first call.
"""

NEUTRAL = {
    "network/crosstraffic": "0",
    "network/weight-S": "0",
    "network/TCP-gamma": "0",
    "smpi/wtime": "0",
    "smpi/test": "0",
    "smpi/iprobe": "0",
    "smpi/simulate-computation": "no",
}
"""These settings switch off SimGrid's fits to another machine, the cost of reading the clock, and
all computation time that the driver does not charge, so that the same run gives the same bytes.
"""

OF_PARTS = {"network/optim": "Full"}
"""Settings for nodes of several parts. By default SimGrid 3.32 sets new rates only for some of the
messages under way, and where messages share the limit of one flow but not all of them an adapter,
it forgets that an adapter is shared.
"""

UNLIMITED = 1e18
"""Bandwidth [B/s] at which the longest message takes less than SimGrid's resolution of time."""


@dataclass(frozen=True)
class Twin:
    """The input of smpirun: the platform's description, a host for each rank, and options."""

    machine: str
    kind: str
    platform: str
    hosts: tuple[str, ...]
    options: tuple[str, ...]


def make_twin(machine: Machine, kind: str, ranks: int) -> Twin:
    """The twin, `kind` plain or full, for a number of ranks; StudyError if they do not fit."""
    check_size(machine, ranks)
    full = kind == "full"
    lines = [f"{key} = {_text(value)}" for key, value in _platform(machine, ranks, full)]
    return Twin(
        machine.name,
        kind,
        "\n".join(lines) + "\n",
        _hosts(machine, ranks),
        tuple(f"--cfg={key}:{value}" for key, value in _options(machine, full).items()),
    )


def _hosts(machine: Machine, ranks: int) -> tuple[str, ...]:
    """The host of each rank: its node, or the part of the node whose socket and adapter it uses."""
    nodes = nodes_of(machine, ranks)
    if part_count(machine) == 1:
        return tuple(f"node{node}" for node in nodes)
    pairs = zip(nodes, parts_of(machine, ranks), strict=True)
    return tuple(f"node{node}.{part}" for node, part in pairs)


def make_ideal(twin: Twin) -> Twin:
    """A twin on which messages take no time. Everything else is as on `twin`, such as which sizes
    are sent without asking the receiver.
    """
    described = dict(line.split(" = ", 1) for line in twin.platform.splitlines())
    kept = {key: described[key] for key in ("nodes", "node.ranks", "processor.rate")}
    none = f"0.0 {UNLIMITED!r}"
    ideal = {"kind": "none", **kept, "memory": f"{none} {UNLIMITED!r}", "flow": none}
    factors = ("smpi/bw-factor", "smpi/lat-factor")
    options = (option for option in twin.options if not any(name in option for name in factors))
    return replace(
        twin,
        kind="ideal",
        hosts=tuple(host.partition(".")[0] for host in twin.hosts),
        platform="".join(f"{key} = {value}\n" for key, value in ideal.items()),
        options=(*options, *(f"--cfg={name}:0:1" for name in factors)),
    )


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return repr(value) if isinstance(value, float) else str(value)


def _platform(machine: Machine, ranks: int, full: bool) -> Iterator[tuple[str, object]]:
    """Keys and values that machines/platform.cpp reads."""
    network, memory, sockets = machine.network, machine.memory, machine.sockets
    yield "kind", network.kind
    yield "nodes", node_count(machine, ranks)
    yield "node.ranks", machine.node_ranks
    if network.adapters > 1:
        yield "node.adapters", network.adapters
    if sockets is not None:
        yield "node.sockets", sockets.count
        yield "sockets", (sockets.latency, sockets.rank_bandwidth, sockets.bandwidth)
    yield "processor.rate", machine.processor.flops
    if memory is not None:
        yield "memory", (memory.latency, memory.rank_bandwidth, memory.bandwidth)
        if memory.rank_shares:
            yield "memory.shares", 1
        if memory.rank_shares and machine.streams is not None:
            yield "memory.in_and_out", 1
    if network.kind == "none":
        yield "flow", (0.0, machine.processor.bandwidth)  # for a link that no message crosses
    else:
        yield "flow", (network.latency, network.flow_bandwidth)
    if network.adapter_bandwidth is not None:
        yield "adapter", network.adapter_bandwidth
    if network.taper is not None and full:
        yield "taper", (network.taper.nodes, network.taper.bandwidth)
    if network.allocation != "in-order":
        yield "places", tuple(int(place) for place in places_of(machine, ranks))
    if network.kind == "torus":
        block = torus_block(machine, ranks)
        yield "dims", block.dims
        if not block.wrap:
            yield "wrap", 0
    elif network.kind == "dragonfly":
        yield "dims", dragonfly_dims(network)
        yield "global", network.global_bandwidth
    if network.link_bandwidth is not None:
        yield "link", (network.hop_latency, network.link_bandwidth)


def _options(machine: Machine, full: bool) -> dict[str, str]:
    protocol, neutral = machine.protocol, not full
    eager = 0 if neutral else protocol.eager
    sizes = () if neutral else protocol.sizes
    options = NEUTRAL | (OF_PARTS if part_count(machine) > 1 else {})
    options["smpi/bw-factor"] = _factors(sizes, protocol.bandwidth_factors)
    options["smpi/lat-factor"] = _factors(sizes, protocol.latency_factors)
    options["smpi/async-small-thresh"] = str(eager)
    options["smpi/send-is-detached-thresh"] = str(eager)
    return options | {f"smpi/{name}": word for name, word in COLLECTIVES.items()}


def _factors(sizes: tuple[int, ...], factors: tuple[float, ...]) -> str:
    """Factors by size as SimGrid reads them: each holds from its size on, 1 below the first."""
    pairs = list(zip(sizes, factors, strict=False))
    if not pairs or pairs[0][0] > 0:
        pairs.insert(0, (0, 1.0))
    return ";".join(f"{size}:{factor:g}" for size, factor in pairs)

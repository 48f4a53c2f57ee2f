"""A machine as its file describes it: nodes, memory, network, protocol, processor
(docs/machine-file.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import schema
from phasewise.machines.calls import Overhead, read_exchanges, read_overhead
from phasewise.machines.curves import Curve, Line, Measured, read_curves, read_measured
from phasewise.machines.device import Device, read_device
from phasewise.machines.facts import rows_of
from phasewise.machines.kernel_rates import KernelRate, read_kernels
from phasewise.machines.node import Memory, Sockets, check_divides, read_node
from phasewise.machines.rank_rates import (
    Copies,
    Streams,
    Types,
    read_copies,
    read_streams,
    read_types,
)
from phasewise.machines.uncertainty import split_uncertain
from phasewise.readable import Readable, Shown
from phasewise.tables.declared import check_needed
from phasewise.tables.files import parse, read_text
from phasewise.tables.keys import (
    Key,
    check_table,
    convert,
    nearest,
    plain,
    show,
    with_defaults,
)

FILES = Path(__file__).parent / "files"
"""Folder in which machine files are found by name."""

SMALLEST_BOX = "smallest-box"
SMALLEST_BLOCK = "smallest-block"


@dataclass(frozen=True)
class Taper:
    """The upper stage of a fat-tree: `nodes` nodes share `bandwidth` [B/s] to and from the rest."""

    nodes: int
    bandwidth: float


@dataclass(frozen=True)
class Block:
    """A part of a torus that a job gets: its sides, x first. wrap: whether rows are rings."""

    dims: tuple[int, int, int]
    wrap: bool = True

    @property
    def nodes(self) -> int:
        """Nodes of the block."""
        return self.dims[0] * self.dims[1] * self.dims[2]

    @property
    def title(self) -> str:
        """The block in words, such as "mesh of 4x4x2"."""
        return f"{'torus' if self.wrap else 'mesh'} of {'x'.join(map(str, self.dims))}"


@dataclass(frozen=True)
class Network:
    """The network between the nodes; kind "none" is for a single node.

    latency [s]: of a message. flow_bandwidth [B/s]: the most that one message gets.
    adapter_bandwidth [B/s]: of each of a node's `adapters`, each way (None: only its links limit
    it). blocks: the parts of a torus that jobs can get, the smallest first; empty if a job gets the
    smallest box.
    link_bandwidth [B/s] of a link each way, hop_latency [s]. A dragonfly has `groups` groups of
    `routers` routers with `router_nodes` nodes each; links within a group have link_bandwidth,
    those between two groups global_bandwidth. allocation: how a job's nodes are placed, "in-order",
    or "shuffled" by allocation_seed.
    """

    kind: str
    latency: float
    flow_bandwidth: float
    adapter_bandwidth: float | None
    taper: Taper | None
    blocks: tuple[Block, ...]
    link_bandwidth: float | None
    hop_latency: float | None
    groups: int | None
    routers: int | None
    router_nodes: int | None
    global_bandwidth: float | None
    adapters: int = 1
    allocation: str = "in-order"
    allocation_seed: int = 1


@dataclass(frozen=True)
class Protocol:
    """How messages deviate from the straight line: from sizes[i] bytes on the factors [i] apply.

    Messages below `eager` bytes are sent before the receiver asks for them.
    """

    eager: int = 0
    sizes: tuple[int, ...] = ()
    bandwidth_factors: tuple[float, ...] = ()
    latency_factors: tuple[float, ...] = ()


@dataclass(frozen=True)
class Processor:
    """Rates of one rank: peak and sustained flop/s, memory bandwidth [B/s] of its kernels."""

    peak: float
    flops: float
    bandwidth: float

    def seconds(self, flops: float, moved: float) -> float:
        """Time of work with these flops and bytes moved: the longer of the two."""
        return max(flops / self.flops, moved / self.bandwidth)


@dataclass(frozen=True)
class Vector:
    """The vector unit of a processor: n iterations of f flops take ceil(n/VL)·VL·f/flops +
    loop_start [s], or n·f/scalar_flops in a loop that does not vectorise.
    """

    vector_length: int
    loop_start: float
    scalar_flops: float

    def unit(self, flops: float) -> dict[str, float]:
        """The vector unit in the terms of the core, for a processor with this rate [flop/s]."""
        return {
            "length": float(self.vector_length),
            "start": self.loop_start * flops,
            "scalar": flops / self.scalar_flops,
        }


@dataclass(frozen=True, repr=False)
class Machine(Readable):
    """A machine; `paper` holds its row of the source paper's Table 4, by benchmark.

    curves: times of messages that were measured, as `measured` says; kernels: rates of kernels;
    nodes: how many it has, if the file says so; sockets: None where a node has only one; vector:
    None where the processor has no vector unit; overhead: None where nothing is known of it, and
    messages cost nothing beyond their latency; copies: None where only bytes count; exchanges:
    seconds of an exchange of 8 bytes each way between two ranks of a node, by protocol; streams:
    None where each message of many takes what one alone does; device: None where none is known;
    uncertain: by which part rates may be off, by name; given: the name or file by which it was
    loaded.
    """

    name: str
    title: str
    source: str
    node_ranks: int
    memory: Memory | None
    network: Network
    protocol: Protocol
    processor: Processor
    paper: dict[str, Line]
    curves: tuple[Curve, ...] = ()
    measured: Measured | None = None
    kernels: dict[str, KernelRate] = field(default_factory=dict)
    nodes: int | None = None
    sockets: Sockets | None = None
    vector: Vector | None = None
    overhead: Overhead | None = None
    copies: Copies | None = None
    exchanges: dict[str, float] = field(default_factory=dict)
    echoes: dict[str, float] = field(default_factory=dict)
    streams: Streams | None = None
    types: Types | None = None
    device: Device | None = None
    uncertain: dict[str, float] = field(default_factory=dict)
    given: str = field(default="", compare=False, repr=False)

    def shown(self) -> Shown:
        """The main rates, with their units."""
        where = "measured" if self.is_hardware else "its reference is a simulator, not hardware"
        return Shown(f"{self.title} ({where})", rows_of(self))

    @property
    def socket_count(self) -> int:
        """The sockets of a node."""
        return 1 if self.sockets is None else self.sockets.count

    @property
    def is_hardware(self) -> bool:
        """Whether its curves were measured on hardware; otherwise it is described or simulated."""
        return self.measured is not None and self.measured.reference == "hardware"

    def of_program(self, in_threads: bool) -> Machine:
        """The machine as a program meets it: its messages take `overhead.threads` longer at either
        end if the program has told MPI of several threads.
        """
        if self.overhead is None or not self.overhead.threads:
            return self
        cost = in_threads * self.overhead.threads
        curves = tuple(curve.later(2 * cost) for curve in self.curves)
        streams = None if self.streams is None else self.streams.later(cost)
        overhead = self.overhead.with_threads(cost)
        return replace(self, overhead=overhead, curves=curves, streams=streams)


def machine_names() -> list[str]:
    """Names of the machines that phasewise knows."""
    return sorted(path.stem for path in FILES.glob("*.toml"))


def load_machine(name: str) -> Machine:
    """The machine called `name`, or described in the file `name`; StudyError of one sentence."""
    path = machine_path(name)
    return replace(parse_machine(read_text(path), str(path)), given=name)


def parse_machine(text: str, name: str) -> Machine:
    """The machine that the TOML `text` of the file `name` describes; StudyError of one sentence."""
    tables = parse(text, name)
    try:
        return _machine(tables)
    except StudyError as error:
        raise StudyError(f"{name}: {error}") from None


def machine_path(name: str) -> Path:
    """The file of the machine called `name`, or the file `name`; StudyError if there is neither."""
    if (FILES / f"{name}.toml").is_file():
        return FILES / f"{name}.toml"
    if "/" in name or name.endswith(".toml"):
        return Path(name)
    raise StudyError(
        f'there is no machine "{name}"{nearest(name, machine_names())}; '
        "give one of these, or the name of a file that ends in .toml"
    )


def _machine(given: dict[str, Any]) -> Machine:
    tables, uncertain = split_uncertain(given)
    top = check_table(tables, schema.TOP, "")
    check_needed(top, schema.TOP, "", ("name", "node", "network", "processor"))
    node = read_node(top)
    processor, vector = _processor(top)
    return Machine(
        name=str(top["name"]),
        title=str(top.get("title", top["name"])),
        source=str(top.get("source", "")),
        node_ranks=node.ranks,
        memory=node.memory,
        network=_network(top["network"], node.ranks),
        protocol=_protocol(top.get("protocol", {})),
        processor=processor,
        paper=_paper(top.get("paper", {})),
        curves=read_curves(top.get("curve", ())),
        measured=read_measured(top["measured"]) if "measured" in top else None,
        kernels=read_kernels(top.get("kernels", {})),
        nodes=node.count,
        sockets=node.sockets,
        vector=vector,
        overhead=read_overhead(top["overhead"]) if "overhead" in top else None,
        copies=read_copies(top["copies"]) if "copies" in top else None,
        exchanges=read_exchanges(top.get("exchanges", {})),
        echoes=read_exchanges(top.get("echoes", {}), "echoes"),
        streams=read_streams(top["streams"]) if "streams" in top else None,
        types=read_types(top["types"]) if "types" in top else None,
        device=read_device(top["device"]) if "device" in top else None,
        uncertain=uncertain,
    )


def _processor(top: dict[str, Any]) -> tuple[Processor, Vector | None]:
    values = check_table(top["processor"], schema.PROCESSOR | schema.VECTOR, "processor")
    check_needed(values, schema.PROCESSOR, "processor")
    rates = Processor(**{name: values[name] for name in schema.PROCESSOR})
    if not any(name in values for name in schema.VECTOR):
        return rates, None
    check_needed(values, schema.VECTOR, "processor")
    return rates, Vector(**{name: values[name] for name in schema.VECTOR})


def _network(given: object, ranks: int) -> Network:
    values = check_table(given, schema.NETWORK, "network")
    check_needed(values, schema.NETWORK, "network", ("kind",))
    kind = values["kind"]
    check_needed(values, schema.NETWORK, "network", schema.OF_KIND[kind])
    fitting = {"kind", *schema.OF_KIND[kind], *schema.OPTIONAL_OF_KIND.get(kind, ())}
    for name in values:
        if name not in fitting:
            raise StudyError(f'network.{name} does not belong to a network of kind "{kind}"')
    values = with_defaults(values, schema.NETWORK)
    _check_adapters(values, ranks)
    if kind == "none":
        values |= {"latency": 0.0, "flow_bandwidth": math.inf}
    if values["taper"] is not None:
        taper = check_table(values["taper"], schema.TAPER, "network.taper")
        check_needed(taper, schema.TAPER, "network.taper")
        values["taper"] = Taper(**taper)
    dims, blocks = values.pop("dims"), values.pop("block")
    values["blocks"] = _blocks(dims, blocks) if kind == "torus" else ()
    return Network(**values)


def _check_adapters(values: dict[str, Any], ranks: int) -> None:
    """StudyError if a node cannot have that many adapters."""
    count = values["adapters"]
    if count > 1 and values["adapter_bandwidth"] is None:
        raise StudyError(
            f"network.adapters = {count} needs network.adapter_bandwidth, the bandwidth of one "
            "adapter: without it only the links of the torus limit a node, which its ranks share"
        )
    check_divides("network.adapters", count, ranks)


def _blocks(dims: object, blocks: object) -> tuple[Block, ...]:
    """The blocks that network.dims asks for: one, those of [[network.block]], or none for any
    box.
    """
    tables = plain(blocks) if blocks is not None else ()
    if (dims == SMALLEST_BLOCK) != bool(tables):
        raise StudyError(
            f'network.dims = "{SMALLEST_BLOCK}" and tables [[network.block]] belong together: '
            f"give both or neither"
        )
    if dims == SMALLEST_BLOCK:
        return _block_list(tables)
    if dims == SMALLEST_BOX:
        return ()
    return (Block(_sides(dims, "network.dims", f', "{SMALLEST_BOX}" or "{SMALLEST_BLOCK}"')),)


def _block_list(tables: object) -> tuple[Block, ...]:
    if not isinstance(tables, list | tuple):
        raise StudyError(f"network.block must be tables, [[network.block]], but is {show(tables)}")
    found = []
    for number, table in enumerate(tables, 1):
        where = f"network.block[{number}]"
        values = check_table(table, schema.BLOCK, where)
        check_needed(values, schema.BLOCK, where)
        values = with_defaults(values, schema.BLOCK)
        found.append(Block(_sides(values["dims"], f"{where}.dims"), values["wrap"]))
    return tuple(sorted(found, key=lambda block: block.nodes))


def _sides(given: object, where: str, other: str = "") -> tuple[int, int, int]:
    values = plain(given)
    if not isinstance(values, list | tuple) or len(values) != 3:
        raise StudyError(
            f"{where} must be three numbers of nodes, such as [4, 4, 8]{other}, but is "
            f"{show(given)}"
        )
    x, y, z = (int(convert(v, schema.DIMENSION, where)) for v in values)
    return x, y, z


def _protocol(given: object) -> Protocol:
    values = with_defaults(check_table(given, schema.PROTOCOL, "protocol"), schema.PROTOCOL)
    sizes = _row(values["sizes"], schema.SIZE, "protocol.sizes")
    factors = {
        name: _row(values[name], schema.FACTOR, f"protocol.{name}")
        for name in ("bandwidth_factors", "latency_factors")
    }
    for name, row in factors.items():
        if len(row) != len(sizes):
            raise StudyError(
                f"protocol.{name} has {len(row)} numbers and protocol.sizes {len(sizes)}: give one "
                "for each size"
            )
    if list(sizes) != sorted(set(sizes)):
        raise StudyError(f"protocol.sizes = {show(sizes)} must increase")
    return Protocol(int(values["eager"]), tuple(map(int, sizes)), **factors)


def _row(given: object, key: Key, where: str) -> tuple[Any, ...]:
    values = plain(given)
    if not isinstance(values, list | tuple):
        raise StudyError(f"{where} must be a list of {key.plural}, but is {show(values)}")
    return tuple(convert(value, key, where) for value in values)


def _paper(given: object) -> dict[str, Line]:
    lines = {}
    for name, value in check_table(given, schema.PAPER, "paper").items():
        where, pair = f"paper.{name}", plain(value)
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise StudyError(f"{where} must be [latency, bandwidth] (s, B/s), but is {show(pair)}")
        latency = convert(pair[0], schema.MEASURED_LATENCY, f"{where}[1]")
        lines[name] = Line(latency, convert(pair[1], schema.MEASURED_BANDWIDTH, f"{where}[2]"))
    return lines

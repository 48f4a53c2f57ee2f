"""Machines and studies that nobody has looked at, drawn by number; a number always gives the same.

There are five kinds of network (one switch, tapered fat-trees, tori, dragonflies, single nodes),
with 1 to 128 ranks per node, latencies and bandwidths over two decades, and eager limits from 1 kB
to 1 MB. Nodes of machines from number 3000 on may have several sockets and adapters. A workload
says how its studies are drawn (`phasewise.models.drawn`); a process grid that is left open is
chosen for the ranks as every command chooses it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from phasewise.errors import StudyError
from phasewise.machines.machine import Machine, parse_machine
from phasewise.machines.overhead import check_overhead
from phasewise.machines.topology import check_size
from phasewise.models.drawn import Draw, Drawn, Wanted, between, one_of
from phasewise.models.interval import EAGER, FITTED, FLOW, LATENCY, NODE_RANKS
from phasewise.study import Study
from phasewise.tuning.automatic import settle
from phasewise.workload.interface import Workload

KINDS = ("switch", "tapered", "torus", "dragonfly", "node")
NODES = tuple(n for n in (1, 2, 4, 8, 16, 32, 64, 128) if n <= FITTED[NODE_RANKS][1])
"""Ranks of a node."""
SEVERAL = 3000
"""Number of the first machine whose nodes may have several sockets and adapters. Those below, to
some of which intervals are fitted, have one of each.
"""
COUNTS = (2, 4, 8)
"""Numbers of sockets or adapters of a node."""
LEAST_EAGER = 1e3
"""B; below this there are hardly any messages."""
ONE_NODE = 64
"""Ranks of a machine without a network, whose runs all fit into its one node."""


def machine_of(number: int) -> Machine:
    """The machine with this number."""
    return parse_machine(machine_text(number), _name_of(number))


def _kind_of(number: int) -> str:
    """The kind follows from number div 2, so that each kind has even and odd numbers."""
    return KINDS[number // 2 % len(KINDS)]


def _name_of(number: int) -> str:
    return f"{_kind_of(number)}-{number}"


def machine_text(number: int) -> str:
    """The text of the file of the machine with this number."""
    draw, kind = np.random.default_rng([1, number]), _kind_of(number)
    node = ONE_NODE if kind == "node" else int(draw.choice(NODES[:5] if kind == "torus" else NODES))
    flow = between(draw, *FITTED[FLOW])
    parts = np.random.default_rng([5, number])
    sockets, adapters = (_count(parts, number, node) for _ in range(2))
    lines = [
        f'name = "{_name_of(number)}"',
        "[node]",
        f"ranks = {node}",
        f"sockets = {sockets}",
        *_memory(draw, node, flow),
        *(_sockets(parts, node // sockets, flow) if sockets > 1 else []),
    ]
    lines += ["[network]", *_network(draw, kind, flow, adapters)]
    eager = int(between(draw, LEAST_EAGER, FITTED[EAGER][1]))
    flops, bandwidth = between(draw, 0.5e9, 20e9), between(draw, 1e9, 20e9)
    lines += ["[protocol]", f"eager = {eager}", "[processor]", f"peak = {10 * flops!r}"]
    lines += [f"flops = {flops!r}", f"bandwidth = {bandwidth!r}"]
    return "\n".join(lines) + "\n"


def _count(draw: Draw, number: int, node: int) -> int:
    """Sockets or adapters of a node of so many ranks: one in half of the draws."""
    counts = [count for count in COUNTS if node % count == 0]
    several = number >= SEVERAL and counts and draw.integers(2)
    return int(draw.choice(counts)) if several else 1


def _sockets(draw: Draw, ranks: int, flow: float) -> list[str]:
    """Messages between sockets of so many ranks."""
    own = between(draw, 0.5, 8) * flow
    lines = ["[sockets]", f"latency = {between(draw, 2e-7, 4e-6)!r}", f"rank_bandwidth = {own!r}"]
    return [*lines, f"bandwidth = {own * between(draw, 1.0, ranks)!r}"]


def _memory(draw: Draw, node: int, flow: float) -> list[str]:
    if node == 1:
        return []
    own = between(draw, 0.5, 8) * flow
    shared = own * between(draw, 1.0, node)
    latency = between(draw, 2e-7, 4e-6)
    lines = ["[memory]", f"latency = {latency!r}", f"rank_bandwidth = {own!r}"]
    return [*lines, f"bandwidth = {shared!r}"]


def _network(draw: Draw, kind: str, flow: float, adapters: int) -> list[str]:
    if kind == "node":
        return ['kind = "none"']
    latency, adapter = between(draw, *FITTED[LATENCY]), flow * between(draw, 1.0, 4.0)
    lines = [f"latency = {latency!r}", f"flow_bandwidth = {flow!r}"]
    lines += [f"adapter_bandwidth = {adapter!r}", f"adapters = {adapters}"]
    hops = [f"hop_latency = {between(draw, 2e-8, 1e-6)!r}"]
    hops.append(f"link_bandwidth = {flow * between(draw, 0.5, 4.0)!r}")
    if kind == "torus":
        dims = [int(n) for n in draw.choice((2, 3, 4, 5), 2)] + [8]
        return ['kind = "torus"', *lines, *hops, f"dims = {dims}"]
    if kind == "dragonfly":
        shape = ["groups = 8", "routers = 8", f"router_nodes = {int(draw.choice((1, 2, 4)))}"]
        far = f"global_bandwidth = {flow * between(draw, 0.5, 8.0)!r}"
        return ['kind = "dragonfly"', *lines, *hops, *shape, far]
    taper = ["[network.taper]", f"nodes = {int(draw.choice((2, 4, 8)))}"]
    taper.append(f"bandwidth = {adapter * between(draw, 0.5, 4.0)!r}")
    return ['kind = "fat-tree"', *lines, *(taper if kind == "tapered" else [])]


def study_of(
    machine: Machine, number: int, folder: Path, workload: Workload, large: bool = False
) -> tuple[Study, int]:
    """The first valid study of a workload with this number, and its ranks. Files of layouts go
    into `folder`. large: with a turn of many messages.
    """
    own = workload.part(Drawn)
    for trial in range(1000):
        draw = np.random.default_rng([3, number, trial])
        of_extent = own.LARGE_RANKS if large else own.RANKS
        ranks = int(draw.choice([n for n in of_extent if _has_room(machine, n)]))
        tables = own.tables(draw, Wanted(machine, ranks, folder / f"{number}.layout", large))
        turns = one_of(draw, own.COUNTS)
        try:
            check_size(machine, ranks)
            named = {"workload": workload.name, workload.counting(tables).unit.many: turns}
            study = Study.from_dict({**tables, **named})
            study = settle(study, ranks, machine).study
            study.check_ranks(ranks)
            check_overhead(machine, study.communication)
        except StudyError:
            continue
        return study, ranks
    raise StudyError(f"no study of {workload.title} was found for number {number}")


def _has_room(machine: Machine, ranks: int) -> bool:
    return machine.network.kind != "none" or ranks <= machine.node_ranks

"""Machines and studies that nobody has looked at, drawn by number; a number always gives the same.

There are five kinds of network (one switch, tapered fat-trees, tori, dragonflies, single nodes),
with 1 to 128 ranks per node, latencies and bandwidths over two decades, and eager limits from 1 kB
to 1 MB. Each key of a study keeps its default half of the time, and is drawn evenly otherwise; a
process grid that is left open is chosen for the ranks as every command chooses it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import StudyError
from phasewise.machines.machine import Machine, parse_machine
from phasewise.machines.topology import check_size
from phasewise.models.interval import EAGER, FITTED, FLOW, LATENCY, NODE_RANKS
from phasewise.study import Study
from phasewise.tuning.automatic import settle
from phasewise.workloads.collision.reproduction.cases import ALGORITHMS, paper_tables

KINDS = ("switch", "tapered", "torus", "dragonfly", "node")
NODES = tuple(n for n in (1, 2, 4, 8, 16, 32, 64, 128) if n <= FITTED[NODE_RANKS][1])
"""Ranks of a node."""
LEAST_EAGER = 1e3
"""B; below this there are hardly any messages."""


@dataclass(frozen=True)
class Extent:
    """How large studies are: ranks, and pairs of mesh nodes in each direction and slices.

    default: whether half of the studies keep the default mesh and slices.
    """

    ranks: tuple[int, ...]
    sizes: tuple[tuple[int, int], ...]
    default: bool = True


SMALL = Extent(
    (8, 12, 16, 24, 32, 48, 64, 96, 128), ((64, 4), (128, 4), (128, 8), (256, 4), (64, 15))
)
"""Few enough ranks for a simulation of seconds; in some draws most nodes are larger than that."""
LARGE = Extent((64, 96, 128, 192, 256), ((128, 8), (256, 8), (64, 15), (128, 16), (256, 16)), False)
"""The extent of studies whose turns have many messages."""
POINT: dict[str, tuple[Any, ...]] = {
    "green_function": ("as-needed", "every-step"),
    "interpolation": ("linear", "none"),
    "luminosity": (True, False),
    "weighting": ("cic", "tsc"),
    "half_crossing_angle": (0.0, 142.5e-6, 1e-3),
}
COMMUNICATION: dict[str, tuple[Any, ...]] = {
    "schedule": ("ring", "pairwise"),
    "transpose": ("pairwise", "ring", "bruck", "alltoallw"),
    "aggregate": (True, False),
    "crossing": ("4a", "4b"),
    "overlap": (False, True),
    "layout": ("row-first", "column-first", "random"),
}
"""Keys of an interaction point, and of the communication, with the values that are drawn."""
DEFAULT_SLICES = 8
ONE_NODE = 64
"""Ranks of a machine without a network, whose runs all fit into its one node."""
UNEVEN = 3
"""How many times more macroparticles one beam may have than the other."""

Draw = np.random.Generator


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
    flow = _between(draw, *FITTED[FLOW])
    lines = [
        f'name = "{_name_of(number)}"',
        "[node]",
        f"ranks = {node}",
        *_memory(draw, node, flow),
    ]
    lines += ["[network]", *_network(draw, kind, flow)]
    eager = int(_between(draw, LEAST_EAGER, FITTED[EAGER][1]))
    flops, bandwidth = _between(draw, 0.5e9, 20e9), _between(draw, 1e9, 20e9)
    lines += ["[protocol]", f"eager = {eager}", "[processor]", f"peak = {10 * flops!r}"]
    lines += [f"flops = {flops!r}", f"bandwidth = {bandwidth!r}"]
    return "\n".join(lines) + "\n"


def _between(draw: Draw, low: float, high: float) -> float:
    """Draws evenly in the logarithm."""
    return float(math.exp(draw.uniform(math.log(low), math.log(high))))


def _memory(draw: Draw, node: int, flow: float) -> list[str]:
    if node == 1:
        return []
    own = _between(draw, 0.5, 8) * flow
    shared = own * _between(draw, 1.0, node)
    latency = _between(draw, 2e-7, 4e-6)
    lines = ["[memory]", f"latency = {latency!r}", f"rank_bandwidth = {own!r}"]
    return [*lines, f"bandwidth = {shared!r}"]


def _network(draw: Draw, kind: str, flow: float) -> list[str]:
    if kind == "node":
        return ['kind = "none"']
    latency, adapter = _between(draw, *FITTED[LATENCY]), flow * _between(draw, 1.0, 4.0)
    lines = [f"latency = {latency!r}", f"flow_bandwidth = {flow!r}"]
    lines.append(f"adapter_bandwidth = {adapter!r}")
    hops = [f"hop_latency = {_between(draw, 2e-8, 1e-6)!r}"]
    hops.append(f"link_bandwidth = {flow * _between(draw, 0.5, 4.0)!r}")
    if kind == "torus":
        dims = [int(n) for n in draw.choice((2, 3, 4, 5), 2)] + [8]
        return ['kind = "torus"', *lines, *hops, f"dims = {dims}"]
    if kind == "dragonfly":
        shape = ["groups = 8", "routers = 8", f"router_nodes = {int(draw.choice((1, 2, 4)))}"]
        far = f"global_bandwidth = {flow * _between(draw, 0.5, 8.0)!r}"
        return ['kind = "dragonfly"', *lines, *hops, *shape, far]
    taper = ["[network.taper]", f"nodes = {int(draw.choice((2, 4, 8)))}"]
    taper.append(f"bandwidth = {adapter * _between(draw, 0.5, 4.0)!r}")
    return ['kind = "fat-tree"', *lines, *(taper if kind == "tapered" else [])]


def study_of(
    machine: Machine, number: int, folder: Path, extent: Extent = SMALL
) -> tuple[Study, int]:
    """The first valid study of a number, and its ranks. Files of layouts go into `folder`."""
    for trial in range(1000):
        draw = np.random.default_rng([3, number, trial])
        ranks = int(draw.choice([n for n in extent.ranks if _has_room(machine, n)]))
        path = folder / f"{number}.layout"
        try:
            check_size(machine, ranks)
            study = Study.from_dict(_tables(draw, machine, ranks, extent, path))
            study = settle(study, ranks, machine).study
            study.check_ranks(ranks)
        except StudyError:
            continue
        return study, ranks
    raise StudyError(f"no study was found for number {number}")


def _has_room(machine: Machine, ranks: int) -> bool:
    return machine.network.kind != "none" or ranks <= machine.node_ranks


def _tables(
    draw: Draw, machine: Machine, ranks: int, extent: Extent, layout_file: Path
) -> dict[str, Any]:
    """The tables of a study. A key that is left out keeps its default."""
    tables = paper_tables() | {"title": "drawn", "seed": int(draw.integers(1, 1000))}
    del tables["records"]
    tables["beam"]["1"]["macroparticles"] = particles = int(_between(draw, 1e5, 3e6))
    if draw.integers(2):
        uneven = _between(draw, 1 / UNEVEN, UNEVEN)
        tables["beam"]["2"] |= {"macroparticles": int(particles * uneven)}
    slices = DEFAULT_SLICES
    tables["ip"]["1"] = {"beta": tables["ip"]["1"]["beta"], **_some(draw, POINT)}
    if tables["ip"]["1"].get("interpolation") == "none":
        tables["ip"]["1"]["longitudinal_kick"] = False
    if draw.integers(2) or not extent.default:
        nodes, slices = extent.sizes[draw.integers(len(extent.sizes))]
        tables["ip"]["1"] |= {"grid": [nodes, nodes], "slices": slices}
    own = _some(draw, COMMUNICATION)
    if draw.integers(2):
        pairs = [pair for pair in ALGORITHMS if machine.node_ranks > 1 or "node" not in pair[0]]
        own["reduce"], own["broadcast"] = pairs[draw.integers(len(pairs))]
    if draw.integers(2):
        columns = int(draw.choice([n for n in range(1, slices + 1) if ranks // 2 % n == 0]))
        grid = (columns, ranks // 2 // columns)
        own["process_grid"] = f"{grid[0]}x{grid[1]}"
        if draw.integers(4) == 0:
            own["layout"] = _layout(draw, grid, layout_file)
    return tables | {"communication": own}


def _some(draw: Draw, keys: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Each key is left out half of the time; otherwise it has one of its values, evenly."""
    drawn = {key: values[draw.integers(len(values))] for key, values in keys.items()}
    return {key: value for key, value in drawn.items() if draw.integers(2)}


def _layout(draw: Draw, grid: tuple[int, int], path: Path) -> str:
    """Writes a file with the places of all ranks in random order."""
    places = [(b, c, r) for b in (1, 2) for c in range(grid[0]) for r in range(grid[1])]
    shuffled = [places[i] for i in draw.permutation(len(places))]
    path.write_text("".join(f"{b} {c} {r}\n" for b, c, r in shuffled), encoding="utf-8")
    return str(path)

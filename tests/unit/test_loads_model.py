"""Model `loads`: tables by the load of a message's way, and what it says where there are none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from phasewise.machines import Machine, load_machine, make_twin
from phasewise.machines.curves import Curve, Measured
from phasewise.machines.machine import parse_machine
from phasewise.models import Case, load_model
from phasewise.study import Study
from tests.sentences import refused
from tests.unit.study_tables import tables

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

LATENCY, BANDWIDTH = 2e-6, 1e9
MEMORY_LATENCY, BUS = 1e-6, 4e9

MACHINE = """
name = "even"
[node]
ranks = {node}
[memory]
latency = 1e-6
rank_bandwidth = 4e9
bandwidth = 4e9
[network]
{network}
[processor]
peak = 1e9
flops = 1e9
bandwidth = 1e9
"""
FAT_TREE = """
kind = "fat-tree"
latency = 2e-6
flow_bandwidth = 1e9
adapter_bandwidth = 1e9
"""
TORUS = """
kind = "torus"
dims = [1, 1, 8]
latency = 2e-6
hop_latency = 1e-12
flow_bandwidth = 1e9
link_bandwidth = 1e9
"""


def study(**communication: Any) -> Study:
    """Long messages, without the luminosity's, which go while others are on their way."""
    changes = {f"communication__{key}": value for key, value in communication.items()}
    return Study.from_dict(tables(ip__1__grid=[256, 256], ip__1__luminosity=False, **changes))


def line(latency: float, bandwidth: float, load: int) -> tuple[float, ...]:
    """Times of messages of 8 B and 1 MB, of which `load` share the bandwidth."""
    return tuple(latency + size * load / bandwidth for size in (8, 1_000_000))


def curve(benchmark: str, level: str, load: int, pairs: int = 1) -> Curve:
    network = level == "network"
    seconds = line(*((LATENCY, BANDWIDTH) if network else (MEMORY_LATENCY, BUS)), load)
    found = (8, 1_000_000), seconds, seconds, seconds, LATENCY, BANDWIDTH
    return Curve(benchmark, level, *found, pairs=pairs)


CURVES = (
    # A pair within a node is two messages on its bus.
    curve("ping-ping", "node", 2),
    curve("parallel", "node", 8, pairs=8),
    curve("ping-ping", "network", 1),
    curve("parallel", "network", 8, pairs=8),
)


def machine(network: str, node: int = 1) -> Machine:
    described = parse_machine(MACHINE.format(node=node, network=network), "even")
    return replace(described, curves=CURVES)


SYMMETRIC = {"reduce": "hypercube", "broadcast": "hypercube"}
CASES = {
    "one rank a node": (FAT_TREE, 1, 8, SYMMETRIC),
    "columns of nodes": (FAT_TREE, 4, 8, SYMMETRIC | {"process_grid": "1x4"}),
    "mesh": (FAT_TREE, 4, 8, {"reduce": "mesh", "broadcast": "mesh", "process_grid": "1x4"}),
    "ring": (TORUS, 1, 8, SYMMETRIC | {"process_grid": "4x1"}),
}


@pytest.mark.parametrize(("network", "node", "ranks", "communication"), CASES.values(), ids=CASES)
def test_where_times_grow_with_the_load_it_tells_what_contention_tells(
    network: str, node: int, ranks: int, communication: dict[str, Any]
) -> None:
    case = Case(study(**communication), machine(network, node), ranks)
    found, expected = (sum(load_model(m).phase_seconds(case).values()) for m in MODELS)
    # Both keep a rate for 2 % of a message's time: half of that on average.
    assert found == pytest.approx(expected, rel=0.01)


MODELS = ("loads", "contention")


@pytest.mark.parametrize("load", [1.0, 1.5, 2.0, 5.0])
def test_a_table_is_read_as_straight_lines_in_size_and_load(load: float) -> None:
    # A message alone, of load 1, from a table of the loads 1/load and 2/load: at one of these, in
    # between, or beyond the last.
    case = study()
    platform = (
        f"kind = fat-tree\nnodes = 2\nnode.ranks = 1\nflow = {LATENCY!r} 1e9\nadapter = 1e9\n"
    )
    table = {
        "sizes": [8.0, 1e6],
        "loads": [1.0 / load, 2.0 / load],
        "seconds": [line(LATENCY, BANDWIDTH * load, 1), line(LATENCY, BANDWIDTH * load, 2)],
    }
    found = core.by_load(case.parameters(), 2, platform, table, table)
    expected = core.contend(case.parameters(), 2, platform, 0, [], [], [])
    assert found["phases"] == pytest.approx(expected["phases"], rel=1e-9)


@pytest.mark.parametrize("name", ["bassi", "bluegene-l"])
def test_a_machine_that_is_not_measured_is_refused_with_the_command_that_measures_it(
    name: str,
) -> None:
    with refused("loads", f"phasewise machine measure --machine {name} --ranks 16 -o"):
        load_model("loads").phase_seconds(Case(study(), load_machine(name), 16))


def test_ranks_of_one_node_need_no_table_of_the_network() -> None:
    alone = replace(machine(FAT_TREE, 8), curves=CURVES[:2])
    assert sum(load_model("loads").phase_seconds(Case(study(), alone, 8)).values()) > 0
    with refused("loads", "ping-ping", "nodes"):
        load_model("loads").phase_seconds(Case(study(), alone, 16))


def test_on_a_torus_the_grid_benchmarks_give_the_times_of_larger_loads() -> None:
    # Along a row of four of the ring of eight: two messages on each link at a distance of two. A
    # second for each message there.
    own, seconds = machine(TORUS), (1.0, 1.0)
    found = (8, 1_000_000), seconds, seconds, seconds, 1.0, 1e9
    slow = Curve("grid", "network", *found, direction="row", distance=2, ranks=8)
    curves = (curve("ping-ping", "network", 1), slow)
    measured = replace(own, curves=curves, measured=Measured("simulator", 8))
    platform = make_twin(own, "full", 8).platform
    assert core.pattern_loads([2, 3, 0, 1, 6, 7, 4, 5], platform) == pytest.approx([2.0] * 8)
    case = study(process_grid="4x1", **SYMMETRIC)
    with_grids, without = (
        sum(load_model("loads").phase_seconds(Case(case, m, 8)).values())
        for m in (measured, replace(measured, curves=curves[:1]))
    )
    assert with_grids > 1.0 > without

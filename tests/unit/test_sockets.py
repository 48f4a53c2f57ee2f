"""Nodes of several sockets and adapters: their file, and what their messages share."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from benchmarks.machine_generator import SEVERAL, machine_of
from phasewise.machines import floor, load_machine, make_ideal, make_twin, nodes_of
from phasewise.machines.facts import facts
from phasewise.machines.machine import parse_machine
from phasewise.machines.probes import probes_of
from phasewise.machines.topology import adapters_of, sockets_of
from phasewise.machines.uncertainty import with_rate
from phasewise.models import Case, load_model, predict
from phasewise.tuning.placement_files import place
from tests.sentences import Nearest, refused
from tests.unit.paired_machine import (
    BETWEEN,
    FAT_TREE,
    NETWORKS,
    NODE,
    SIZE,
    TORUS,
    WITHIN,
    Way,
    paired,
    seconds,
    swap,
)

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

CASES = [
    (network, pairs, way)
    for network in NETWORKS
    for pairs, way in ((WITHIN if network == "fat-tree" else {}) | BETWEEN[network]).items()
]


@pytest.mark.parametrize(("network", "pairs", "way"), CASES)
def test_messages_share_a_bus_a_link_of_sockets_or_an_adapter(
    network: str, pairs: str, way: Way
) -> None:
    platform = make_twin(paired(network), "full", 16).platform
    found = core.contend(swap(pairs).parameters(), 16, platform, 0, [], [], [], agreed=True)
    assert found["turn"] == pytest.approx(seconds(way), rel=1e-9)


def test_ranks_that_copy_share_their_own_rate_within_a_socket_and_across() -> None:
    # A rank copies 4 GB/s in and out together; a message to another socket gets 2 GB/s at most.
    platform = (
        make_twin(paired(), "full", 16).platform + "memory.shares = 1\nmemory.in_and_out = 1\n"
    )
    for pairs, way in (("0-1", (1e-6, 2e9)), ("0-4", (2e-6, 2e9)), ("0-4; 1-5", (2e-6, 1.5e9))):
        found = core.contend(swap(pairs).parameters(), 16, platform, 0, [], [], [], agreed=True)
        assert found["turn"] == pytest.approx(seconds(way), rel=1e-9)


def test_the_loads_of_messages_are_in_terms_of_what_they_share_first() -> None:
    platform = make_twin(paired(), "full", 16).platform

    def loads(ways: dict[int, int]) -> list[float]:
        found = core.pattern_loads([ways.get(rank, -1) for rank in range(16)], platform)
        return [found[rank] for rank in ways]

    # A bus of 8 GB/s, a link of 3 GB/s between sockets, an adapter of 1.5 GB/s.
    assert loads({0: 1, 2: 3}) == pytest.approx([2.0, 2.0])
    assert loads({0: 1, 4: 5}) == pytest.approx([1.0, 1.0])
    assert loads({0: 4, 1: 5, 6: 2}) == pytest.approx([2.0, 2.0, 1.0])
    assert loads({0: 8, 1: 9, 2: 10}) == pytest.approx([2.0, 2.0, 1.0])
    # Three messages get 1 GB/s each of the link, and leave 5 GB/s of the bus to four others.
    busy = loads({0: 1, 1: 2, 2: 3, 3: 0, 4: 1, 5: 2, 6: 3})
    assert busy == pytest.approx([4 * 8 / 5] * 4 + [3.0] * 3)


def test_ranks_fill_sockets_and_adapters_in_order() -> None:
    machine = paired()
    assert sockets_of(machine, 10).tolist() == [0] * 4 + [1] * 4 + [2] * 2
    assert adapters_of(machine, 10).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    twin = make_twin(machine, "full", 10)
    assert twin.hosts == tuple(f"node{r // 8}.{r % 8 // 2}" for r in range(10))
    assert make_ideal(twin).hosts == ("node0",) * 8 + ("node1",) * 2
    # Three sockets and two adapters of six ranks: no two ranks have both in common.
    assert machine.sockets is not None
    three, two = replace(machine.sockets, count=3), replace(machine.network, adapters=2)
    odd = replace(machine, node_ranks=6, sockets=three, network=two)
    assert make_twin(odd, "full", 6).hosts == tuple(f"node0.{rank}" for rank in range(6))
    # Nodes of fewer ranks than parts leave some of these empty.
    few = replace(machine, node_ranks=3)
    assert sockets_of(few, 3).tolist() == [0, 0, 1]
    assert make_twin(few, "full", 3).hosts == ("node0.0", "node0.1", "node0.2")


def test_a_node_of_one_socket_and_one_adapter_is_one_host() -> None:
    twin = make_twin(load_machine("bassi"), "full", 16)
    assert not any("." in host for host in twin.hosts)
    assert "sockets" not in twin.platform and "adapters" not in twin.platform


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        ("sockets = 2", "sockets = 3", ("node.sockets", 3, "node.ranks", 8, "divisor", "2")),
        ("sockets = 2", "sockets = 0", ("node.sockets", 0, 1)),
        ("sockets = 2", "sockets = -2", ("node.sockets", -2, 1)),
        ("sockets = 2", "sockets = 1.5", ("node.sockets", 1.5, "integer")),
        ("sockets = 2", "", ("[sockets]", "node.sockets = 2")),
        ("sockets = 2", "sokets = 2", ("node", '"sokets"', Nearest("sockets"))),
        ("[sockets]", "[sockts]", ('"sockts"', Nearest("sockets"))),
        ("latency = 2e-6", "", ("sockets.latency", "missing")),
        ("latency = 2e-6", "latency = 2", ("sockets.latency", 2, "(s)", "1e-6")),
        ("bandwidth = 2e9", "bandwidth = -2e9", ("sockets.rank_bandwidth", "-2e+09", "(B/s)")),
        ("bandwidth = 3e9", "bandwidth = 0", ("sockets.bandwidth", 0, "(B/s)")),
        ("bandwidth = 3e9", "bandwidth = 1e9", ("sockets.bandwidth", "sockets.rank_bandwidth")),
        ("adapters = 4", "adapters = 3", ("network.adapters", 3, "node.ranks", 8, "2")),
        ("adapters = 4", "adapters = 0", ("network.adapters", 0, 1)),
        ("adapters = 4", "adaptors = 4", ("network", '"adaptors"', Nearest("adapters"))),
        ("ranks = 8", "ranks = 1", ("node.sockets", 2, "node.ranks", 1)),
    ],
)
def test_wrong_sockets_and_adapters_are_refused_in_one_sentence(
    old: str, new: str, facts: tuple[object, ...]
) -> None:
    text = NODE + FAT_TREE
    assert old in text
    with refused(*facts):
        parse_machine(text.replace(old, new, 1), "paired.toml")


def test_several_sockets_need_their_table_and_several_adapters_a_bandwidth() -> None:
    start, end = NODE.index("[sockets]"), NODE.index("[processor]")
    with refused("[sockets]", "missing", "between the sockets", "node.sockets"):
        parse_machine(NODE[:start] + NODE[end:] + FAT_TREE, "paired.toml")
    with refused("network.adapters", 4, "network.adapter_bandwidth", "torus"):
        parse_machine(NODE + TORUS.replace("adapter_bandwidth = 1.5e9\n", ""), "paired.toml")
    with refused("network.adapters", '"none"'):
        parse_machine(NODE + '[network]\nkind = "none"\nadapters = 2\n', "paired.toml")


def test_the_rates_of_sockets_may_be_uncertain() -> None:
    given = "bandwidth = { value = 3e9, uncertainty = 0.2 }"
    machine = parse_machine(NODE.replace("bandwidth = 3e9", given) + FAT_TREE, "paired.toml")
    assert machine.uncertain == {"sockets.bandwidth": 0.2}
    moved = with_rate(machine, "sockets.bandwidth", 0.5)
    case = Case(swap("0-4"), moved, 16, agreed=True)
    # Half of 3 GB/s is less than the 2 GB/s that one message may have.
    expected = 2e-6 + SIZE / 1.5e9
    assert predict(case, "contention").turn_seconds == pytest.approx(expected, rel=1e-4)
    with refused("network.adapters", "rate", "uncertainty"):
        parse_machine(NODE + FAT_TREE.replace("= 4\n", "= { value = 4 }\n"), "paired.toml")


def test_the_floor_counts_each_adapter_bus_and_link() -> None:
    machine, size = paired(), np.array([SIZE])

    def least(*ways: tuple[int, int]) -> Any:
        source, target = np.array(ways).T
        return floor(machine, nodes_of(machine, 16), source, target, np.repeat(size, len(ways)))

    assert least((0, 8), (2, 10)).adapter == pytest.approx(SIZE / 1.5e9)
    assert least((0, 8), (1, 9)).adapter == pytest.approx(2 * SIZE / 1.5e9)
    assert least((0, 8), (2, 8)).adapter == pytest.approx(2 * SIZE / 1.5e9)
    # One message, then as many as fill the link or a bus.
    assert least((0, 4)).memory == pytest.approx(SIZE / 2e9)
    assert least((0, 4), (1, 5)).memory == pytest.approx(2 * SIZE / 3e9)
    assert least(*((rank, rank ^ 1) for rank in range(8))).memory == pytest.approx(4 * SIZE / 8e9)
    both = [*((rank, rank ^ 1) for rank in range(4)), (0, 4), (1, 5), (4, 2), (5, 3)]
    assert least(*both).memory == pytest.approx(8 * SIZE / 8e9)


def test_what_is_shown_has_sockets_and_adapters() -> None:
    known = facts(paired())
    assert (known["sockets_per_node"], known["adapters_per_node"]) == (2, 4)
    assert (known["node_bandwidth"], known["socket_bandwidth"]) == (16e9, 8e9)
    assert (known["socket_link_latency"], known["socket_link_bandwidth"]) == (2e-6, 3e9)
    assert known["adapter_bandwidth"] == 1.5e9


def test_probes_go_within_a_socket_between_two_and_between_nodes() -> None:
    for node, sockets in product((4, 6, 8, 9), (2, 3)):
        if node % sockets:
            continue
        nodes = [rank // node for rank in range(2 * node)]
        socket = [rank // (node // sockets) for rank in range(2 * node)]
        probes = [probe for probe in probes_of(nodes, sockets=socket) if probe.benchmark != "grid"]
        levels = {"socket", "node", "network"} if node > sockets else {"node", "network"}
        assert {probe.level for probe in probes} == levels
        for probe in probes:
            ways = [(rank, to) for rank, to in enumerate(probe.to) if to >= 0]
            assert all((nodes[a] != nodes[b]) == (probe.level == "network") for a, b in ways)
            if probe.level != "network":
                assert all((socket[a] != socket[b]) == (probe.level == "node") for a, b in ways)
            if probe.benchmark == "parallel" and probe.level != "network":
                assert len(ways) == probe.pairs


def test_the_simple_model_of_the_description_tells_the_levels_apart() -> None:
    machine = paired()

    def turn(pairs: str) -> float:
        found = load_model("described").phase_seconds(Case(swap(pairs), machine, 16))
        return sum(found.values())

    assert turn("0-1") == pytest.approx(seconds((1e-6, 4e9)))
    assert turn("0-4") == pytest.approx(seconds((2e-6, 2e9)))
    assert turn("0-4; 1-5") == pytest.approx(seconds((2e-6, 1.5e9)))
    assert turn("0-8; 1-9") == pytest.approx(seconds((4e-6, 0.75e9)))
    assert turn("0-8; 2-10") == pytest.approx(seconds((4e-6, 1e9)))


def test_a_rankfile_names_the_socket_of_each_rank() -> None:
    lines = place(paired(), 10, 2, {}).rankfile().splitlines()
    assert lines[0] == "rank 0=+n0 slot=0:0-1"
    assert lines[3:6] == [
        "rank 3=+n0 slot=0:6-7", "rank 4=+n0 slot=1:0-1", "rank 5=+n0 slot=1:2-3",
    ]  # fmt: skip
    assert lines[9] == "rank 9=+n1 slot=0:2-3"


def test_drawn_machines_have_several_sockets_and_adapters_from_a_number_on() -> None:
    def parts(first: int) -> list[tuple[int, int]]:
        machines = [machine_of(number) for number in range(first, first + 60)]
        return [(one.socket_count, one.network.adapters) for one in machines if one.node_ranks > 1]

    assert set(parts(0)) == {(1, 1)}
    sockets, adapters = zip(*parts(SEVERAL), strict=True)
    # Each is one in half of the draws, and on networks without adapters.
    assert 0.3 < np.mean(np.array(sockets) == 1) < 0.7
    assert 0.3 < np.mean(np.array(adapters) == 1) < 0.8
    assert {2, 4, 8} <= {*sockets} and {2, 4, 8} <= {*adapters}

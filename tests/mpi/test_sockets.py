"""Simulated nodes of several sockets and adapters, by theory and by models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from phasewise.errors import RunError
from phasewise.machines import find
from phasewise.machines.curves import Measured
from phasewise.machines.machine import Machine, parse_machine
from phasewise.machines.machine_file import measured_tables
from phasewise.machines.measure import Measurement
from phasewise.machines.smpirun import simulated_tree
from phasewise.machines.targets import SimulatedTarget
from phasewise.models import Case, first_turn, predict, recorded_case
from phasewise.models.loads import _by_load
from phasewise.simulated.simulate import Request, simulate
from phasewise.simulated.timing import time_simulated
from phasewise.study import Study
from tests.unit.paired_machine import (
    BETWEEN,
    FAT_TREE,
    NETWORKS,
    NODE,
    SIZE,
    WITHIN,
    paired,
    seconds,
    swap,
)
from tests.unit.study_tables import tables

pytest.importorskip("phasewise._core", reason="the core is not built")
try:
    simulated_tree()
except RunError as error:
    pytest.skip(str(error), allow_module_level=True)

HEADER = 16
"""Bytes that the simulator adds to a message."""


@pytest.mark.parametrize("network", NETWORKS)
def test_messages_take_the_time_of_theory_in_the_twin_and_in_the_model(network: str) -> None:
    machine, ways = paired(network), WITHIN | BETWEEN[network]
    studies = [swap(pairs) for pairs in ways]
    times = time_simulated(studies, Request(machine, 16, skeleton=True, computation=False))
    for study, way, time in zip(studies, ways.values(), times, strict=True):
        assert not time.missed
        # The simulator's times are exact to some nanoseconds.
        assert time.seconds == pytest.approx(seconds(way), rel=3 * HEADER / SIZE)
        found = predict(Case(study, machine, 16, agreed=True), "contention")
        assert found.turn_seconds == pytest.approx(time.seconds, rel=1e-5)


def test_a_node_without_a_network_may_have_sockets() -> None:
    alone = parse_machine(f'{NODE}[network]\nkind = "none"\n', "alone.toml")
    request = Request(alone, 8, skeleton=True, computation=False)
    within, across = time_simulated([swap("0-1"), swap("0-4")], request)
    assert within.seconds == pytest.approx(seconds(WITHIN["0-1"]), rel=3 * HEADER / SIZE)
    assert across.seconds == pytest.approx(seconds(WITHIN["0-4"]), rel=3 * HEADER / SIZE)


def test_the_simulator_gives_more_of_a_bus_to_messages_of_less_latency() -> None:
    study, machine = swap("0-4; 1-2"), paired()
    (time,) = time_simulated([study], Request(machine, 16, skeleton=True, computation=False))
    case = Case(study, machine, 16, agreed=True)
    assert predict(case, "contention").turn_seconds == pytest.approx(time.seconds, rel=1e-5)
    # Of 8 GB/s two messages within the socket get twice what two to the other one get. When they
    # are done, these have half of their bytes left, and 2 GB/s each.
    expected = SIZE / 8e9 * 3 + SIZE / 2 / 2e9
    assert time.seconds == pytest.approx(expected, rel=2e-3)
    # On hardware all get the same.
    real = replace(case, machine=replace(machine, measured=Measured("hardware", 16)))
    assert predict(real, "contention").turn_seconds == pytest.approx(seconds((2e-6, 2e9)), rel=1e-3)


def test_the_messages_of_a_record_know_their_sockets_and_adapters(tmp_path: Path) -> None:
    for pairs, inter, across, active in (
        ("0-4; 1-5; 2-3", 0, 1, 2),
        ("4-5; 6-7; 0-1", 0, 0, 4),
        ("0-8; 1-9; 2-10; 3-4", 1, 0, 1),
    ):
        folder = tmp_path / pairs
        request = Request(paired(), 16, skeleton=True, computation=False)
        simulate(swap(pairs), request, folder)
        case = recorded_case(folder, paired())
        planned = Case(swap(pairs), paired(), 16)
        # Of ranks that send as much, a record gives the last one, and a plan the first one.
        (found,) = case.phases
        assert (found.inter.tolist(), found.across.tolist()) == ([inter], [across])
        assert found.active.tolist() == [active]
        (first,) = planned.phases
        assert first.count.tolist() == found.count.tolist()


SHUFFLED = FAT_TREE + 'allocation = "shuffled"\n[network.taper]\nnodes = 2\nbandwidth = 1.2e9\n'
WAYS: dict[str, dict[str, Any]] = {
    "rows": {"communication__process_grid": "4x3"},
    "columns": {"communication__process_grid": "1x12", "communication__overlap": True},
    "node-aware": {
        "communication__process_grid": "1x12",
        **{f"communication__{phase}": "node-aware" for phase in ("reduce", "broadcast")},
    },
}


@pytest.mark.parametrize(
    ("network", "way"),
    [("shuffled", "columns"), ("dragonfly", "node-aware"), ("torus", "rows")],
)
def test_contention_tells_whole_turns_on_sockets_and_adapters(
    tmp_path: Path, network: str, way: str
) -> None:
    case = Study.from_dict(tables(turns=1, ip__1__grid=[96, 96], **WAYS[way]))
    summary, record = simulate(case, Request(wide(network), 24, skeleton=True), tmp_path)
    assert record.node.tolist() == [rank // 8 for rank in range(24)]
    found = predict(Case(case, wide(network), 24, pieces=record.pieces), "contention")
    assert found.turn_seconds == pytest.approx(summary["turn_seconds"], rel=0.002)
    assert found.communication_seconds == pytest.approx(summary["communication_seconds"], rel=0.01)
    assert summary["floor_seconds"] <= summary["turn_seconds"]


def wide(network: str) -> Machine:
    """The machine with a network of three nodes."""
    text = (NETWORKS | {"shuffled": SHUFFLED})[network].replace("[2, 1, 1]", "[3, 1, 1]")
    return parse_machine(NODE + text, "paired.toml")


@pytest.fixture(scope="module")
def measured() -> Machine:
    """The machine with curves of its twin, read from a file."""
    target = SimulatedTarget(paired(), "full", 16)
    curves = Measurement(target, True, lambda _: None).measure()
    text = measured_tables(Measured("simulator", 16, twin="full"), curves)
    return parse_machine(f"{NODE}{FAT_TREE}\n{text}", "measured.toml")


def test_curves_are_measured_within_a_socket_between_two_and_between_nodes(
    measured: Machine,
) -> None:
    # The curve's latency and bandwidth are those of theory, for messages long and alone.
    for benchmark, level, pairs, (latency, bandwidth) in (
        ("ping-pong", "socket", 1, (1e-6, 4e9)),
        ("parallel", "socket", 4, (1e-6, 2e9)),
        ("ping-pong", "node", 1, (2e-6, 2e9)),
        ("parallel", "node", 4, (2e-6, 1.5e9)),
        ("parallel", "node", 8, (2e-6, 0.75e9)),
        ("parallel", "network", 8, (4e-6, 0.75e9)),
    ):
        curve = find(measured.curves, benchmark, level=level, pairs=pairs)
        assert curve is not None and curve.pairs == pairs
        assert curve.bandwidth == pytest.approx(bandwidth, rel=0.01)
        # The header makes an empty message longer.
        assert curve.seconds_of(0) == pytest.approx(latency, rel=0.02)


@pytest.mark.parametrize("model", ["3", "4", "loads"])
@pytest.mark.parametrize("pairs", ["i-(i+2)", "i-(i+4)", "i-(i+8)"])
def test_models_that_add_up_tell_the_levels_apart(
    measured: Machine, model: str, pairs: str
) -> None:
    """All ranks exchange within their sockets, between sockets, and between nodes."""
    case = first_turn(swap(pairs), measured, 16)
    exact = predict(first_turn(swap(pairs), measured, 16), "contention").communication_seconds
    assert predict(case, model).communication_seconds == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("pairs", ["0-1", "0-1; 2-3", "0-4", "0-4; 1-5; 2-6", "0-8; 2-10"])
def test_tables_by_load_know_what_messages_share(measured: Machine, pairs: str) -> None:
    case = first_turn(swap(pairs), measured, 16)
    exact = predict(case, "contention").turn_seconds
    assert predict(case, "loads").turn_seconds == pytest.approx(exact, rel=0.02)


def test_tables_are_by_the_load_of_one_bus_link_or_adapter(measured: Machine) -> None:
    # Of 8 ranks of a node 2 share an adapter, and 4 send over a link each way.
    expected = {"socket": [2, 4], "node": [1, 2, 4], "network": [1, 2]}
    assert {level: sorted(_by_load(measured, level)) for level in expected} == expected


def test_a_file_measured_without_sockets_serves_all_messages_within_a_node(
    measured: Machine,
) -> None:
    curves = tuple(curve for curve in measured.curves if curve.level != "socket")
    case = first_turn(swap("i-(i+2)"), replace(measured, curves=curves), 16)
    for model in ("3", "4", "loads"):
        assert predict(case, model).communication_seconds > 0.0

"""Turns in which ranks compute: what they wait for each other, and what overlap hides."""

from __future__ import annotations

import math
from typing import Any

import pytest

from phasewise.machines import make_twin
from phasewise.machines.machine import Machine, parse_machine
from phasewise.models import Case, predict
from phasewise.study import Study
from tests.unit.study_tables import tables

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

FLOP = 1e-9
"""Seconds of a flop; bytes take no time here."""

AT_ONCE = "kind = fat-tree\nnodes = 8\nnode.ranks = 1\nflow = 1e-15 1e18\n"
"""A network on which messages take no time that matters."""


def study(**changes: Any) -> Study:
    return Study.from_dict(tables(**{"ip__1__luminosity": False, **changes}))


def follow(case: Study, ranks: int, platform: str, computes: bool = True) -> Any:
    rates = {"flop": FLOP, "byte": 0.0, "kernels": []} if computes else {}
    return core.contend(case.parameters(), ranks, platform, 0, [], [], [], {}, rates)


LIBRARY = ("losses", "moments", "slices")
"""Sums by the library, of which nobody can tell waiting from transfer."""


def communicating(found: Any, beside: tuple[str, ...] = ()) -> float:
    return sum(seconds for name, seconds in found["phases"].items() if name not in beside)


def waiting(found: Any) -> float:
    return sum(found["waiting"].values())


@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
def test_the_mean_rank_computes_the_flops_of_all_kernels(ranks: int) -> None:
    flops = sum(kernel["flops"] for kernel in core.work(study().parameters(), ranks))
    assert follow(study(), ranks, AT_ONCE)["computing"] == pytest.approx(FLOP * flops, rel=1e-6)


def test_a_measured_kernel_takes_its_own_rate() -> None:
    case = study()
    kernels = core.work(case.parameters(), 2)
    rates = {"flop": 0.0, "byte": 0.0}
    listed = [(kernel["name"], kernel["part"], FLOP) for kernel in kernels]
    found = core.contend(
        case.parameters(), 2, AT_ONCE, 0, [], [], [], {}, rates | {"kernels": listed}
    )
    # A kernel without flops is timed by its bytes.
    work = sum(kernel["flops"] or kernel["bytes"] for kernel in kernels)
    assert found["computing"] == pytest.approx(FLOP * work, rel=1e-6)


def test_where_messages_take_no_time_all_communication_is_waiting_for_more_work() -> None:
    case = study(beam__1__macroparticles=40_000, beam__2={"like": "beam.1"})
    uneven = case.replace(**{"beam.2.macroparticles": 10_000})
    even, found = follow(case, 2, AT_ONCE), follow(uneven, 2, AT_ONCE)
    assert communicating(even) < 1e-6 * even["turn"]
    assert waiting(found) == pytest.approx(communicating(found, LIBRARY), rel=1e-6)
    assert waiting(found) > 0.05 * found["turn"]
    # The rank with more particles ends last, and nobody has waited for its arc yet.
    assert found["turn"] >= found["computing"] + communicating(found)


def test_a_rank_waits_for_a_late_sender_and_then_for_its_message() -> None:
    case = study(beam__1__macroparticles=40_000, beam__2={"like": "beam.1"})
    uneven = case.replace(**{"beam.2.macroparticles": 10_000})
    slow = "kind = fat-tree\nnodes = 2\nnode.ranks = 1\nflow = 1e-6 1e9\n"
    messages = follow(uneven, 2, slow, computes=False)
    found = follow(uneven, 2, slow)
    # The messages themselves take as long as without computing; the rest is waiting.
    transfer = communicating(found, LIBRARY) - waiting(found)
    assert transfer == pytest.approx(communicating(messages, LIBRARY), rel=1e-3)


SLOW = "kind = fat-tree\nnodes = 4\nnode.ranks = 1\nflow = 1e-6 1e8\n"


def shortened(**changes: Any) -> float:
    """By what share overlap shortens a turn."""
    chosen = {"communication__process_grid": "1x2", "ip__1__grid": [128, 128], **changes}
    turns = [
        follow(study(communication__overlap=overlap, **chosen), 4, SLOW)["turn"]
        for overlap in (False, True)
    ]
    return 1 - turns[1] / turns[0]


def test_overlap_hides_more_messages_than_calls_of_the_library() -> None:
    assert shortened() > 0.1
    assert (
        shortened(communication__reduce="mpi", communication__broadcast="mpi") < 0.7 * shortened()
    )


def machine() -> Machine:
    text = """
name = "pairs"
[node]
ranks = 1
[network]
kind = "fat-tree"
latency = 2e-6
flow_bandwidth = 1e9
adapter_bandwidth = 1e9
[processor]
peak = 4e9
flops = 1e9
bandwidth = 1e10
"""
    return parse_machine(text, "pairs")


def test_a_predicted_turn_has_its_parts_and_an_interval() -> None:
    case = Case(study(beam__2={"like": "beam.1", "macroparticles": 10_000}), machine(), 2)
    found = predict(case, "contention")
    assert 0 < found.waiting_seconds < found.communication_seconds
    assert sum(found.phases.values()) == pytest.approx(found.communication_seconds)
    # The turn is that of the slowest rank, the parts are means.
    parts = found.computation_seconds + found.communication_seconds
    assert parts <= found.turn_seconds < 1.1 * parts
    assert found.turn_low < found.turn_seconds < found.turn_high


def test_without_computation_nobody_waits_for_work() -> None:
    case = Case(study(), machine(), 2)
    found = predict(case, "contention", computation=False)
    assert found.computation_seconds == 0.0
    assert found.turn_seconds == pytest.approx(found.communication_seconds, rel=1e-2)


def dragonfly(dims: tuple[int, int, int], local: float, between: float) -> str:
    """The platform of groups, routers of a group and nodes of a router, with the bandwidths [B/s]
    of links within groups and between them.
    """
    text = f"""
name = "groups"
[node]
ranks = 1
[network]
kind = "dragonfly"
latency = 1e-6
hop_latency = 1e-7
flow_bandwidth = 4e9
adapter_bandwidth = 4e9
groups = {dims[0]}
routers = {dims[1]}
router_nodes = {dims[2]}
link_bandwidth = {local}
global_bandwidth = {between}
[processor]
peak = 1e9
flops = 1e9
bandwidth = 1e9
"""
    return make_twin(parse_machine(text, "groups"), "plain", math.prod(dims)).platform


def test_links_between_groups_have_their_own_bandwidth_whatever_it_is() -> None:
    # Two groups of two routers with a node each: ranks 0 and 2 are in different groups.
    times = []
    for bandwidth in (1e9, 0.5e9, 0.4e9):
        platform = dragonfly((2, 2, 1), 1e9, bandwidth)
        found = follow(study(communication__process_grid="2x1"), 4, platform, computes=False)
        times.append(communicating(found))
    assert times[0] < times[1] < times[2]


def test_a_router_joins_several_groups_where_there_are_more_groups_than_routers() -> None:
    # Four groups of two routers with two nodes each. Router 0 of a group leads to groups 0 and 2,
    # router 1 to groups 1 and 3, so that two messages from the nodes of router 0 share a link
    # within their group on the way to group 1, where rank 4 is, and none on the way to group 2.
    platform = dragonfly((4, 2, 2), 1e8, 4e9)
    times = []
    for pairs in ("0-4; 1-5", "0-8; 1-9"):
        own = {"bytes": 2**20, "verify": False, "window": 1, "pairs": pairs}
        case = Study.from_dict({"workload": "commtest", "exchanges": 1, "commtest": own})
        times.append(follow(case, 16, platform, computes=False)["turn"])
    assert times == pytest.approx([2 * 2**20 / 1e8, 2**20 / 1e8], rel=1e-2)


@pytest.mark.parametrize("protocol", ["get", "put", "irecv-isend"])
def test_messages_that_take_no_time_end_in_the_call_that_asks_for_them(protocol: str) -> None:
    own = {"operator": "stream", "bytes": 2**20, "verify": False}
    tables = {"commtest": own, "communication": {"protocol": protocol}}
    case = Study.from_dict({"workload": "commtest", "exchanges": 1, **tables})
    at_once, slow = follow(case, 2, AT_ONCE, False), follow(case, 2, SLOW, False)
    assert at_once["turn"] < 1e-9
    # Nothing is shared there: all messages take as long as one, at 1e8 B/s.
    assert slow["turn"] == pytest.approx(2**20 / 1e8, rel=1e-3)

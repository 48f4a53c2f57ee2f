"""Messages that share a network: loads of ways, and turns timed by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.machines import floor, make_twin, nodes_of
from phasewise.machines.machine import Machine, parse_machine
from phasewise.study import Study, load
from tests.sentences import refused
from tests.unit.study_tables import tables

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

FOLDER = Path(__file__).resolve().parents[2]

ROUNDING = 1e-9
"""Far above rounding errors of some thousand additions, far below any error of a rate."""

RESOLUTION = 2e-3
"""Of a message's time, for which rates are kept where the effort is 1."""

SHARE_TOLERANCE = 2e-3
"""Links whose shares differ by less are filled together."""

PROCESSOR = "[processor]\npeak = 1e9\nflops = 1e9\nbandwidth = 1e9\n"


def fat_tree(node: int, network: str = "") -> Machine:
    """Adapters of 1 GB/s, of which one message can have all; buses of 4 GB/s."""
    memory = "[memory]\nlatency = 1e-6\nrank_bandwidth = 4e9\nbandwidth = 4e9\n"
    text = f"""
name = "tree"
[node]
ranks = {node}
{memory if node > 1 else ""}
[network]
kind = "fat-tree"
latency = 2e-6
flow_bandwidth = 1e9
adapter_bandwidth = 1e9
{network}
"""
    return parse_machine(text + PROCESSOR, "tree")


def torus(dims: list[int]) -> Machine:
    text = f"""
name = "torus"
[node]
ranks = 1
[network]
kind = "torus"
dims = {dims}
latency = 4e-6
hop_latency = 1e-7
flow_bandwidth = 142e6
link_bandwidth = 142e6
"""
    return parse_machine(text + PROCESSOR, "torus")


def loads(machine: Machine, to: list[int]) -> list[float]:
    found: list[float] = core.pattern_loads(to, make_twin(machine, "full", len(to)).platform)
    return found


NOBODY = -1


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ([2, NOBODY, NOBODY, NOBODY], [1, 0, 0, 0]),
        # Two leave a node at once; two come to a node at once; both ways do not meet.
        ([2, 3, NOBODY, NOBODY], [2, 2, 0, 0]),
        ([2, NOBODY, NOBODY, NOBODY, 2, NOBODY], [2, 0, 0, 0, 2, 0]),
        ([2, 3, 0, 1], [2, 2, 2, 2]),
        # On the bus, beside one that leaves the node and does not use it.
        ([1, 0, NOBODY, NOBODY], [2, 2, 0, 0]),
        ([1, 2, NOBODY, NOBODY], [1, 1, 0, 0]),
        # Three come to node 2, of which one leaves node 0 together with another: that one can use
        # what is left of node 0's adapter, 1 - 1/3, and so is as if 3/2 were there.
        ([2, 4, NOBODY, NOBODY, NOBODY, NOBODY, 4, 5], [1.5, 3, 0, 0, 0, 0, 3, 3]),
    ],
    ids=["alone", "out", "in", "both", "bus", "bus-and-out", "left-over"],
)
def test_loads_on_a_fat_tree_are_those_counted_by_hand(
    to: list[int], expected: list[float]
) -> None:
    assert loads(fat_tree(2), to) == pytest.approx(expected, rel=ROUNDING)


def test_the_tapered_stage_of_a_fat_tree_counts_in_units_of_an_adapter() -> None:
    # Two nodes share 0.8 GB/s to all others: 0.4 of 1 GB/s each, unless both stay below.
    tapered = fat_tree(1, "taper = {nodes = 2, bandwidth = 0.8e9}")
    assert loads(tapered, [2, 3, 0, 1]) == pytest.approx([2.5] * 4, rel=ROUNDING)
    assert loads(tapered, [1, 0, 3, 2]) == pytest.approx([1.0] * 4, rel=ROUNDING)


@pytest.mark.parametrize(
    ("dims", "to", "expected"),
    [
        # On to the next; two on, over links that two messages cross; back by one, the other way.
        ([1, 1, 5], [1, 2, 3, 4, 0], [1] * 5),
        ([1, 1, 5], [2, 3, 4, 0, 1], [2] * 5),
        ([1, 1, 5], [4, 0, 1, 2, 3], [1] * 5),
        # Half round: the even ones up, the odd ones down. Of four each link has one; of six each
        # first link has that of the one that started two before too.
        ([1, 1, 4], [2, 3, 0, 1], [1] * 4),
        ([1, 1, 6], [3, 4, 5, 0, 1, 2], [2] * 6),
        # Along x first, then y: 0 by 1 to 4, where 1 has gone up y; they meet there.
        ([3, 3, 1], [4, 4] + [NOBODY] * 7, [2, 2] + [0] * 7),
        # And 0 by 1, and 3 straight along x, do not.
        ([3, 3, 1], [4, NOBODY, NOBODY, 4] + [NOBODY] * 5, [1, 0, 0, 1] + [0] * 5),
    ],
    ids=["next", "second", "back", "half-of-4", "half-of-6", "x-then-y", "apart"],
)
def test_loads_on_a_torus_are_those_counted_by_hand(
    dims: list[int], to: list[int], expected: list[float]
) -> None:
    assert loads(torus(dims), to) == pytest.approx(expected, rel=ROUNDING)


def followed(dims: list[int], start: int, links: list[int]) -> int:
    """The node that is reached over these links, each of which leaves the node that is reached."""
    at = np.array(np.unravel_index(start, dims, order="F"))
    for link in links:
        node, way = divmod(link, 6)
        assert node == np.ravel_multi_index(tuple(at), dims, order="F")
        at[way // 2] = (at[way // 2] + (1 if way % 2 == 0 else -1)) % dims[way // 2]
    return int(np.ravel_multi_index(tuple(at), dims, order="F"))


@pytest.mark.parametrize("dims", [[5, 1, 1], [4, 3, 2], [2, 5, 4]])
def test_a_way_over_a_torus_is_joined_and_as_short_as_can_be(dims: list[int]) -> None:
    for start in range(math.prod(dims)):
        for end in range(math.prod(dims)):
            links = core.torus_links(dims, start, end)
            assert followed(dims, start, links) == end
            # First along x, then y, then z.
            axes = [link % 6 // 2 for link in links]
            assert axes == sorted(axes)
            apart = np.subtract(*(np.unravel_index(n, dims, order="F") for n in (start, end)))
            assert len(links) == np.minimum(apart % dims, -apart % dims).sum()


@pytest.mark.parametrize("axis", range(3))
def test_messages_half_round_a_torus_use_both_ways_alike(axis: int) -> None:
    dims = [4 if a == axis else 1 for a in range(3)]
    used = [link for node in range(4) for link in core.torus_links(dims, node, (node + 2) % 4)]
    # Four messages over two links each: all eight links of the ring, once.
    assert sorted(used) == sorted(6 * n + 2 * axis + way for n in range(4) for way in (0, 1))


def study(**changes: Any) -> Study:
    """Without the luminosity, whose messages go while those of the potentials are on their way."""
    return Study.from_dict(tables(**{"ip__1__luminosity": False, **changes}))


NO_PROTOCOL: tuple[Any, ...] = (0, [], [], [])


def contend(case: Study, ranks: int, platform: str, *protocol: Any, effort: float = 1.0) -> Any:
    chosen = protocol or NO_PROTOCOL
    return core.contend(case.parameters(), ranks, platform, *chosen, effort=effort)


def mean(found: Any) -> float:
    """Communication of a turn, mean over the ranks."""
    return sum(found["phases"].values())


def golden(rank: int) -> float:
    """When a rank begins, in latencies: below twenty, at multiples of the golden ratio mod 1."""
    return 20 * math.fmod(rank * (1 + math.sqrt(5)) / 2, 1.0)


def of_two_ranks(seconds_of: Any) -> dict[str, float]:
    """Of phases in which two ranks each send one message at a time, and wait for the other's."""
    phases = core.messages(study().parameters(), 2, 1)
    return {p["name"]: float(p["count"] @ seconds_of(p["bytes"])) for p in phases}


@pytest.mark.parametrize(("flow", "adapter"), [(2e9, 1e9), (1e9, 3e9)])
def test_two_ranks_on_two_nodes_take_latency_and_the_narrowest_bandwidth_for_each_message(
    flow: float, adapter: float
) -> None:
    platform = f"""kind = fat-tree\nnodes = 2\nnode.ranks = 1
flow = 2e-6 {flow!r}\nadapter = {adapter!r}\n"""
    expected = of_two_ranks(lambda sizes: 2e-6 + sizes / min(flow, adapter))
    found = contend(study(), 2, platform)
    assert found["phases"] == pytest.approx(expected, rel=ROUNDING)
    assert mean(found) == pytest.approx(sum(expected.values()), rel=ROUNDING)
    assert found["turn"] == pytest.approx(mean(found), rel=ROUNDING)


def test_two_ranks_of_a_node_share_its_bus() -> None:
    platform = "kind = none\nnodes = 1\nnode.ranks = 2\nflow = 0.0 1e9\nmemory = 1e-6 4e9 5e9\n"
    expected = of_two_ranks(lambda sizes: 1e-6 + sizes / 2.5e9)
    assert contend(study(), 2, platform)["phases"] == pytest.approx(expected, rel=ROUNDING)


def halo(words: int, **changes: Any) -> Study:
    """Two ranks, which exchange two messages along x and copy along y."""
    own = {"words": words, "at_once": False, "verify": False} | changes
    return Study.from_dict({"workload": "halo", "exchanges": 1, "halo": own})


NODE = "kind = none\nnodes = 1\nnode.ranks = 2\nflow = 0.0 1e9\nmemory = 1e-6 1e9 1e12\n"


def exchange(case: Study, platform: str = NODE, **rates: Any) -> dict[str, float]:
    """Seconds of communication by phase, and of copying, of an exchange with an agreed start."""
    protocol = (0, [], [], [])
    found = core.contend(case.parameters(), 2, platform, *protocol, {}, rates, agreed=True)
    return {**found["phases"], "copying": found["computing"]}


def test_messages_of_a_rank_share_what_it_can_copy_where_the_machine_says_so() -> None:
    sent = 8 * 10_000
    alone, shared = (exchange(halo(10_000), NODE + more) for more in ("", "memory.shares = 1\n"))
    assert alone["halo_x"] == pytest.approx(1e-6 + sent / 1e9, rel=RESOLUTION)
    assert shared["halo_x"] == pytest.approx(1e-6 + 2 * sent / 1e9, rel=RESOLUTION)


def test_words_that_lie_apart_take_their_time_and_rows_their_bytes() -> None:
    words, byte, apart = 1000, 1e-12, 3e-9
    span = 8.0 * words * (words + 2)
    rates = {"flop": 0.0, "byte": byte, "kernels": []}
    found = exchange(
        halo(words), **rates, copies={"spans": [span / 10, span * 10], "seconds": [2e-9, 4e-9]}
    )
    # Half way between both spans in the logarithm. Two columns are packed and two unpacked. Along y
    # a rank is its own neighbour: two rows are read into messages, and stored from there.
    expected = 4 * words * apart + 4 * 2 * 8 * words * byte
    assert found["copying"] == pytest.approx(expected, rel=1e-3)
    plain = exchange(halo(words), **rates)
    assert plain["copying"] == pytest.approx(8 * 2 * 8 * words * byte, rel=1e-6)


def test_each_round_costs_what_the_machine_says() -> None:
    rates = {"flop": 0.0, "byte": 1e-15, "kernels": []}
    without, beside = (exchange(halo(4), **rates, round=cost) for cost in (0.0, 1e-6))
    assert beside["copying"] - without["copying"] == pytest.approx(2e-6, rel=1e-3)
    assert beside["halo_x"] == pytest.approx(without["halo_x"], rel=1e-9)


def test_two_ranks_of_a_torus_have_a_hop_and_a_link_each_way() -> None:
    platform = make_twin(torus([1, 1, 2]), "plain", 2).platform
    expected = of_two_ranks(lambda sizes: 4e-6 + 1e-7 + sizes / 142e6)
    assert contend(study(), 2, platform)["phases"] == pytest.approx(expected, rel=ROUNDING)


def test_from_each_size_on_the_protocols_factors_hold() -> None:
    platform = make_twin(fat_tree(1), "full", 2).platform
    first, second = 100, 100_000

    def seconds(sizes: Any) -> Any:
        latency = np.select([sizes < first, sizes < second], [1.0, 2.0], 3.0)
        bandwidth = np.select([sizes < first, sizes < second], [1.0, 0.5], 0.25)
        return 2e-6 * latency + sizes / (1e9 * bandwidth)

    found = contend(study(), 2, platform, 0, [first, second], [0.5, 0.25], [2.0, 3.0])
    assert found["phases"] == pytest.approx(of_two_ranks(seconds), rel=ROUNDING)


def test_eager_messages_set_off_before_their_receiver_has_begun() -> None:
    # Without any time but the latency, a rank begins its next round when it has begun this one and
    # the other's message of this one is there.
    # The turn has so many messages that it is followed once, from the start of the ranks on.
    many = study(ip__1__slices=30)
    latency = 2e-6
    platform = f"kind = fat-tree\nnodes = 2\nnode.ranks = 1\nflow = {latency!r} 1e18\n"
    messages = core.messages(many.parameters(), 2, 1)
    begun = [0.0, latency * golden(1)]
    for _ in range(round(sum(float(phase["count"].sum()) for phase in messages))):
        begun = [max(begun[0], begun[1] + latency), max(begun[1], begun[0] + latency)]
    waited = [own - latency * golden(1) for own in begun]
    eager = contend(many, 2, platform, 2**40, [], [], [])
    # A megabyte takes 1e-12 s.
    assert mean(eager) == pytest.approx(sum(waited) / 2, rel=1e-5)
    assert eager["turn"] == pytest.approx(max(waited), rel=1e-5)
    together = contend(many, 2, platform)
    assert mean(eager) < mean(together)


def test_a_turn_of_few_messages_is_followed_until_it_has_settled() -> None:
    # Without any time but the latency, a rank begins its next round when it has begun this one and
    # the other's message of this one is there: a turn takes a latency for each message.
    latency = 2e-6
    platform = f"kind = fat-tree\nnodes = 2\nnode.ranks = 1\nflow = {latency!r} 1e18\n"
    messages = core.messages(study().parameters(), 2, 1)
    rounds = round(sum(float(phase["count"].sum()) for phase in messages))
    eager = contend(study(), 2, platform, 2**40, [], [], [])
    # A megabyte takes 1e-12 s.
    assert mean(eager) == pytest.approx(rounds * latency, rel=1e-5)
    assert eager["turn"] == pytest.approx(rounds * latency, rel=1e-5)
    # A receiver that has begun makes no difference: in a turn that has settled none is late.
    assert mean(contend(study(), 2, platform)) == pytest.approx(mean(eager), rel=1e-6)


def test_ranks_that_are_all_on_one_adapter_take_turns_of_equal_length() -> None:
    # Beam 1 is on one node, beam 2 on the other: all that crosses shares the adapter of 1 GB/s.
    base = {"process_grid": "1x4", "broadcast": "mesh", "crossing": "4b", "aggregate": False}
    chosen = {f"communication__{key}": value for key, value in base.items()}
    crossing = study(**chosen, ip__1__grid=[256, 256], ip__1__planes="pair")
    platform = make_twin(fat_tree(4), "plain", 8).platform
    phase = next(p for p in core.messages(crossing.parameters(), 8, 4) if p["name"] == BEYOND)
    assert phase["inter"].all()
    volume = 4 * float(phase["count"] @ phase["bytes"])
    seconds = contend(crossing, 8, platform)["phases"][BEYOND]
    # Of the latencies some part is hidden behind the messages of others.
    latencies = float(phase["count"].sum()) * 2e-6
    assert volume / 1e9 * (1 - RESOLUTION) <= seconds <= (volume / 1e9 + latencies) * 1.02


BEYOND = "broadcast_column"
"""The phase that brings potentials to the other beam."""

MACHINES = {"fat-tree": fat_tree(2), "torus": torus([2, 2, 4])}


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("algorithm", ["hypercube", "mesh"])
def test_twice_the_bandwidths_and_half_the_latencies_take_half_the_time(
    name: str, algorithm: str
) -> None:
    platform = make_twin(MACHINES[name], "plain", 16).platform
    quick = "\n".join(_twice_as_quick(line) for line in platform.splitlines())
    case = study(communication__reduce=algorithm, communication__broadcast=algorithm)
    # To the last bit: all rates are twice, all times half as large.
    slow, fast = (contend(case, 16, text)["phases"] for text in (platform, quick))
    assert {phase: 0.5 * seconds for phase, seconds in slow.items()} == fast


LATENCIES = {"flow": 1, "memory": 1, "link": 1, "adapter": 0, "global": 0}
"""Of each line with times, how many numbers are latencies: these come first."""


def _twice_as_quick(line: str) -> str:
    key, _, values = line.partition(" = ")
    if key not in LATENCIES:
        return line
    numbers = [float(value) for value in values.split()]
    factors = [0.5] * LATENCIES[key] + [2.0] * (len(numbers) - LATENCIES[key])
    return f"{key} = " + " ".join(repr(n * f) for n, f in zip(numbers, factors, strict=True))


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("algorithm", ["hypercube", "mesh"])
def test_no_turn_takes_less_than_the_floor_of_its_messages(name: str, algorithm: str) -> None:
    machine = MACHINES[name]
    case = study(communication__reduce=algorithm, communication__broadcast=algorithm)
    traffic = core.traffic(case.parameters(), 16)
    source, target, volume = (traffic[key] for key in ("from", "to", "bytes"))
    least = floor(machine, nodes_of(machine, 16), source, target, volume, taper=False).seconds
    found = contend(case, 16, make_twin(machine, "plain", 16).platform)
    # Ranks begin within twenty latencies. Rates are those of a moment, and links filled together.
    last = found["turn"] + 20 * machine.network.latency
    assert last >= least * (1 - RESOLUTION - SHARE_TOLERANCE)
    assert last < 10 * least


@pytest.mark.parametrize("algorithm", ["hypercube", "mesh"])
def test_more_effort_hardly_changes_times_on_a_fat_tree(algorithm: str) -> None:
    platform = make_twin(fat_tree(4), "plain", 16).platform
    case = study(communication__reduce=algorithm, communication__broadcast=algorithm)
    usual, finer = (contend(case, 16, platform, effort=effort) for effort in (1.0, 10.0))
    assert finer["messages"] == usual["messages"]
    assert mean(usual) == pytest.approx(mean(finer), rel=0.01)
    assert usual["turn"] == pytest.approx(finer["turn"], rel=0.01)


def test_steps_and_grids_that_stand_for_others_take_the_time_of_all() -> None:
    # Of the source paper's case, whose columns are padded, so that steps with as many pairs and the
    # grids of a column are alike; a third of the effort is too little for all messages.
    case = load(FOLDER / "examples/paper/study.toml", [])
    platform = make_twin(fat_tree(4), "plain", 32).platform
    whole, sampled = (contend(case, 32, platform, effort=effort) for effort in (1.0, 1 / 3))
    assert sampled["messages"] < 0.6 * whole["messages"]
    assert sampled["phases"] == pytest.approx(whole["phases"], rel=0.01)


def test_a_network_that_lacks_a_number_is_named() -> None:
    with refused("network", "node.ranks", by=ValueError):
        contend(study(), 2, "kind = fat-tree\nnodes = 2\n")
    with refused("network", "flow", "2 numbers", by=ValueError):
        contend(study(), 2, "kind = fat-tree\nnodes = 2\nnode.ranks = 1\nflow = 1e-6\n")

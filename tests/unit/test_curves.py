"""Measured curves: read from machine files, interpolated, found, written and drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from phasewise.errors import RunError
from phasewise.machines import Curve, Measured, find, load_machine, make_twin
from phasewise.machines.grids import probed_shape
from phasewise.machines.machine import Machine, parse_machine
from phasewise.machines.machine_file import (
    description_of,
    hardware_description,
    measured_tables,
)
from phasewise.machines.measure import Measurement, make_curve
from phasewise.machines.probes import Probe, first_sizes, probes_of, sizes_between
from phasewise.machines.rank_rates import (
    CallCosts,
    RankRates,
)
from phasewise.machines.statistics import Estimate
from phasewise.machines.targets import (
    Answer,
    Order,
    Repetitions,
    Sample,
    patterns,
    read_answer,
)
from phasewise.report.curves import draw_curves
from tests.sentences import Nearest, refused, says

ALONE = """
name = "alone"
[node]
ranks = 4
[memory]
latency = 1e-6
rank_bandwidth = 5e9
bandwidth = 1e10
[network]
kind = "none"
[processor]
peak = 1e10
flops = 1e10
bandwidth = 1e10
"""

CURVE = """
[[curve]]
benchmark = "ping-ping"
level = "network"
sizes = [0, 1024, 4096, 65536]
seconds = [1e-6, 2e-6, 5e-6, 60e-6]
low = [1e-6, 2e-6, 5e-6, 59e-6]
high = [1e-6, 2e-6, 5e-6, 61e-6]
latency = 1e-6
bandwidth = 1e9
"""


def machine_of(curve: str) -> Machine:
    return parse_machine(ALONE + curve, "file.toml")


def curve(**changes: object) -> Curve:
    one = machine_of(CURVE).curves[0]
    return replace(one, **changes)  # type: ignore[arg-type]


def test_times_lie_on_straight_lines_between_sizes_and_beyond_the_last() -> None:
    one = curve()
    assert one.seconds_of(1024) == 2e-6
    assert one.seconds_of(2560) == pytest.approx(3.5e-6)
    # The last slope: 55 µs in 61440 B.
    assert one.seconds_of(65536 + 61440) == pytest.approx(115e-6)
    times = one.seconds_of(np.array([[0.0, 512.0], [1024.0, 4096.0]]))
    np.testing.assert_allclose(times, [[1e-6, 1.5e-6], [2e-6, 5e-6]])


def test_the_nearest_curve_is_found_by_factors() -> None:
    few, many = (curve(benchmark="parallel", pairs=pairs) for pairs in (2, 16))
    near, far = (
        curve(benchmark="grid", direction="row", distance=1, ranks=ranks) for ranks in (64, 256)
    )
    curves = (few, many, near, far)
    assert find(curves, "parallel", level="network", pairs=5) is few
    assert find(curves, "parallel", level="network", pairs=6) is many
    assert find(curves, "grid", ranks=1024) is far
    assert find(curves, "parallel", level="node") is None


def test_curves_are_read_as_they_were_written() -> None:
    curves = (
        curve(bends=(4096,), noisy=True, residual=0.25),
        curve(benchmark="grid", direction="row", distance=2, ranks=64),
    )
    measured = Measured("simulator", 64, twin="full")
    found = machine_of(measured_tables(measured, curves))
    assert found.curves == curves
    assert found.measured == measured


def test_measured_tables_are_replaced_and_the_description_is_kept() -> None:
    described = ALONE + "# a remark\n"
    once = described + measured_tables(Measured("simulator", 4), [curve()])
    assert description_of(once).strip() == described.strip()


@pytest.mark.parametrize(
    ("given", "other", "facts"),
    [
        ("5e-6, 60e-6]\nlow", "1.5e-6, 60e-6]\nlow", ("curve[1].seconds", "2e-06", "1024 B")),
        ("[0, 1024, 4096, 65536]", "[0, 4096, 1024, 65536]", ("curve[1].sizes", "increase")),
        (
            "[0, 1024, 4096, 65536]",
            "[0, 1024, 65536]",
            ("curve[1].seconds", 4, "curve[1].sizes", 3),
        ),
        (
            "seconds = [1e-6, 2e-6, 5e-6, 60e-6]",
            "seconds = [1, 2, 5, 60]",
            ("curve[1]", "1024 B", "512 B/s"),
        ),
        ("seconds = [1e-6,", "seconds = [1e3,", ("curve[1].seconds", 1000, "1e-6")),
        ("seconds = [1e-6,", "seconds = [0.0,", ("curve[1].seconds", 0)),
        ("bandwidth = 1e9", "bandwidth = 1", ("curve[1].bandwidth = 1", 1000)),
        ("59e-6", "61e-6", ("curve[1]", "interval")),
        ('"ping-ping"', '"pingping"', ("curve[1].benchmark", '"pingping"', Nearest("ping-ping"))),
        ('"ping-ping"', '"grid"', ("curve[1].direction", "missing")),
        ('level = "network"\n', "", ("curve[1].level", "missing")),
        ("sizes = [0, 1024, 4096, 65536]", 'sizes = "0"', ("curve[1].sizes", "integers", '"0"')),
    ],
)
def test_a_curve_that_cannot_be_is_refused_in_one_sentence(
    given: str, other: str, facts: tuple[object, ...]
) -> None:
    changed = CURVE.replace(given, other)
    assert changed != CURVE
    with refused(*facts):
        machine_of(changed)


def test_a_curve_may_be_of_other_sizes() -> None:
    changed = CURVE.replace("[0, 1024, 4096, 65536]", "[0, 1, 4, 64]")
    assert machine_of(changed).curves[0].sizes == (0, 1, 4, 64)


def test_times_may_fall_where_another_protocol_begins() -> None:
    falling = CURVE.replace("5e-6, 60e-6]\n", "1.5e-6, 60e-6]\n").replace(
        "[1e-6, 2e-6, 5e-6", "[1e-6, 2e-6, 1.5e-6"
    )
    assert machine_of(falling + "bends = [4096]\n").curves[0].seconds[2] == 1.5e-6


def test_the_same_curve_twice_is_refused() -> None:
    with refused("curve[2]", "ping-ping", "network", "curve[1]"):
        machine_of(CURVE + CURVE)


def test_a_machine_of_one_node_has_no_network_and_takes_no_more_ranks() -> None:
    machine = machine_of("")
    assert machine.network.kind == "none"
    assert make_twin(machine, "full", 4).hosts == ("node0",) * 4
    with refused("4 ranks", 5):
        make_twin(machine, "full", 5)
    with refused("file.toml", "network.latency", '"none"'):
        parse_machine(ALONE.replace('"none"', '"none"\nlatency = 1e-6'), "file.toml")


def probe_of(benchmark: str = "ping-ping") -> Probe:
    return Probe(benchmark, "node", (1, 0), (1, 0))


def estimates(*rows: tuple[int, float, float, float]) -> dict[int, Estimate]:
    return {size: Estimate(median, low, high) for size, median, low, high in rows}


def test_times_that_fall_within_their_intervals_are_levelled_and_called_noisy() -> None:
    found = make_curve(
        probe_of(), estimates((0, 1.0e-6, 0.7e-6, 1.1e-6), (64, 0.8e-6, 0.7e-6, 1.1e-6))
    )
    assert found.seconds == pytest.approx((0.9e-6, 0.9e-6))
    assert found.noisy
    assert found.low[0] <= found.seconds[0] <= found.high[0]


def test_times_that_fall_beyond_their_intervals_show_a_protocol() -> None:
    exact = ((0, 2e-6), (4096, 6e-6), (8192, 4e-6), (65536, 4e-5))
    found = make_curve(probe_of(), estimates(*((s, t, t, t) for s, t in exact)))
    assert found.seconds == tuple(t for _, t in exact)
    assert 8192 in found.bends
    assert not found.noisy
    read = machine_of(measured_tables(Measured("hardware", 2), [found])).curves[0]
    assert (read.seconds, read.bends) == (found.seconds, found.bends)


class LateTarget:
    """Real hardware of two ranks where every fifth start with 128 B is missed, at first or always.

    times: how often each size was timed.
    """

    reference = "hardware"
    ranks = 2
    launches = 1
    nodes = (0, 0)
    sockets = None

    def __init__(self, always: bool) -> None:
        self.times: dict[tuple[str, int], list[int]] = {}
        self._always = always

    def execute(
        self,
        orders: Sequence[Order],
        repetitions: Repetitions,
        seed: int,
        limit: float | None = None,
    ) -> Answer:
        del seed, limit
        samples = [
            self._sample(order.probe, size, repetitions.least)
            for order in orders
            for size in order.sizes
        ]
        return Answer(self.nodes, None, samples)

    def _sample(self, probe: Probe, size: int, count: int) -> Sample:
        done = self.times.setdefault((probe.benchmark, size), [])
        done.append(count)
        missed = np.zeros(count)
        if size == 128 and (self._always or len(done) == 1):
            missed[::5] = 1.0
        return Sample(probe, size, np.full(count, 1e-6 + size / 1e9), np.zeros(count), missed)


@pytest.mark.parametrize("always", [False, True])
def test_sizes_whose_starts_were_missed_are_timed_again_and_noisy_if_that_does_not_help(
    always: bool,
) -> None:
    target = LateTarget(always)
    curves = Measurement(target, True, lambda _: None).measure()
    # Of 20 starts 4 are missed, and with 30 more none or 6: 4/50 is below a tenth, 10/50 is not.
    again = {key for key, counts in target.times.items() if counts == [20, 30]}
    assert again == {(name, 128) for name in ("ping-pong", "ping-ping", "parallel")}
    assert all(counts == [20] for key, counts in target.times.items() if key not in again)
    assert [curve.noisy for curve in curves] == [always] * 3


def test_sizes_are_inserted_only_where_the_times_leave_the_line() -> None:
    sizes = np.array(first_sizes(quick=False), dtype=np.float64)
    straight = 1e-6 + sizes / 1e9
    calm = np.zeros(len(sizes))
    assert sizes_between(sizes, straight, calm, 8) == []
    jump = straight + np.where(sizes >= 4096, 5e-6, 0.0)
    inserted = sizes_between(sizes, jump, calm, 4)
    assert inserted and all(256 < size < 16384 for size in inserted)
    # A deviation that the intervals explain is none.
    assert sizes_between(sizes, jump, np.full(len(sizes), 0.5), 4) == []


PROBED = {1: (1, 1), 8: (8, 1), 9: (3, 3), 16: (1, 16), 22: (2, 11), 128: (8, 16), 144: (8, 18)}


@pytest.mark.parametrize(("ranks", "shape"), PROBED.items())
def test_measurements_with_as_many_ranks_probe_the_same_grids(
    ranks: int, shape: tuple[int, int]
) -> None:
    assert probed_shape(ranks) == shape


def test_every_message_of_a_probe_is_expected_by_its_receiver() -> None:
    for nodes in ([0, 0], [0, 0, 0], [r // 4 for r in range(32)], list(range(24))):
        for probe in probes_of(nodes):
            for rank, to in enumerate(probe.to):
                assert to == -1 or (to != rank and probe.from_[to] == rank)
            sent = [(nodes[r], nodes[to]) for r, to in enumerate(probe.to) if to >= 0]
            crosses = any(a != b for a, b in sent)
            assert crosses == (probe.level == "network")
            if probe.benchmark == "parallel":
                leaving = [a for a, b in sent if a == 0]
                assert len(leaving) == probe.pairs
            if probe.benchmark == "grid":
                assert len(sent) == probe.ranks


def test_the_patterns_of_a_probe_are_text_that_the_driver_reads() -> None:
    text = patterns(["window 1 0"], [Order(probe_of("ping-pong"), (0, 64))], 7)
    assert text.splitlines() == [
        "seed 7", "window 1 0", "pattern bounce", "sizes 0 64", "to 1 0", "from 1 0",
    ]  # fmt: skip


def test_samples_that_are_not_whole_are_a_failed_run(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text('{"nodes": [0, 0]}\n{"pattern": 0, "byt')
    with refused("samples", "read", by=RunError):
        read_answer(path, [])


def test_the_description_of_measured_hardware_follows_from_its_curves() -> None:
    alone = curve(benchmark="ping-pong", level="node")
    longer = tuple(seconds / 0.6 for seconds in alone.seconds)
    both = curve(benchmark="parallel", level="node", pairs=4, bandwidth=7e8, seconds=longer)
    rates = RankRates(1e10, 5e9)
    found = parse_machine(hardware_description("here", 4, 1, rates, [alone, both], {}), "file.toml")
    assert found.memory is not None and found.network.kind == "none"
    assert (found.memory.latency, found.memory.rank_bandwidth) == (1e-6, 1e9)
    # Four messages at once take 1/0.6 as long as one.
    assert found.memory.bandwidth == pytest.approx(4 * 0.6 * 1e9)
    across = [
        curve(benchmark="ping-pong"), curve(),
        curve(benchmark="parallel", pairs=4, bandwidth=5e8),
    ]  # fmt: skip
    found = parse_machine(
        hardware_description("here", 4, 2, rates, [alone, both, *across], {}), "file.toml"
    )
    assert found.network.kind == "fat-tree"
    assert found.network.adapter_bandwidth == 4 * 5e8


NO_CALLS = CallCosts()


def described(alone: Curve, size: float, calls: CallCosts = NO_CALLS) -> float:
    """Seconds of one message on the machine that is described from this curve."""
    rates = RankRates(1e10, 5e9, calls)
    found = parse_machine(hardware_description("here", 2, 1, rates, [alone], {}), "file.toml")
    assert found.memory is not None
    part = bisect_right(found.protocol.sizes, size) - 1
    latency = found.memory.latency * found.protocol.latency_factors[part]
    if found.overhead is not None:
        latency += 2 * found.overhead.two_sided
    return latency + size / (found.memory.rank_bandwidth * found.protocol.bandwidth_factors[part])


def test_one_message_on_the_described_machine_has_the_times_of_ping_pong() -> None:
    sizes = (0, 64, 1024, 2048, 4096, 16384, 65536)
    seconds = (1.0e-6, 1.1e-6, 2e-6, 3e-6, 6e-6, 8e-6, 16e-6)
    alone = curve(
        benchmark="ping-pong", level="node", sizes=sizes, seconds=seconds, low=seconds,
        high=seconds, bends=(4096,),
    )  # fmt: skip
    calls = CallCosts((1e-7, 2e-7, 0.0, 3e-7, 0.0, 0.0), 5e-8)
    for size in (*sizes, 32, 1500, 9000, 40000):
        assert described(alone, size) == pytest.approx(alone.seconds_of(size), rel=1e-5)
        assert described(alone, size, calls) == pytest.approx(alone.seconds_of(size), rel=1e-5)
    # Up to the next protocol it goes on as before.
    assert described(alone, 4000) == pytest.approx(3e-6 + 1952 * 1e-6 / 1024, rel=1e-5)


def test_where_a_line_would_begin_below_no_time_the_middle_of_the_part_is_met() -> None:
    seconds = (1e-6, 2e-6, 200e-6, 1200e-6)  # the memory is slower beyond the cache
    alone = curve(
        benchmark="ping-pong", level="node", sizes=(0, 1024, 1 << 20, 1 << 22), seconds=seconds,
        low=seconds, high=seconds,
    )  # fmt: skip
    assert described(alone, 1 << 21) == pytest.approx(alone.seconds_of(1 << 21), rel=1e-5)
    assert described(alone, 1 << 20) == pytest.approx(200e-6, rel=0.6)


def test_the_picture_marks_protocol_changes() -> None:
    machine = machine_of(measured_tables(Measured("simulator", 4, twin="full"), [curve()]))
    plain = draw_curves(machine)
    assert plain.startswith("<?xml")
    says(plain, "nodes")
    marked = draw_curves(replace(machine, curves=(curve(bends=(4096,)),)))
    assert marked.count("<use") > plain.count("<use")


def test_the_machines_of_the_paper_have_no_curves() -> None:
    assert load_machine("bassi").curves == ()

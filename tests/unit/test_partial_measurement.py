"""A machine's measurement that ends before it is complete: what it keeps, and how it goes on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.errors import RunError, StudyError
from phasewise.machines import kernel_measurement
from phasewise.machines.deadline import Deadline
from phasewise.machines.journal import Journal, append, kernel_lines
from phasewise.machines.kernel_rates import Measuring
from phasewise.machines.load import Load, load_now
from phasewise.machines.measure import Measurement
from phasewise.machines.rank_rates import RankRates
from phasewise.machines.targets import Answer, Order, Repetitions, Sample
from phasewise.mpi.launch import TooLongError
from phasewise.workload.discovery import find_workload
from tests.sentences import refused, says
from tests.unit.fake_core import FakeRank, World

MEASURING = find_workload("collision").part(Measuring)

HEAD = {"host": "here", "ranks": 2, "quick": True, "version": "1"}


class Clock:
    """A clock that only the target under measurement advances."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


class SlowTarget:
    """Two ranks on which a size takes 1 s with 20 repetitions, less with fewer; some benchmarks
    never end."""

    ranks = 2
    launches = 1
    nodes = (0, 0)
    sockets = None
    reference = "hardware"

    def __init__(self, clock: Clock, hang: Sequence[str] = ()) -> None:
        self.clock, self.hang = clock, hang
        self.asked: list[Order] = []

    def execute(
        self,
        orders: Sequence[Order],
        repetitions: Repetitions,
        seed: int,
        limit: float | None = None,
    ) -> Answer:
        del seed
        self.asked += orders
        seconds = repetitions.least / 20 * sum(len(order.sizes) for order in orders)
        if any(order.probe.benchmark in self.hang for order in orders):
            seconds = float("inf")
        if limit is not None and seconds > limit:
            self.clock.time += limit
            raise TooLongError(f"it took more than {limit:.0f} s")
        self.clock.time += seconds
        samples = [
            Sample(order.probe, size, np.full(20, 1e-6 + size / 1e9), np.zeros(20), np.zeros(20))
            for order in orders
            for size in order.sizes
        ]
        return Answer(self.nodes, None, samples)


def measured(
    seconds: float, journal: Journal | None = None, hang: Sequence[str] = ()
) -> tuple[Measurement, set[str], SlowTarget]:
    """A measurement in this time, the names of its curves, and its target."""
    clock = Clock()
    target = SlowTarget(clock, hang)
    measurement = Measurement(target, True, lambda _: None, Deadline(seconds, clock), journal)
    return measurement, {curve.name for curve in measurement.measure()}, target


ALL = {"ping-pong node", "ping-ping node", "parallel node, 2"}


def test_with_enough_time_nothing_is_missing() -> None:
    # 3 benchmarks of 8 sizes take 24 s.
    measurement, curves, _ = measured(100.0)
    assert curves == ALL and measurement.missing == []


def test_a_benchmark_that_never_ends_costs_only_its_own_curve() -> None:
    measurement, curves, target = measured(100.0, hang=["ping-ping"])
    assert curves == ALL - {"ping-ping node"}
    some, gone = measurement.missing
    says(some, "sizes")
    says(gone, "ping-ping node")
    assert target.clock.time <= 100.0


def test_without_time_all_curves_are_missing() -> None:
    measurement, curves, target = measured(1.0)
    assert curves == set() and len(measurement.missing) == 4
    assert target.clock.time <= 1.0 + 1e-9


def test_a_measurement_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "here.partial.jsonl"
    measured(100.0, Journal(path, HEAD, resume=False), hang=["ping-ping"])
    measurement, curves, target = measured(100.0, Journal(path, HEAD, resume=True))
    assert curves == ALL and measurement.missing == []
    assert {order.probe.benchmark for order in target.asked} == {"ping-ping"}
    again, curves, target = measured(100.0, Journal(path, HEAD, resume=True))
    assert curves == ALL and target.asked == []
    kept = {(s.probe, s.size): s.seconds.tolist() for _, s in again.samples.taken}
    assert kept == {(s.probe, s.size): s.seconds.tolist() for _, s in measurement.samples.taken}


def test_a_line_cut_off_is_lost_and_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "here.partial.jsonl"
    journal = Journal(path, HEAD, resume=False)
    rates = RankRates(1e9, 1e9)
    journal.add({"nodes": [0, 0], "rates": rates.to_dict()})
    append(path, {"kernel": "w: one", "timed": [1.0]})
    with path.open("a") as file:
        file.write('{"kernel": "w: two", "ti')
    assert [line["timed"] for line in kernel_lines(path).values()] == [[1.0]]
    again = Journal(path, HEAD, resume=True)
    assert again.first() == ((0, 0), rates)
    append(path, {"kernel": "w: two", "timed": [2.0]})
    assert list(kernel_lines(path)) == ["w: one", "w: two"]


@pytest.mark.parametrize(
    ("text", "error", "facts"),
    [
        ("", RunError, ("damaged", "empty")),
        ("what\n", RunError, ("damaged", "line 1", "Expecting value")),
        ("[]\n", RunError, ("damaged", "line 1", "JSON object")),
        (json.dumps(HEAD) + '\n{"nod\n', RunError, ("damaged", "line 2")),
        (json.dumps(HEAD | {"ranks": 4}) + "\n", StudyError, ("ranks 4", "ranks 2")),
        (json.dumps(HEAD | {"host": "there"}) + "\n", StudyError, ("host there", "host here")),
        (json.dumps(HEAD | {"version": "0"}) + "\n", StudyError, ("version 0", "version 1")),
        (None, StudyError, ("no",)),
    ],
)
def test_a_journal_that_cannot_be_gone_on_with_is_one_sentence(
    text: str | None, error: type[Exception], facts: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "here.partial.jsonl"
    if text is not None:
        path.write_text(text)
    with refused(path, "--resume", *facts, by=error):
        Journal(path, HEAD, resume=True)
    # It stays for the person who looks for what is in it.
    assert path.exists() == (text is not None)


@pytest.mark.parametrize(
    "line",
    [
        {"nodes": [0, 0]},
        {"nodes": "what", "rates": RankRates(1.0, 1.0).to_dict()},
        {"nodes": [0, 0], "rates": {"roof": {"flops": 1, "bandwidth": 1}}},
        {"launch": 1, "of": "ping-pong node", "sample": {"bytes": 8}},
        {"launch": 1, "of": "no such", "sample": {}},
    ],
)
def test_a_line_that_makes_no_sense_is_one_sentence(line: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "here.partial.jsonl"
    Journal(path, HEAD, resume=False).add(line)
    journal = Journal(path, HEAD, resume=True)
    with refused(path, "damaged", "--resume", by=RunError):
        journal.first()
        measured(1.0, journal)


class Kernels:
    """Stands for a workload with three timings, of which each takes 10 s."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.shares: list[float] = []

    def cases(self) -> tuple[str, ...]:
        return ("one", "two", "three")

    def time_case(
        self, core: FakeRank, threads: int, case: str, seconds: float, _device: str
    ) -> dict[str, Any]:
        assert threads == 1
        if core.rank() == 0:
            self.shares.append(seconds)
            self.clock.time += 10.0
        core.barrier()
        return {"case": case}


def timed(
    monkeypatch: pytest.MonkeyPatch, seconds: float, known: dict[str, Any]
) -> tuple[dict[str, Any], list[float]]:
    """What two ranks time in this time, and the shares of it that the timings got."""
    clock = Clock()
    kernels = Kernels(clock)
    monkeypatch.setattr(kernel_measurement, "with_part", lambda _: {"w": kernels})
    kept: dict[str, Any] = {}

    def keep(key: str, what: Any, processor: dict[str, Any]) -> None:
        assert len(processor["rank"]) == 2 and processor["rank"][0]["core_share"] <= 1
        kept[key] = what

    def left() -> float:
        return seconds - clock.time

    def time_all(rank: FakeRank) -> None:
        core: Any = rank
        kernel_measurement.time_all(core, 1, known, left, keep)

    World(2).run(time_all)
    return kept, kernels.shares


def test_kernels_are_timed_until_the_end_and_each_gets_its_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept, shares = timed(monkeypatch, 60.0, {})
    assert list(kept) == ["w: one", "w: two", "w: three"] and shares == [20.0, 25.0, 40.0]
    assert kept["w: two"] == {"case": "two"}
    assert list(timed(monkeypatch, 15.0, {})[0]) == ["w: one", "w: two"]
    assert list(timed(monkeypatch, 15.0, {"w: one": {}})[0]) == ["w: two", "w: three"]


def test_rates_follow_from_the_timings_that_there_are() -> None:
    def values(name: str) -> dict[str, Any]:
        seconds = 1e-3 if "shared" not in name else 4e-4
        kernel = {"items": 1e5, "flops": 1e6, "bytes": 1e6, "seconds": seconds}
        known = ("moments", "sort", "arc", "encounter", "clear", "solve", "green", "field")
        more = ("luminosity", "gaussian_encounter", "slice_moments", "bounds")
        pairs = ("mesh", "overlap_factor")
        kernels = dict.fromkeys((*known, *more, *pairs), kernel)
        rest = 0.02 if name.startswith("many") else 0.01
        return {"particles": 2e4, "held": 1, "kernels": kernels, "rest": rest}

    assert MEASURING.rates({}) == {}
    every = {name: values(name) for name in MEASURING.cases()}
    complete = MEASURING.rates(every)
    assert {"step", "turn", "encounter", "encounter_mesh", "solve", "green"} <= set(complete)
    # Planes are shared where solves transform several rows at once.
    assert complete["solve"].seconds == (1e-9,) * 4
    assert complete["solve_lanes"].seconds == pytest.approx((4e-10,) * 4)
    assert complete["field_2"].seconds == (1e-9,) * 4
    assert complete["field_2_shared"].seconds == pytest.approx((4e-10,) * 4)
    for left_out in every:
        some = MEASURING.rates({name: v for name, v in every.items() if name != left_out})
        assert set(some) <= set(complete)
        assert all(list(rate.sizes) == sorted(set(rate.sizes)) for rate in some.values())


def test_the_load_is_looked_at_and_told_in_a_sentence(tmp_path: Path) -> None:
    says(Load(10.4, 2, 0.96).sentence, 10.4, "2 cores", "96 %", "slower")
    says(Load(10.4, 2, 0.02).sentence, 10.4, "2 cores", "2 %", "quiet")
    assert Load(10.4, 2, None).busy and not Load(0.1, 2, None).busy
    (tmp_path / "stat").write_text("cpu what\n")
    for statistics in (tmp_path / "stat", tmp_path / "none"):
        assert load_now(statistics).used is None


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["--limit", "0"], ("--limit 0", 0.1, 100000, "minutes")),
        (["--limit", "nan"], ("--limit nan", 0.1, 100000, "minutes")),
        (["--machine", "bassi", "--limit", "3"], ("--limit", "--machine")),
        (["--machine", "bassi", "--resume"], ("--resume", "--machine")),
        (["--ranks", "2", "--resume"], ("--resume", "here.partial.jsonl")),
    ],
)
def test_limits_and_resumes_that_cannot_be_used_are_refused(
    words: list[str], facts: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["machine", "measure", *words, "-o", str(tmp_path / "here.toml")]) == 2
    says(capsys.readouterr().err, *facts)

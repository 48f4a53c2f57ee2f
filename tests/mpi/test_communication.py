"""What a run records of its communication is what the plan says, message by message."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from phasewise.study import Study
from phasewise.traces.records import RECEIVE, SEND, CommunicationRecord, Events, read_communication
from tests.mpi.whole_run import run
from tests.sentences import says

core = pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

TURNS = 3
STUDY = f"""
title = "counted"
turns = {TURNS}
seed = 5
[beam.1]
particle = "proton"
energy = 7e12
bunch_population = 1.15e11
macroparticles = 1501
normalized_emittance = [3.75e-6, 3.75e-6]
bunch_length = 0.0755
momentum_spread = 1.13e-4
[beam.2]
like = "beam.1"
[ring]
circumference = 26658.883
[arc]
tune = [64.31, 59.32]
synchrotron_tune = 0.0019
[ip.1]
beta = [0.55, 0.55]
grid = [64, 64]
slices = 3
green_function = "every-step"
"""

WAYS: list[tuple[int, list[str]]] = [
    *((ranks, []) for ranks in (1, 2, 3, 4, 6)),
    (4, ['process_grid="1x2"']),
    (4, ['process_grid="1x2"', 'crossing="4b"', 'transpose="bruck"']),
    (6, ['process_grid="1x3"', 'reduce="mesh"', 'broadcast="mesh"', 'transpose="ring"']),
    (6, ['process_grid="3x1"', "aggregate=false", 'layout="row-first"']),
    (4, ['reduce="direct"', 'broadcast="direct"', 'schedule="pairwise"']),
    (6, ['reduce="node-aware"', 'broadcast="node-aware"', "node_size=2"]),
    (4, ['process_grid="2x1"', 'reduce="mpi"', 'broadcast="mpi"']),
    (4, ["overlap=true", 'layout="random"']),
]
"""Ranks, and keys of [communication]."""


@dataclass(frozen=True)
class Recorded:
    """A run: its record, its study, what it printed and its summary."""

    record: CommunicationRecord
    study: Study
    text: str
    summary: dict[str, Any]


Runs = Callable[..., Recorded]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Runs on so many ranks with such keys of [communication]; each is made once."""
    folder = tmp_path_factory.mktemp("runs")
    study = folder / "counted.toml"
    study.write_text(STUDY)
    made: dict[str, Recorded] = {}

    def give(ranks: int, keys: list[str] | None = None, events: int = 100000) -> Recorded:
        name = f"{ranks} {keys} {events}"
        if name not in made:
            made[name] = make(study, folder / str(len(made)), ranks, keys or [], events)
        return made[name]

    return give


def make(study: Path, out: Path, ranks: int, keys: list[str], events: int) -> Recorded:
    words = [f"communication.{key}" for key in keys]
    overrides = [word for key in words for word in ("--set", key)]
    done = run(study, "--ranks", ranks, "--out", out, "--events", events, *overrides)
    assert done.returncode == 0, done.stderr
    summary = json.loads((out / "summary.json").read_text())
    resolved = Study.from_dict(json.loads((out / "study.json").read_text()))
    return Recorded(read_communication(out), resolved, done.stdout, summary)


def planned(of: Study, ranks: int, rank: int = -1) -> dict[str, Any]:
    """The phases of a turn by name, for a rank or that which sends most."""
    plan = core.plan(of.parameters(), ranks, max(of.communication.node_size, 1), rank)
    return {phase["name"]: phase for phase in plan["phases"]}


@pytest.mark.parametrize(("ranks", "keys"), WAYS)
def test_every_rank_sends_what_the_plan_says_phase_by_phase(
    runs: Runs, ranks: int, keys: list[str]
) -> None:
    ran = runs(ranks, keys)
    for rank in range(ranks):
        phases = planned(ran.study, ranks, rank)
        assert {phase["per"] for phase in phases.values()} <= {"turn"}
        found = {
            phase.name: (int(phase.messages[rank]), int(phase.bytes[rank]))
            for phase in ran.record.phases
        }
        expected = {
            name: (TURNS * phase["messages"], TURNS * phase["bytes_per_rank"])
            for name, phase in phases.items()
        }
        assert {name: found.get(name, (0, 0)) for name in expected} == expected


@pytest.mark.parametrize("ranks", [2, 3, 4, 6])
def test_the_rank_that_sends_most_is_the_one_that_the_plan_names(runs: Runs, ranks: int) -> None:
    ran = runs(ranks)
    exchanged = 0
    for name, phase in planned(ran.study, ranks).items():
        assert sum(count for _, count in phase["sizes"]) == phase["messages"]
        assert sum(size * count for size, count in phase["sizes"]) == phase["bytes_per_rank"]
        counted = ran.record.phase(name)
        if counted is not None:
            assert counted.messages.max() == TURNS * phase["messages"]
            assert counted.messages[phase["rank"]] == counted.messages.max()
            exchanged += int(counted.messages.sum())
    assert exchanged > 0


@pytest.mark.parametrize(("ranks", "keys"), WAYS)
def test_only_what_the_library_does_goes_unplanned(runs: Runs, ranks: int, keys: list[str]) -> None:
    ran = runs(ranks, keys)
    phases = planned(ran.study, ranks)
    sending = [p for p in ran.record.phases if p.messages.any() and not p.library]
    assert [p.name for p in sending if p.name not in phases] == []


@pytest.mark.parametrize("ranks", [2, 3, 6])
def test_the_messages_to_each_rank_add_up_to_those_of_the_phase(runs: Runs, ranks: int) -> None:
    record = runs(ranks).record
    for phase in record.phases:
        if not phase.library:
            assert phase.traffic.messages.sum() == phase.messages.sum()
            assert phase.traffic.bytes.sum() == phase.bytes.sum()
            assert not (phase.traffic.source == phase.traffic.target).any()
    assert record.traffic.messages.sum() > 0


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_every_message_of_the_time_line_has_two_ends(runs: Runs, ranks: int) -> None:
    record = runs(ranks).record
    assert record.dropped_events.tolist() == [0] * ranks
    events = Events(record)
    most = 1 + max(int(events.of(rank)["number"].max()) for rank in range(ranks))
    ends = {SEND: Counter[int](), RECEIVE: Counter[int]()}
    for rank in range(ranks):
        mine = events.of(rank)
        for kind, found in ends.items():
            messages = mine[mine["kind"] == kind]
            found.update(events.message_keys(messages, rank, most).tolist())
    assert ends[SEND] == ends[RECEIVE]
    assert set(ends[SEND].values()) == {1}
    assert len(ends[SEND]) == record.traffic.messages.sum()


def test_only_so_many_events_are_kept_as_were_asked_for(runs: Runs) -> None:
    record = runs(2, events=10).record
    assert record.events.tolist() == [10, 10]
    assert (record.dropped_events > 0).all()
    assert len(Events(record)) == 20


@pytest.mark.parametrize("ranks", [1, 2, 6])
def test_times_fit_into_each_other(runs: Runs, ranks: int) -> None:
    ran = runs(ranks)
    assert (ran.record.ranks, ran.record.turns) == (ranks, TURNS)
    for phase in ran.record.phases:
        # Waiting is a part of communicating; both are sums of rounded differences of times.
        assert (phase.waiting <= phase.communicating * (1 + 1e-9) + 1e-9).all()
    found = ran.summary["communication"]
    parts = sum(phase["seconds"] for phase in found["phases"].values())
    assert parts == pytest.approx(found["seconds"], rel=1e-9, abs=1e-12)
    assert 0 <= found["share"] < 1
    assert (found["seconds"] > 0) == (ranks > 1)
    assert 0 < found["load_balance"] <= 1
    # Kernels are timed one by one inside of the turns.
    assert 0 < found["communication_efficiency"] <= 1


def test_several_ranks_end_with_the_table_and_one_without(runs: Runs) -> None:
    says(runs(3).text, f"{TURNS} turns", "3 ranks")
    line = r".*balance [01]\.\d\d .*efficiency \d\.\d\d .*parallel efficiency \d.+"
    assert re.fullmatch(line, runs(3).text.splitlines()[-1])
    assert "balance" not in runs(1).text

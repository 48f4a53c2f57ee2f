"""`tune = "auto"`: what is tried, how it is decided, and what it says."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from phasewise.errors import StudyError
from phasewise.runs.simulation import Simulation
from phasewise.runs.trials import ENOUGH, MAX_TURNS, WARM_UP, Halving, turns_needed
from phasewise.runs.tuning_file import show_tuning, tuning_summary
from phasewise.study import Study
from phasewise.traces.records import read_communication
from tests.sentences import one_sentence, refused, says
from tests.unit.fake_core import FakeRank, World, tables
from tests.unit.timed_runs import REFUSAL, TimedRank, faster, keep_choices, run, steady, study


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return keep_choices(tmp_path, monkeypatch)


"""`tune = "auto"`: what is tried, how it is decided, and where the choice is kept."""


def test_the_fastest_way_is_found_and_gone_on_with(tmp_path: Path) -> None:
    found = run(tmp_path / "run", faster(reduce_mpi=0.8, overlap_1=1.2))
    assert (found["choice"]["reduce"], found["choice"]["broadcast"]) == ("mpi", "mpi")
    assert found["seconds"] == pytest.approx(0.008)
    assert found["given_seconds"] == pytest.approx(0.01)
    assert 0 < found["turns"] <= MAX_TURNS
    record = read_communication(tmp_path / "run")
    assert record.algorithms["reduce"] == "mpi"
    content = json.loads((tmp_path / "run" / "communication.json").read_text())
    assert content["tuned_turns"] == found["turns"] == sum(t["turns"] for t in found["candidates"])
    # What the turns of the search sent is in the record as well.
    assert (content["turns"], content["rank"][0]["phases"]["reduce_row"]["calls"]) == (120, 120)


def test_what_the_study_says_wins_where_no_way_is_faster_beyond_the_noise(tmp_path: Path) -> None:
    chance = random.Random(7)

    def noisy(_used: dict[str, str], _rank: int) -> float:
        return 0.01 * (1 + 0.004 * chance.random())

    found = run(tmp_path, noisy)
    assert found["changes"] == {}
    # All differ by less than 0.4 %, which is less than the gain that is asked for.
    assert found["choice"]["reduce"] == "hypercube"


def test_a_turn_takes_as_long_as_on_the_slowest_rank(tmp_path: Path) -> None:
    def cost(used: dict[str, str], rank: int) -> float:
        mesh = used["reduce"] == "mesh"
        return 0.02 if mesh and rank == 3 else 0.005 if mesh else 0.01

    found = run(tmp_path, cost)
    tried = {entry["changes"].get("reduce"): entry["seconds"] for entry in found["candidates"]}
    assert tried["mesh"] == pytest.approx(0.02)
    assert found["choice"]["reduce"] == "hypercube"


def test_changes_that_pay_are_tried_together(tmp_path: Path) -> None:
    found = run(tmp_path, faster(reduce_mpi=0.8, overlap_1=0.9))
    assert (found["choice"]["reduce"], found["choice"]["overlap"]) == ("mpi", True)
    assert found["seconds"] == pytest.approx(0.0072)


def test_one_slow_turn_does_not_decide(tmp_path: Path) -> None:
    count = [0]

    def cost(used: dict[str, str], rank: int) -> float:
        if used["reduce"] == "mpi" and rank == 0:
            count[0] += 1
            # The second of its timed turns.
            return 1.0 if count[0] == 3 else 0.008
        return 0.008 if used["reduce"] == "mpi" else 0.01

    found = run(tmp_path, cost)
    assert found["choice"]["reduce"] == "mpi"
    assert count[0] > 3


def test_a_way_that_cannot_be_used_is_passed_over(tmp_path: Path) -> None:
    found = run(tmp_path, faster(reduce_mpi=0.5), refuses=lambda _rank: "mpi")
    notes = {entry["changes"].get("reduce"): entry["note"] for entry in found["candidates"]}
    says(notes["mpi"], REFUSAL.format("mpi"))
    assert found["choice"]["reduce"] == "hypercube"


def test_a_way_that_one_rank_refuses_is_used_by_none() -> None:
    def body(fake: FakeRank) -> str:
        rank: Any = TimedRank(fake, steady, "mpi" if fake.rank() == 1 else "")
        simulation = Simulation(study(), core=rank)
        with refused("rank 1", REFUSAL.format("mpi"), by=Exception) as caught:
            simulation.set_communication(study(reduce="mpi").communication)
        assert getattr(caught.value, "exit_status", 0) == StudyError.exit_status
        driver: Any = simulation.driver
        return str(driver.used["reduce"])

    assert World(2).run(body) == ["hypercube", "hypercube"]


@pytest.mark.parametrize("count", range(2, 13))
def test_a_search_ends_within_its_turns_whatever_it_finds(count: int) -> None:
    for seed in range(20):
        chance = random.Random(seed)
        search = Halving([{}, *({f"key{k}": 1} for k in range(1, count))], MAX_TURNS)
        while not search.finished:
            for number, timed in search.next_round():
                trial = search.trials[number]
                trial.turns += WARM_UP + timed
                trial.seconds += [chance.uniform(0.5, 1.5) for _ in range(timed)]
            search.round_done()
        assert search.turns() <= turns_needed(count) <= MAX_TURNS
        assert len(search.choice().seconds) >= ENOUGH
        assert len(search.trials[0].seconds) >= 2 * ENOUGH


def test_fewer_turns_leave_out_the_last_candidates() -> None:
    search = Halving([{}, {"a": 1}, {"b": 1}, {"c": 1}], 30)
    assert [number for number, _ in search.next_round()] == [0, 1, 2]
    says(search.trials[3].note, "not tried", "turns")


def test_a_run_that_ends_before_there_is_a_choice_says_so(tmp_path: Path, kept: Path) -> None:
    found = run(tmp_path / "run", turns=5)
    assert (found["choice"], found["turns"]) == (None, 5)
    says(found["note"], "stopped", "choice")
    assert not kept.exists()
    (tmp_path / "run" / "records.h5").unlink()
    assert run(tmp_path / "run", resume=True)["choice"] is not None


@pytest.mark.parametrize(
    ("ranks", "changed", "facts"),
    [
        (1, {}, ("one rank",)),
        (4, {"turns": 31}, ("31 turns", 32)),
        (4, {"model": "soft-gaussian"}, ("mesh",)),
        (2, {"slices": 1}, ("messages", "ranks")),
    ],
)
def test_where_there_is_nothing_to_try_a_sentence_says_so(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    ranks: int,
    changed: dict[str, Any],
    facts: tuple[object, ...],
) -> None:
    plan = tables() | {"turns": changed.pop("turns", 120), "communication": {"tune": "auto"}}
    plan["ip"]["1"] |= changed
    found = run(tmp_path, plan=Study.from_dict(plan), ranks=ranks)
    says(found["note"], *facts)
    one_sentence(capsys.readouterr().err, 'tune = "auto"', found["note"])
    show_tuning(found)
    says(capsys.readouterr().out, found["note"])


def test_the_summary_shows_what_was_tried_and_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(tmp_path, faster(reduce_mpi=0.8))
    show_tuning(found)
    shown = capsys.readouterr().out
    # The study's own way stands among those tried.
    base = next(line for line in shown.splitlines() if "+0.0" in line)
    assert base.split()[-3:] == ["10", "+0.0", "11"]
    line = next(line for line in shown.splitlines() if "(chosen)" in line)
    assert line.split()[:5] == ["reduce", "mpi,", "broadcast", "mpi", "(chosen)"]
    assert line.split()[5:7] == ["8", "-20.0"]
    assert {"choice", "candidates", "from_cache", "seconds"} <= set(tuning_summary(found))

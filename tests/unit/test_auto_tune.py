"""`tune = "auto"`: what is tried, how it is decided, and where the choice is kept."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from phasewise.errors import RunError, StudyError
from phasewise.mpi.launch import this_machine
from phasewise.runs import choices as cache
from phasewise.runs import tuner
from phasewise.runs.folder import RunFolder
from phasewise.runs.recording import Recording
from phasewise.runs.simulation import Simulation
from phasewise.runs.trials import ENOUGH, MAX_TURNS, WARM_UP, Halving, turns_needed
from phasewise.runs.tuner import AutoTuner
from phasewise.runs.tuning_file import read_tuning, show_tuning, tuning_summary
from phasewise.study import Study
from phasewise.traces.records import read_communication
from tests.unit.fake_core import FakeRank, FakeSimulation, World, tables

Cost = Callable[[dict[str, str], int], float]
"""Time of a turn [s] from the parameters in use, without their prefix, and the rank."""

GIVEN = {"reduce": "hypercube", "broadcast": "hypercube", "crossing": "4a", "overlap": "0"}


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the choices that the runs of a test keep."""
    monkeypatch.setenv("PHASEWISE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tuning"


class TimedSimulation(FakeSimulation):
    """Turns that take as long as the way to exchange costs, on a clock of their own."""

    now = 0.0
    used = GIVEN
    cost: Cost | None = None
    refuses = ""

    def set_communication(self, parameters: str) -> None:
        values = (line.split(" = ") for line in parameters.splitlines())
        used = {key.removeprefix("communication."): value for key, value in values}
        if self.refuses and self.refuses in used.values():
            raise ValueError(f"{self.refuses} cannot be used here")
        self.used = used

    def step(self) -> None:
        super().step()
        self.now += self.cost(self.used, self._rank) if self.cost else 1.0


class TimedRank:
    """A rank whose simulations are timed ones."""

    def __init__(self, rank: FakeRank, cost: Cost, refuses: str = "") -> None:
        self._inner, self._cost, self._refuses = rank, cost, refuses

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def start(self, parameters: str, threads: int = 1) -> TimedSimulation:
        made: Any = self._inner.start(parameters, threads)
        made.__class__ = TimedSimulation
        made.cost, made.refuses = self._cost, self._refuses
        return cast(TimedSimulation, made)


def study(turns: int = 120, **communication: Any) -> Study:
    keys = {"tune": "auto"} | communication
    return Study.from_dict(tables() | {"turns": turns, "communication": keys})


def steady(_used: dict[str, str], _rank: int) -> float:
    """Every way takes the same time."""
    return 0.01


def run(
    folder: Path,
    cost: Cost = steady,
    plan: Study | None = None,
    ranks: int = 4,
    resume: bool = False,
    refuses: Callable[[int], str] = lambda _rank: "",
    turns: int | None = None,
) -> dict[str, Any]:
    """Step a study to its end, or for so many turns; what its tuning.json says."""
    chosen = plan or study()

    def body(fake: FakeRank) -> None:
        rank: Any = TimedRank(fake, cost, refuses(fake.rank()))
        place = RunFolder(folder)
        simulation = Simulation(chosen, core=rank)
        driver: Any = simulation.driver
        if rank.rank() == 0:
            place.prepare(chosen, None, resume)
        rank.barrier()
        recording = Recording(simulation, place, rank, False)
        tuner = AutoTuner(simulation, place, rank, resume, clock=lambda: driver.now)
        last = chosen.turns if turns is None else turns
        while simulation.turn < last:
            tuner.step()
            recording.turn_done()
        if last < chosen.turns:
            tuner.close()
        recording.finish()
        assert tuner.searching == (last < chosen.turns)
        if rank.rank() == 0:
            place.release()

    World(ranks).run(body)
    found = read_tuning(RunFolder(folder))
    assert found is not None
    return found


def faster(**gains: float) -> Cost:
    """A turn of 10 ms, times a factor for each key (as reduce_mesh) that is in use."""
    factors = {tuple(name.split("_", 1)): factor for name, factor in gains.items()}

    def cost(used: dict[str, str], _rank: int) -> float:
        seconds = 0.01
        for (key, value), factor in factors.items():
            if used[key] == value:
                seconds *= factor
        return seconds

    return cost


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
    assert notes["mpi"] == "cannot be used: mpi cannot be used here"
    assert found["choice"]["reduce"] == "hypercube"


def test_a_way_that_one_rank_refuses_is_used_by_none() -> None:
    def body(fake: FakeRank) -> str:
        rank: Any = TimedRank(fake, steady, "mpi" if fake.rank() == 1 else "")
        simulation = Simulation(study(), core=rank)
        with pytest.raises(Exception, match="rank 1: mpi cannot be used here") as caught:
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
    assert search.trials[3].note == "not tried: too few turns"


def test_the_next_run_takes_the_choice_at_once(tmp_path: Path, kept: Path) -> None:
    first = run(tmp_path / "one", faster(reduce_mpi=0.8))
    (file,) = kept.iterdir()
    second = run(tmp_path / "two", faster(reduce_mpi=5.0))
    assert second["choice"] == first["choice"]
    assert (second["from_cache"], second["turns"]) == (str(file), 0)
    content = json.loads((tmp_path / "two" / "communication.json").read_text())
    assert (content["algorithms"]["reduce"], content["tuned_turns"]) == ("mpi", 0)


def test_other_ranks_threads_or_meshes_have_choices_of_their_own(
    tmp_path: Path, kept: Path
) -> None:
    run(tmp_path / "one")
    run(tmp_path / "two", ranks=6)
    other = tables() | {"turns": 120, "communication": {"tune": "auto"}}
    other["ip"]["1"]["grid"] = [32, 32]
    run(tmp_path / "three", plan=Study.from_dict(other))
    run(tmp_path / "four", plan=study(reduce="mesh"))
    assert len(list(kept.iterdir())) == 4


def spoil(kept: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    (file,) = kept.iterdir()
    content = change(json.loads(file.read_text()))
    file.write_text(content if isinstance(content, str) else json.dumps(content))


def test_a_choice_of_another_build_is_not_used(
    tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path / "one", faster(reduce_mpi=0.8))
    spoil(kept, lambda content: content | {"build": "0.0.1 abc"})
    again = run(tmp_path / "two")
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].endswith("was written by another build (0.0.1 abc); it is tried anew")
    assert (again["from_cache"], again["choice"]["reduce"]) == (False, "hypercube")


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"choice": 3}', "\x00"])
def test_a_damaged_choice_is_said_and_not_used(
    tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    run(tmp_path / "one")
    spoil(kept, lambda _content: text)
    assert run(tmp_path / "two")["from_cache"] is False
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "is damaged and is not used" in said[0]
    # It has been replaced by a whole one.
    assert run(tmp_path / "three")["from_cache"]


LAME: list[dict[str, Any]] = [
    {"candidates": [{}]},
    {"candidates": "abc"},
    {"candidates": [1]},
    {"candidates": [{"changes": [], "turns": 1, "seconds": None, "note": ""}]},
    {"candidates": [{"changes": {}, "turns": 1, "seconds": "1", "note": ""}]},
    {"given_seconds": "fast"},
    {"changes": 3},
    {"note": None},
]


@pytest.mark.parametrize("change", [*LAME, *({key: ...} for key in ("given_seconds", "note"))])
def test_a_choice_whose_parts_are_damaged_is_neither_used_nor_shown(
    tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any]
) -> None:
    run(tmp_path / "one")

    def damaged(content: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in (content | change).items() if value is not ...}

    spoil(kept, damaged)
    (file,) = kept.iterdir()
    (tmp_path / "one" / "tuning.json").write_text(file.read_text())
    assert run(tmp_path / "two")["from_cache"] is False
    assert read_tuning(RunFolder(tmp_path / "one")) is None
    said = capsys.readouterr().err.splitlines()
    assert [line.split(" is damaged and is not ")[1] for line in said] == ["used", "shown"]


def test_a_cache_in_the_home_of_nobody_is_a_warning_and_the_usual_folder_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PHASEWISE_CACHE", "~nosuchuser/x")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "usual"))
    assert run(tmp_path / "run")["choice"] is not None
    assert len(list((tmp_path / "usual" / "phasewise" / "tuning").iterdir())) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("warning: PHASEWISE_CACHE is ~nosuchuser/x")


def test_an_error_of_rank_zero_alone_is_raised_on_every_rank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: Any) -> None:
        raise RunError("no key")

    monkeypatch.setattr(tuner, "study_key", fails)

    def body(fake: FakeRank) -> None:
        rank: Any = TimedRank(fake, steady)
        simulation = Simulation(study(), core=rank)
        with pytest.raises(RunError, match="no key"):
            AutoTuner(simulation, RunFolder(tmp_path), rank, False)

    World(4).run(body)


def test_cores_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _process: {3})
    assert cache.host_facts()["cores"] == this_machine().cores == 1


def test_a_cache_that_cannot_be_written_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PHASEWISE_CACHE", str(tmp_path / "file"))
    found = run(tmp_path / "run", faster(reduce_mpi=0.8))
    assert found["choice"]["reduce"] == "mpi"
    said = capsys.readouterr().err.splitlines()
    assert "cannot be kept in" in said[-1]
    assert all("Not a directory" in line for line in said)


def test_a_run_that_goes_on_takes_its_own_choice(tmp_path: Path, kept: Path) -> None:
    run(tmp_path / "run", faster(reduce_mpi=0.8))
    spoil(kept, lambda content: content | {"choice": content["choice"] | {"reduce": "mesh"}})
    (tmp_path / "run" / "records.h5").unlink()
    again = run(tmp_path / "run", plan=study(turns=200), resume=True)
    assert again["choice"]["reduce"] == "mpi"
    assert again["from_cache"] == str(tmp_path / "run" / "tuning.json")


def test_a_run_that_ends_before_there_is_a_choice_says_so(tmp_path: Path, kept: Path) -> None:
    found = run(tmp_path / "run", turns=5)
    assert (found["choice"], found["turns"]) == (None, 5)
    assert found["note"] == "stopped before there was a choice"
    assert not kept.exists()
    (tmp_path / "run" / "records.h5").unlink()
    assert run(tmp_path / "run", resume=True)["choice"] is not None


@pytest.mark.parametrize(
    ("ranks", "changed", "reason"),
    [
        (1, {}, "one rank alone sends nothing"),
        (4, {"turns": 31}, "31 turns are too few to try anything: 32 are needed"),
        (4, {"model": "soft-gaussian"}, "this study has no mesh"),
        (2, {"slices": 1}, "every other way sends the same messages on these ranks"),
    ],
)
def test_where_there_is_nothing_to_try_a_sentence_says_so(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    ranks: int,
    changed: dict[str, Any],
    reason: str,
) -> None:
    plan = tables() | {"turns": changed.pop("turns", 120), "communication": {"tune": "auto"}}
    plan["ip"]["1"] |= changed
    found = run(tmp_path, plan=Study.from_dict(plan), ranks=ranks)
    assert reason in found["note"]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith(f'tune = "auto": {reason}')
    show_tuning(found)
    assert reason in capsys.readouterr().out


def test_the_summary_shows_what_was_tried_and_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(tmp_path, faster(reduce_mpi=0.8))
    show_tuning(found)
    shown = capsys.readouterr().out
    assert "as the study says" in shown
    line = next(line for line in shown.splitlines() if "(chosen)" in line)
    assert line.split()[:5] == ["reduce", "mpi,", "broadcast", "mpi", "(chosen)"]
    assert line.split()[5:7] == ["8", "-20.0"]
    assert {"choice", "candidates", "from_cache", "seconds"} <= set(tuning_summary(found))

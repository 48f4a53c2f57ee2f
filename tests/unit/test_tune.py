"""`phasewise tune`: what the search finds, what it chooses, and what the command prints."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import phasewise.commands.tune
import phasewise.tuning.choice
import phasewise.tuning.search as search_module
from phasewise.cli import main
from phasewise.commands.tune import show
from phasewise.errors import StudyError
from phasewise.machines import load_machine
from phasewise.study import Study, load
from phasewise.tuning.candidates import Given, candidates
from phasewise.tuning.choice import Tuned, tune
from phasewise.tuning.search import CandidateSearch, Entry, Problem, finalists, shortlist
from phasewise.workloads.collision.tuning import Candidate
from tests.sentences import Nearest, command_refused, says
from tests.unit.study_tables import tables
from tests.unit.this_machine import measured_here

Cost = Callable[[Study, int], float]


@dataclass
class Fake:
    """A model whose seconds are given by a function of the study and the ranks."""

    NAME: str
    cost: Cost
    PRECISE: bool = False
    asked: int = 0

    def predict(self, case: Any) -> Any:
        self.asked += 1
        seconds = self.cost(case.study, case.ranks)
        return FakePrediction(self.NAME, seconds + WORK, 0.9 * seconds + WORK, 1.1 * seconds + WORK)


WORK = 8.0
"""Seconds of a turn's computation by a fake model."""


@dataclass
class FakePrediction:
    model: str
    turn_seconds: float
    turn_low: float
    turn_high: float
    computation_seconds: float = WORK
    waiting_seconds: float = 0.0


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Replaces the models by fakes."""

    def install(*fakes: Fake) -> None:
        known = {fake.NAME: fake for fake in fakes}

        def find(name: str) -> Fake:
            if name not in known:
                raise StudyError(f'there is no model "{name}"')
            return known[name]

        def predicted(case: Any, model: Fake, **_how: Any) -> Any:
            return model.predict(case)

        monkeypatch.setattr(search_module, "load_model", find)
        monkeypatch.setattr(search_module, "predict", predicted)

    return install


def study() -> Study:
    return Study.from_dict(tables())


def silent(_text: str) -> None:
    """Says nothing."""


def simple(own: Study, _ranks: int) -> float:
    """Two columns, column-first, hypercube and a ring in solve alone are best."""
    chosen = own.communication
    if chosen.process_grid is None:  # the study as it is
        return 10.0
    phases = {phase.name: phase.algorithm for phase in chosen.phases}
    return (
        1.0
        + (chosen.process_grid[0][0] != 2)
        + (chosen.layout != "column-first")
        + (chosen.reduce != "hypercube")
        + (chosen.broadcast != "hypercube")
        + (chosen.transpose != "pairwise")
        + (chosen.crossing != "4a")
        - 0.25 * (phases.get("solve") == "ring")
    )


def test_the_best_candidate_is_found_and_its_lesser_keys_are_refined(
    models: Callable[..., None],
) -> None:
    models(Fake("m", simple))
    entries = CandidateSearch(Problem(study(), load_machine("bassi"), 16, model="m"), silent).run()
    best = entries[0]
    assert best.candidate.shapes == ((2, 4), (2, 4))
    assert best.candidate.phases == (("solve", "algorithm", "ring"),)
    ends = (WORK + 0.9 * 0.75, WORK + 1.1 * 0.75)
    assert (best.predicted, best.low, best.high) == (WORK + 0.75, *ends)
    assert [entry.predicted for entry in entries] == sorted(entry.predicted for entry in entries)


def test_on_many_ranks_the_precise_model_sees_a_shortlist_only(
    models: Callable[..., None],
) -> None:
    cheap, precise = Fake("4", simple), Fake("best", simple, PRECISE=True)
    models(cheap, precise)
    paper = load(Path(__file__).parents[2] / "examples/paper/study.toml")
    problem = Problem(paper, load_machine("bassi"), 256, model="best")
    entries = CandidateSearch(problem, silent).run()
    first = len(candidates(paper, 256, problem.machine))
    assert cheap.asked >= first
    assert precise.asked < first / 2
    known = [entry.model for entry in entries]
    assert known == sorted(known, key=lambda name: name != "best")
    assert entries[0].candidate.shapes == ((2, 64), (2, 64))


def test_on_few_ranks_the_precise_model_sees_all(models: Callable[..., None]) -> None:
    precise = Fake("best", simple, PRECISE=True)
    models(precise)
    problem = Problem(study(), load_machine("bassi"), 16, model="best")
    entries = CandidateSearch(problem, silent).run()
    assert precise.asked == len(entries) >= len(candidates(study(), 16, problem.machine))


def entry(seconds: float, **changes: Any) -> Entry:
    candidate = Candidate(((2, 4), (2, 4)), **changes)
    return Entry(candidate, 16, 1, "m", seconds, seconds, seconds)


def test_finalists_are_of_different_designs_and_none_sends_the_same_as_another() -> None:
    near = [entry(1 + k / 100, transpose=word) for k, word in enumerate(("pairwise", "ring"))]
    same = entry(1.0, schedule="pairwise")
    far = [entry(2.0, reduce="mesh"), entry(3.0, layout="row-first")]
    chosen = finalists([near[0], same, near[1], *far], 4)
    assert chosen == [near[0], far[0], near[1], far[1]]
    assert finalists([near[0], *far], 0) == []


def test_the_best_of_each_grid_and_layout_is_on_the_shortlist() -> None:
    ranked = [entry(1.0), entry(1.1, reduce="mesh"), entry(9.0, layout="row-first")]
    assert shortlist(ranked, 1) == [ranked[0], ranked[2]]


def test_the_choice_is_the_fastest_that_was_verified_not_the_best_prediction(
    models: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    models(Fake("m", simple))

    def slower_than_predicted(tasks: list[Any], *_rest: Any) -> list[float]:
        return [float(len(tasks) - index) for index in range(len(tasks))]

    monkeypatch.setattr(search_module, "simulated_seconds", slower_than_predicted)
    monkeypatch.setattr(phasewise.tuning.choice, "message", silent)
    tuned = tune(Problem(study(), load_machine("bassi"), 16, model="m"), 3)
    assert tuned.choice.verified == 1.0
    assert [e.verified for e in tuned.entries[:4]] == [1.0, 2.0, 3.0, None]
    summary = tuned.summary()
    assert summary["verified_seconds"] == 1.0
    assert summary["expected_seconds"] == tuned.choice.predicted
    assert summary["reference"] == "simulator"
    assert len(summary["candidates"]) == len(tuned.entries)


def test_cores_are_split_into_ranks_and_threads_and_computation_into_threads(
    models: Callable[..., None],
) -> None:
    models(Fake("m", lambda _study, ranks: float(ranks)))
    problem = Problem(study(), measured_here(), 4, cores=4, model="m")
    assert problem.splits() == [(1, 4), (2, 2), (4, 1)]
    entries = CandidateSearch(problem, silent).run()
    # Of 8 s of work a rank's threads share, and so many seconds of communication as there are ranks
    assert {(e.ranks, e.threads): e.predicted for e in entries} == {
        (1, 4): 1 + 8 / 4,
        (2, 2): 2 + 8 / 2,
        (4, 1): 4 + 8 / 1,
    }


def test_the_title_says_how_many_steps_were_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    paper = load(Path(__file__).parents[2] / "examples/paper/study.toml")
    tried = Entry(Candidate(((2, 16), (2, 16))), 64, 1, "m", 1.0, 0.9, 1.1, 1.05)
    given = Entry(Given(paper, 64, 3), 64, 1, "m", 2.0, 1.9, 2.1, 2.1)
    show(Tuned(Problem(paper, load_machine("bassi"), 64, model="m"), [tried], given))
    words = " ".join(capsys.readouterr().out.split())
    says(words, "the first turn of a run", "4 of its 15 steps", "ms")
    assert words.endswith("2100 ms → 1050 ms")


def test_a_turn_that_takes_no_time_has_no_gain() -> None:
    alone = entry(0.0)
    found = Tuned(Problem(study(), load_machine("bassi"), 16, model="m"), [alone], alone)
    assert found.summary()["gain"] is None


def test_the_table_names_only_keys_that_are_not_as_usual(
    capsys: pytest.CaptureFixture[str],
) -> None:
    candidate = Candidate(((2, 4), (2, 4)), overlap=True).with_phase("solve", "algorithm", "bruck")
    found = Entry(candidate, 16, 1, "m", 1.0, 0.9, 1.1, 1.05)
    assert found.candidate.columns()[2] == "overlap=true, solve.algorithm=bruck"
    show(Tuned(Problem(study(), load_machine("bassi"), 16, model="m"), [found], found))
    text = capsys.readouterr().out
    says(text, "2x4 column-first", "bassi", "full twin", "simulator", "hardware")
    says(text, "1050 ms", "16 ranks × 1 thread", "1000 ms", "the first turn of a run")


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["--verify", "11"], ("--verify", 11, 0, 10)),
        (["--cores", "16"], ("bassi", "hardware", "--cores")),
        (["--threads", "4"], ("--threads", 4)),
        (["--model", "contentoin"], ('"contentoin"', Nearest("contention"))),
        (["--machine", "basi"], ('"basi"', Nearest("bassi"))),
    ],
)
def test_misuse_ends_in_one_sentence(
    words: list[str],
    facts: tuple[object, ...],
    repository: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = ["tune", repository / "examples/paper/study.toml", "--machine", "bassi"]
    command_refused(capsys, [*given, "--ranks", "16", *words], *facts)


def test_more_ranks_than_cores_are_refused(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(phasewise.commands.tune, "load_machine", lambda _name: measured_here())
    given = ["tune", repository / "examples/paper/study.toml", "--machine", "here"]
    words = [*given, "--ranks", "16", "--cores", "4"]
    command_refused(capsys, words, "--ranks", 16, "--cores", 4)


def test_the_command_names_the_keys_that_it_replaces(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = str(repository / "examples/paper/study.toml")
    words = ["--machine", "bassi", "--ranks", "16", "--model", "3", "--verify", "0", "--json"]
    sets = ["communication.padded=true", "communication.tune=auto"]
    assert main(["tune", given, *words, *(w for s in sets for w in ("--set", s))]) == 0
    lines = capsys.readouterr().err.splitlines()
    (line,) = [line for line in lines if "[communication]" in line]
    # The paper's study sets others too, of which some are as chosen.
    says(line, "replaces", "padded", "tune")


def test_the_command_chooses_the_hypercube_for_bassi(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = str(repository / "examples/paper/study.toml")
    words = ["--machine", "bassi", "--ranks", "16", "--model", "3", "--verify", "0", "--json"]
    assert main(["tune", given, *words, "--out", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["choice"]["layout"] == "column-first"
    assert (found["model"], found["ranks"], found["verified_seconds"]) == ("3", 16, None)
    assert found["low"] <= found["expected_seconds"] <= found["high"]
    assert found == json.loads((tmp_path / "tune.json").read_text())

"""`phasewise tune`: what the search finds, what it verifies, and what it writes for a launcher."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise.commands.tune
import phasewise.tuning.choice
import phasewise.tuning.search as search_module
from phasewise.cli import main
from phasewise.commands.tune import show
from phasewise.errors import RunError, StudyError
from phasewise.machines import Machine, load_machine
from phasewise.machines.curves import Measured
from phasewise.machines.smpirun import simulated_tree
from phasewise.machines.targets import this_host
from phasewise.study import Study, load
from phasewise.tuning import verification
from phasewise.tuning.choice import Tuned, tune
from phasewise.tuning.placement_files import Placement, allocated_nodes, place, sections, write_all
from phasewise.tuning.search import CandidateSearch, Entry, Problem, finalists, shortlist
from phasewise.tuning.verification import (
    sampled_steps,
    simulation_task,
    turn_seconds,
    why_not_here,
)
from phasewise.workloads.collision.tuning import Candidate, candidates
from tests.unit.study_tables import tables

Cost = Callable[[Study, int], float]


def simulator_missing() -> bool:
    try:
        simulated_tree()
    except RunError:
        return True
    return False


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
        return FakePrediction(self.NAME, seconds, 0.9 * seconds, 1.1 * seconds)


@dataclass
class FakePrediction:
    model: str
    communication_seconds: float
    low: float
    high: float
    computation_seconds: float = 8.0


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Replaces the models by fakes."""

    def install(*fakes: Fake) -> None:
        known = {fake.NAME: fake for fake in fakes}

        def find(name: str) -> Fake:
            if name not in known:
                raise StudyError(f'there is no model "{name}"')
            return known[name]

        def predicted(case: Any, model: Fake, computation: bool) -> Any:  # noqa: ARG001
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
    assert chosen.process_grid is not None
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


def measured_here(node_ranks: int = 4) -> Machine:
    bassi = load_machine("bassi")
    own = Measured("hardware", node_ranks, host=this_host())
    return replace(bassi, name="here", measured=own, node_ranks=node_ranks)


def test_the_best_candidate_is_found_and_its_lesser_keys_are_refined(
    models: Callable[..., None],
) -> None:
    models(Fake("m", simple))
    entries = CandidateSearch(Problem(study(), load_machine("bassi"), 16, model="m"), silent).run()
    best = entries[0]
    assert best.candidate.shapes == ((2, 4), (2, 4))
    assert best.candidate.phases == (("solve", "algorithm", "ring"),)
    assert (best.predicted, best.low, best.high) == (0.75, 0.9 * 0.75, 1.1 * 0.75)
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


def test_nothing_is_timed_for_a_machine_measured_elsewhere_or_with_too_few_cores() -> None:
    here = measured_here()
    elsewhere = replace(here, measured=Measured("hardware", 4, host="elsewhere"))
    assert why_not_here(here, 1) is None
    assert "was measured on elsewhere, this is" in str(why_not_here(elsewhere, 1))
    assert "100000 cores are asked for" in str(why_not_here(here, 100000))


def test_a_turn_is_timed_on_this_computer() -> None:
    seconds = turn_seconds(study(), 1, 1)
    # 2 × 1000 particles and 4 slices on 64²: at most seconds even where the computer is busy.
    assert 0 < seconds < 30


def test_a_verifying_run_that_fails_is_a_failed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RunError, match=r"a verifying run failed: .+"):
        turn_seconds(study(), 1, 1)


def test_the_particles_of_a_file_are_those_of_a_timed_turn(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).normal(size=(1000, 6)) * [1e-5, 1e-5, 1e-5, 1e-5, 0.07, 1e-4]
    np.save(tmp_path / "whole.npy", rows)
    np.save(tmp_path / "part.npy", rows[:7])

    def given(name: str) -> Study:
        path = str(tmp_path / name)
        return Study.from_dict(tables(beam__1__distribution="file", beam__1__particles=path))

    assert turn_seconds(given("whole.npy"), 1, 1) > 0
    with pytest.raises(RunError, match=r"a verifying run failed: .*part\.npy holds 7 particles"):
        turn_seconds(given("part.npy"), 1, 1)


def test_a_launcher_that_cannot_be_started_is_a_failed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_arguments: Any, **_options: Any) -> tuple[list[str], dict[str, str]]:
        return ["/nowhere/mpiexec"], {}

    monkeypatch.setattr(verification, "launch_command", nowhere)
    with pytest.raises(RunError, match="/nowhere/mpiexec cannot be started: No such file"):
        turn_seconds(study(), 1, 1)


def test_only_a_machine_measured_on_hardware_is_the_local_host() -> None:
    here = measured_here(16)
    assert place(here, 16, 1, {}).names == ("localhost",)
    simulated = replace(here, measured=Measured("simulator", 16, host=""))
    assert place(simulated, 16, 1, {}).names == ("node0",)


def test_from_64_ranks_on_some_steps_stand_for_the_turn_where_there_are_more() -> None:
    paper = load(Path(__file__).parents[2] / "examples/paper/study.toml")
    assert sampled_steps(paper, 63) is None
    # Eight slices meet in 2 × 8 - 1 steps.
    assert sampled_steps(paper, 64) == [4, 15]
    # Two slices in three, fewer than four.
    assert sampled_steps(Study.from_dict(tables(ip__1__slices=2)), 64) is None
    machine = load_machine("bassi")
    candidate = Candidate(((2, 16), (2, 16)))
    assert simulation_task(paper, machine, 64, candidate).request.steps == 4
    tried = Entry(candidate, 64, 1, "m", 1.0, 0.9, 1.1, 1.05)
    tuned = Tuned(Problem(paper, machine, 64, model="m"), [tried])
    assert tuned.summary()["sampled_steps"] == [4, 15]
    not_tried = Tuned(tuned.problem, [replace(tried, verified=None)])
    assert not_tried.summary()["sampled_steps"] is None


def test_the_title_says_how_many_steps_were_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    paper = load(Path(__file__).parents[2] / "examples/paper/study.toml")
    tried = Entry(Candidate(((2, 16), (2, 16))), 64, 1, "m", 1.0, 0.9, 1.1, 1.05)
    show(Tuned(Problem(paper, load_machine("bassi"), 64, model="m"), [tried]))
    words = " ".join(capsys.readouterr().out.split())
    assert "the communication of a turn, verified by 4 of its 15 steps, in ms" in words


def test_launcher_files_put_each_rank_on_its_node() -> None:
    placement = Placement(("a", "b"), True, 3, 2, threads=4)
    assert placement.hostfile() == "a slots=2\nb slots=1\n"
    assert placement.rankfile() == (
        "rank 0=+n0 slot=0-3\nrank 1=+n0 slot=4-7\nrank 2=+n1 slot=0-3\n"
    )
    assert placement.slurm() == "a\na\nb\n"


def test_nodes_are_those_of_the_batch_allocation_where_it_has_enough(tmp_path: Path) -> None:
    listed = tmp_path / "nodes"
    listed.write_text("n7\nn7\nn9\n")
    environment = {"PBS_NODEFILE": str(listed)}
    assert allocated_nodes(environment) == ["n7", "n9"]
    machine = load_machine("bassi")
    assert place(machine, 16, 1, environment).names == ("n7", "n9")
    made_up = place(machine, 32, 1, environment)
    assert made_up.names == ("node0", "node1", "node2", "node3")
    assert made_up.hostfile().startswith("# put the names of your nodes for node0")


def test_the_written_study_is_the_given_one_with_the_choice(tmp_path: Path) -> None:
    given = Study.from_dict(tables(title="ρ² and π", communication__padded=True))
    candidate = Candidate(((2, 4), (2, 4)), crossing="4b").with_phase("solve", "aggregate", False)
    out = tmp_path / "new" / "folder"
    names = write_all(out, given, candidate, load_machine("bassi"), (16, 1), {"machine": "bassi"})
    assert sorted(names) == sorted(path.name for path in out.iterdir())
    assert load(out / "study.toml") == candidate.apply(given)
    pasted = tmp_path / "pasted.toml"
    alone = sections({k: v for k, v in given.resolved().items() if k != "communication"})
    pasted.write_text(alone + (out / "communication.toml").read_text())
    assert load(pasted) == candidate.apply(given)


def test_a_folder_that_cannot_be_written_is_a_failed_run(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        write_all(file, study(), Candidate(None), load_machine("bassi"), (1, 1), {})


def test_the_table_names_only_keys_that_are_not_as_usual(
    capsys: pytest.CaptureFixture[str],
) -> None:
    candidate = Candidate(((2, 4), (2, 4)), overlap=True).with_phase("solve", "algorithm", "bruck")
    found = Entry(candidate, 16, 1, "m", 1.0, 0.9, 1.1, 1.05)
    assert found.candidate.columns()[2] == "overlap=true, solve.algorithm=bruck"
    show(Tuned(Problem(study(), load_machine("bassi"), 16, model="m"), [found]))
    text = capsys.readouterr().out
    assert "2x4 column-first" in text
    assert "1.05 s verified, on bassi, full twin: a simulator, not hardware" in text
    assert "16 ranks × 1 threads: 1 s expected for the communication of a turn" in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--verify", "11"], "--verify 11 is not a number from 0 to 10"),
        (["--cores", "16"], "bassi was not measured on hardware; leave --cores out"),
        (["--threads", "4"], "unrecognized arguments: --threads"),
        (["--model", "contentoin"], 'no model "contentoin"; did you mean "contention"?'),
        (["--machine", "basi"], "basi"),
    ],
)
def test_misuse_ends_in_one_sentence(
    words: list[str], sentence: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["tune", str(repository / "examples/paper/study.toml"), "--machine", "bassi"]
    assert main([*given, "--ranks", "16", *words]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.err.count("\n") == 1


def test_more_ranks_than_cores_are_refused(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(phasewise.commands.tune, "load_machine", lambda _name: measured_here())
    given = ["tune", str(repository / "examples/paper/study.toml"), "--machine", "here"]
    assert main([*given, "--ranks", "16", "--cores", "4"]) == 2
    said = capsys.readouterr().err
    assert "--ranks 16 is more than --cores 4" in said
    assert said.count("\n") == 1


def test_the_command_names_the_keys_that_it_replaces(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = str(repository / "examples/paper/study.toml")
    words = ["--machine", "bassi", "--ranks", "16", "--model", "3", "--verify", "0", "--json"]
    sets = ["communication.padded=true", "communication.tune=auto"]
    assert main(["tune", given, *words, *(w for s in sets for w in ("--set", s))]) == 0
    lines = capsys.readouterr().err.splitlines()
    (line,) = [line for line in lines if "replaces" in line]
    said, _, keys = line.partition(": ")
    assert said == "the choice replaces what the study sets in [communication]"
    # The paper's study sets others too, of which some are as chosen.
    assert {"padded", "tune"} <= set(keys.split(", "))


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


@pytest.mark.skipif(simulator_missing(), reason="SimGrid or the simulated build is missing")
def test_verified_seconds_are_those_of_simulating_the_choice(tmp_path: Path) -> None:
    machine = load_machine("bassi")
    tuned = tune(Problem(study(), machine, 16, model="3"), 2, tmp_path)
    kept = [json.loads(path.read_text()) for path in tmp_path.glob("*.json")]
    assert {entry["communication_seconds"] for entry in kept} == {
        entry.verified for entry in tuned.entries if entry.verified is not None
    }
    task = simulation_task(study(), machine, 16, tuned.choice.candidate)
    assert task.request.steps == 0
    assert not task.request.computation

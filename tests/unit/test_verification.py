"""Choices of the tuner, verified: timed on this computer, or simulated."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.machines.curves import Measured
from phasewise.machines.smpirun import simulated_tree
from phasewise.study import Study, load
from phasewise.tuning import verification
from phasewise.tuning.choice import Tuned, tune
from phasewise.tuning.search import Entry, Problem
from phasewise.tuning.verification import (
    sampled_steps,
    simulation_task,
    turn_seconds,
    why_not_here,
)
from phasewise.workloads.collision.tuning import Candidate
from tests.sentences import refused, says
from tests.unit.study_tables import tables
from tests.unit.this_machine import measured_here


def simulator_missing() -> bool:
    try:
        simulated_tree()
    except RunError:
        return True
    return False


def study() -> Study:
    return Study.from_dict(tables())


def test_nothing_is_timed_for_a_machine_measured_elsewhere_or_with_too_few_cores() -> None:
    here = measured_here()
    elsewhere = replace(here, measured=Measured("hardware", 4, host="elsewhere"))
    assert why_not_here(here, 1) is None
    says(str(why_not_here(elsewhere, 1)), "elsewhere")
    says(str(why_not_here(here, 100000)), "100000 cores")


def test_a_turn_is_timed_on_this_computer() -> None:
    seconds = turn_seconds(study(), 1, 1)
    # 2 × 1000 particles and 4 slices on 64²: at most seconds even where the computer is busy.
    assert 0 < seconds < 30


def test_a_verifying_run_that_fails_is_a_failed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with refused("verifying run", by=RunError):
        turn_seconds(study(), 1, 1)


def test_the_particles_of_a_file_are_those_of_a_timed_turn(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).normal(size=(1000, 6)) * [1e-5, 1e-5, 1e-5, 1e-5, 0.07, 1e-4]
    np.save(tmp_path / "whole.npy", rows)
    np.save(tmp_path / "part.npy", rows[:7])

    def given(name: str) -> Study:
        path = str(tmp_path / name)
        return Study.from_dict(tables(beam__1__distribution="file", beam__1__particles=path))

    assert turn_seconds(given("whole.npy"), 1, 1) > 0
    with refused("verifying run", tmp_path / "part.npy", "7 particles", by=RunError):
        turn_seconds(given("part.npy"), 1, 1)


def test_a_launcher_that_cannot_be_started_is_a_failed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_arguments: Any, **_options: Any) -> tuple[list[str], dict[str, str]]:
        return ["/nowhere/mpiexec"], {}

    monkeypatch.setattr(verification, "launch_command", nowhere)
    with refused("/nowhere/mpiexec", "started", by=RunError):
        turn_seconds(study(), 1, 1)


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
    tuned = Tuned(Problem(paper, machine, 64, model="m"), [tried], None)
    assert tuned.summary()["sampled_steps"] == [4, 15]
    assert tuned.summary()["baseline_seconds"] is None  # of a study that does not suit the ranks
    not_tried = Tuned(tuned.problem, [replace(tried, verified=None)], None)
    assert not_tried.summary()["sampled_steps"] is None


@pytest.mark.skipif(simulator_missing(), reason="SimGrid or the simulated build is missing")
def test_verified_seconds_are_those_of_simulating_the_choice(tmp_path: Path) -> None:
    machine = load_machine("bassi")
    tuned = tune(Problem(study(), machine, 16, model="3"), 2, tmp_path)
    kept = [json.loads(path.read_text()) for path in tmp_path.glob("*.json")]
    assert tuned.baseline is not None
    entries = [tuned.baseline, *tuned.entries]
    assert {entry["turn_seconds"] for entry in kept} == {
        entry.verified for entry in entries if entry.verified is not None
    }
    task = simulation_task(study(), machine, 16, tuned.choice.candidate)
    assert task.request.steps == 0
    assert task.request.computation

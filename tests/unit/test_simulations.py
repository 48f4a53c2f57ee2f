"""Many simulations: kept under what they depend on, in order, and a failure says whose it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import phasewise.simulated.many
from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.simulated.many import Task, key_of, simulate_many
from phasewise.simulated.simulate import Request
from phasewise.study import Study
from tests.sentences import refused
from tests.unit.study_tables import tables

try:
    simulated_tree()
except RunError as error:
    pytest.skip(str(error), allow_module_level=True)


def task(ranks: int = 4, **changes: Any) -> Task:
    small = {"turns": 1, "beam__1__macroparticles": 400, "ip__1__grid": [32, 32]}
    request = Request(load_machine("bassi"), ranks, skeleton=True, computation=False)
    return Task(Study.from_dict(tables(**{**small, **changes})), request)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the tasks that are really simulated, in this process."""
    run: Callable[[Task], Any] = phasewise.simulated.many._run
    names: list[str] = []

    def counting(one: Task) -> Any:
        names.append(one.name)
        return run(one)

    monkeypatch.setattr(phasewise.simulated.many, "_run", counting)
    return names


def test_summaries_come_in_the_order_of_the_tasks_and_equal_ones_are_run_once(
    tmp_path: Path, counted: list[str]
) -> None:
    said: list[tuple[int, int]] = []
    tasks = [task(4), task(2), task(4)]
    found = simulate_many(tasks, tmp_path, 1, lambda done, of: said.append((done, of)))
    assert [summary["ranks"] for summary in found] == [4, 2, 4]
    assert found[0] == found[2]
    assert len(counted) == 2
    assert said == [(0, 2), (1, 2), (2, 2)]


def test_what_the_cache_holds_is_not_simulated_again(tmp_path: Path, counted: list[str]) -> None:
    first = simulate_many([task()], tmp_path, 1)
    assert simulate_many([task(), task(2)], tmp_path, 1)[0] == first[0]
    assert len(counted) == 2
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted(f"{key_of(one)}.json" for one in (task(), task(2)))


def test_a_damaged_entry_is_made_anew(tmp_path: Path, counted: list[str]) -> None:
    first = simulate_many([task()], tmp_path, 1)
    entry = tmp_path / f"{key_of(task())}.json"
    entry.write_text(entry.read_text()[:100])
    assert simulate_many([task()], tmp_path, 1) == first
    assert len(counted) == 2
    assert json.loads(entry.read_text()) == first[0]


def test_processes_give_what_one_process_gives(tmp_path: Path) -> None:
    tasks = [task(2), task(4)]
    apart = simulate_many(tasks, tmp_path / "two", 2)
    assert apart == simulate_many(tasks, tmp_path / "one", 1)


@pytest.mark.parametrize(
    "change",
    [
        {"ranks": 2},
        {"twin": "plain"},
        {"steps": 2},
        {"computation": True},
        {"slow": {1: 2.0}},
        {"machine": load_machine("seaborg")},
    ],
)
def test_another_request_has_another_key(change: dict[str, Any]) -> None:
    one = task()
    assert key_of(replace(one, request=replace(one.request, **change))) != key_of(one)


def test_another_study_driver_or_machine_file_has_another_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = key_of(task())
    assert key_of(task(ip__1__grid=[64, 64])) != own
    assert key_of(task(communication__layout="row-first")) != own
    assert key_of(task()) == own
    slower = replace(task().request.machine, protocol=load_machine("jacquard").protocol)
    assert key_of(replace(task(), request=replace(task().request, machine=slower))) != own
    monkeypatch.setattr(phasewise.simulated.many, "simulator", lambda: ("another build",))
    assert key_of(task()) != own


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failure_names_its_task_and_keeps_what_had_ended(tmp_path: Path, workers: int) -> None:
    # Three columns of a process each need three ranks of a beam.
    bad = task(4, communication__process_grid="3x1")
    if workers == 2:
        simulate_many([task(2)], tmp_path, 1)
    with refused("bassi", "4 ranks", "3x1"):
        simulate_many([task(2), bad, task(4)], tmp_path, workers)
    assert (tmp_path / f"{key_of(task(2))}.json").is_file()


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refused(tmp_path / "file" / "cache", "simulations", by=RunError):
        simulate_many([], tmp_path / "file" / "cache")

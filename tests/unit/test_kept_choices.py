"""Where the choice of `tune = "auto"` is kept, and which runs take it."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phasewise.errors import RunError
from phasewise.mpi.launch import this_machine
from phasewise.runs import choices as cache
from phasewise.runs import tuner
from phasewise.runs.folder import RunFolder
from phasewise.runs.simulation import Simulation
from phasewise.runs.tuner import AutoTuner
from phasewise.runs.tuning_file import read_tuning
from phasewise.study import Study
from tests.sentences import one_sentence, refused
from tests.unit.fake_core import FakeRank, World, tables
from tests.unit.timed_runs import TimedRank, faster, keep_choices, run, steady, study


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return keep_choices(tmp_path, monkeypatch)


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
    one_sentence(capsys.readouterr().err, kept, "build", "0.0.1 abc")
    assert (again["from_cache"], again["choice"]["reduce"]) == (False, "hypercube")


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"choice": 3}', "\x00"])
def test_a_damaged_choice_is_said_and_not_used(
    tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    run(tmp_path / "one")
    spoil(kept, lambda _content: text)
    assert run(tmp_path / "two")["from_cache"] is False
    one_sentence(capsys.readouterr().err, 'tune = "auto"', kept, "damaged")
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
    used, shown = capsys.readouterr().err.splitlines()
    one_sentence(used, file, "damaged")
    one_sentence(shown, tmp_path / "one" / "tuning.json", "damaged")


def test_a_cache_in_the_home_of_nobody_is_a_warning_and_the_usual_folder_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PHASEWISE_CACHE", "~nosuchuser/x")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "usual"))
    assert run(tmp_path / "run")["choice"] is not None
    assert len(list((tmp_path / "usual" / "phasewise" / "tuning").iterdir())) == 1
    said = capsys.readouterr().err
    assert said.startswith("warning: ")
    one_sentence(said, "PHASEWISE_CACHE", "~nosuchuser/x", 'tune = "auto"')


def test_an_error_of_rank_zero_alone_is_raised_on_every_rank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: Any) -> None:
        raise RunError("no key")

    monkeypatch.setattr(tuner, "study_key", fails)

    def body(fake: FakeRank) -> None:
        rank: Any = TimedRank(fake, steady)
        simulation = Simulation(study(), core=rank)
        with refused("no key", by=RunError):
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
    for line in said:
        one_sentence(line, tmp_path / "file", os.strerror(errno.ENOTDIR))


def test_a_run_that_goes_on_takes_its_own_choice(tmp_path: Path, kept: Path) -> None:
    run(tmp_path / "run", faster(reduce_mpi=0.8))
    spoil(kept, lambda content: content | {"choice": content["choice"] | {"reduce": "mesh"}})
    (tmp_path / "run" / "records.h5").unlink()
    again = run(tmp_path / "run", plan=study(turns=200), resume=True)
    assert again["choice"]["reduce"] == "mpi"
    assert again["from_cache"] == str(tmp_path / "run" / "tuning.json")

"""`phasewise init` writes a study of each workload, which runs as it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import phasewise
from phasewise.cli import main
from phasewise.study import load
from phasewise.workload.discovery import workloads
from phasewise.workload.starters import RING, starters
from tests.sentences import command_refused


def test_every_workload_has_a_study_to_begin_with() -> None:
    # A workload whose studies are folders has none to begin with.
    named = {name for name, own in workloads().items() if own.study_of_folder is None}
    assert set(starters()) == {*named, RING}


@pytest.mark.parametrize("name", starters())
def test_a_study_that_init_writes_is_of_its_workload_and_runs(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / name
    assert main(["init", name, "--out", str(out)]) == 0
    assert f"phasewise run {out / 'study.toml'}" in capsys.readouterr().out
    study = load(out / "study.toml", [])
    assert study.workload.named == (name if name != RING else ("spacecharge", "collision"))
    pytest.importorskip("phasewise._core", reason="the core is not built")
    if name == "commtest":
        return  # one rank has no partner
    results = phasewise.run(study.with_count(1), tmp_path / "run")
    assert results.complete


def test_a_study_that_is_there_is_not_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "study.toml").write_text("turns = 1\n")
    command_refused(capsys, ["init", "--out", str(tmp_path)], "study.toml", "--out")
    assert (tmp_path / "study.toml").read_text() == "turns = 1\n"
    command_refused(capsys, ["init", "collison", "--out", str(tmp_path)], '"collision"')


def test_init_says_in_json_what_it_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": "study.toml", "workload": "collision"}
    assert load("study.toml", []).workload.name == "collision"

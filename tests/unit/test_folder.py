"""The folder of a run: one run writes to it, and what lies in it besides stays where it is."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from phasewise.errors import RunError
from phasewise.runs.folder import RunFolder
from phasewise.runs.records import RecordsWriter
from phasewise.study import Study, load
from tests.sentences import refused
from tests.unit.fake_core import tables
from tests.unit.test_study import json_as_toml


def study() -> Study:
    return Study.from_dict(tables())


def earlier_run(path: Path, source: Path | None = None) -> None:
    folder = RunFolder(path)
    folder.prepare(study(), source, False)
    RecordsWriter(folder.records, study(), {"study": "{}", "derived": "{}"}).close(True)
    folder.release()


def test_a_study_and_its_inputs_in_the_folder_itself_stay(tmp_path: Path) -> None:
    out = tmp_path / "a"
    out.mkdir()
    source, layout = out / "study.toml", out / "layout.txt"
    source.write_text(json_as_toml(tables()))
    layout.write_text("1 0 0\n")
    for _ in range(3):
        earlier_run(out, source)
        assert load(source).turns == 10
        assert layout.exists()
    kept = json.loads((tmp_path / "a.2" / "study.json").read_text())
    assert kept == study().resolved()
    assert (tmp_path / "a.2" / "study.toml").read_text() == source.read_text()
    assert not (tmp_path / "a.3").exists()


def test_the_working_folder_can_be_the_folder_of_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for _ in range(2):
        earlier_run(Path())
    assert (tmp_path / "here.1" / "records.h5").exists()
    assert (here / "records.h5").exists()


def test_a_link_to_the_folder_stays_a_link(tmp_path: Path) -> None:
    there, link = tmp_path / "there", tmp_path / "link"
    there.mkdir()
    link.symlink_to(there)
    for _ in range(2):
        earlier_run(link)
    assert link.is_symlink()
    assert (there / "records.h5").exists()
    assert (tmp_path / "there.1" / "records.h5").exists()


def test_the_lock_is_held_while_an_earlier_run_is_moved(tmp_path: Path) -> None:
    out = tmp_path / "run"
    earlier_run(out)
    first, second = RunFolder(out), RunFolder(out)
    first.prepare(study(), None, False)
    with refused(out, "another run", by=RunError):
        second.prepare(study(), None, False)
    assert not (tmp_path / "run.2").exists()
    first.release()


def test_the_lock_of_a_folder_that_went_away_meanwhile_keeps_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, lock = tmp_path / "run", fcntl.flock
    moved = []

    def slow(descriptor: int, operation: int) -> None:
        if not moved:  # between opening the lock's file and locking it
            moved.append(out.rename(tmp_path / "elsewhere"))
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", slow)
    first, second = RunFolder(out), RunFolder(out)
    first.prepare(study(), None, False)
    assert os.path.samestat(os.fstat(first._lock._descriptor or -1), (out / ".lock").stat())
    with refused(out, "another run", by=RunError):
        second.prepare(study(), None, False)
    first.release()


RACE = """
import sys, time
from pathlib import Path
from phasewise.errors import RunError
from phasewise.runs.folder import RunFolder
from tests.unit.test_folder import study
given, start, rounds = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
plan = study()
for number in range(rounds):
    folder = RunFolder(given / str(number))
    time.sleep(max(0.0, start + 0.05 * number - time.time()))
    try:
        folder.prepare(plan, None, False)
        print(number, flush=True)
    except RunError:
        pass
time.sleep(max(0.0, start + 0.05 * rounds + 1 - time.time()))
"""


def test_of_several_starts_at_once_one_gets_the_folder(tmp_path: Path) -> None:
    rounds = 40
    for number in range(rounds):
        earlier_run(tmp_path / str(number))
    words = [sys.executable, "-c", RACE, str(tmp_path), str(time.time() + 4), str(rounds)]
    starts = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    won = [int(line) for process in starts for line in process.communicate()[0].split()]
    assert sorted(won) == list(range(rounds))

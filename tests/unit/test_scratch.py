"""Temporary folders and shared memory of runs that were killed: the next run removes them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from phasewise import scratch
from phasewise.mpi import launch
from tests.sentences import refused


def ended_process() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_folders_of_processes_that_have_ended_are_removed_and_no_others(tmp_path: Path) -> None:
    orphans = [
        f"phasewise-{kind}{scratch.place()}-{ended_process()}-x1_y" for kind in ("", "tune-")
    ]
    others = [
        f"phasewise-{scratch.place()}-{os.getpid()}-abc",
        f"phasewise-elsewhere.7-{ended_process()}-abc",
        "phasewise-mine",
    ]
    for name in (*orphans, *others):
        (tmp_path / name).mkdir()
        (tmp_path / name / "segment").write_text("data")
    with scratch.temporary_folder("probe", where=tmp_path) as made:
        left = {path.name for path in tmp_path.iterdir()}
        assert left == {*others, Path(made).name}
        assert Path(made).name.startswith(f"phasewise-probe-{scratch.place()}-{os.getpid()}-")
    assert {path.name for path in tmp_path.iterdir()} == set(others)


def test_a_process_that_is_killed_leaves_a_folder_that_the_next_one_removes(tmp_path: Path) -> None:
    code = (
        "import os, signal; from phasewise.scratch import temporary_folder; "
        f"kept = temporary_folder(where={str(tmp_path)!r}); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    scratch.remove_orphans(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_ranks_share_memory_in_a_folder_of_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "SHARED_MEMORY", str(tmp_path))
    variables = launch.memory_variables()
    (folder,) = set(variables.values())
    assert Path(folder).parent == tmp_path
    assert "OMPI_MCA_btl_vader_backing_directory" in variables


def test_without_a_folder_for_shared_memory_ranks_are_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "SHARED_MEMORY", str(tmp_path / "shm"))
    with refused("ranks", tmp_path / "shm", "written", "--ranks", by=launch.RunError):
        launch.memory_variables()

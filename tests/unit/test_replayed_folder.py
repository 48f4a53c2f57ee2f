"""The folder of a kept record of two ranks as a study: its path, what is read, and what is left."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.workloads.recorded import model


@pytest.fixture
def kept(repository: Path, tmp_path: Path) -> Path:
    """A kept record of two ranks in a ring, in a folder whose name looks like an address."""
    folder = tmp_path / "a b%20c%"
    shutil.copytree(repository / "tests/data/record/ring", folder)
    return folder


def test_any_name_of_a_folder_can_be_predicted(kept: Path) -> None:
    assert main(["predict", str(kept), "--machine", "bassi", "--model", "contention"]) == 0


def test_a_record_is_read_once_and_nothing_is_left_beside_it(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, read = sorted(kept.rglob("*")), []
    one = model.read_recording
    monkeypatch.setattr(model, "read_recording", lambda folder: read.append(folder) or one(folder))
    words = ["predict", str(kept), "--machine", "bassi", "--recorded-on", "modern", "--what-if"]
    assert main(words) == 0
    assert read == [kept]
    assert sorted(kept.rglob("*")) == before
    # A record that has changed is read again.
    (kept / "recording" / "1.rank").touch()
    assert main(words) == 0
    assert read == [kept, kept]

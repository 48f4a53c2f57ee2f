"""The folder of a kept record of two ranks as a study: its path, what is read, and what is left."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from phasewise.cli import main


@pytest.fixture
def kept(repository: Path, tmp_path: Path) -> Path:
    """A kept record of two ranks in a ring, in a folder whose name looks like an address."""
    folder = tmp_path / "a b%20c%"
    shutil.copytree(repository / "tests/data/record/ring", folder)
    return folder


def test_any_name_of_a_folder_can_be_predicted(kept: Path) -> None:
    assert main(["predict", str(kept), "--machine", "bassi", "--model", "contention"]) == 0

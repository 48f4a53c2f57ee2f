"""The commands and snippets of the tutorial and of how-to pages run, on a smaller study."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

from phasewise.machines import load_machine

BLOCK = re.compile(r"^```(sh|toml|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SMALLER = {
    "turns = 2048": "turns = 1000",
    "macroparticles = 20_000": "macroparticles = 400",
    "grid = [64, 64]": "grid = [16, 16]",
    "slices = 5": "slices = 1",
    "--ranks 2": "--ranks 1",
    "phasewise report runs/lhc\n": "",  # has tests of its own, and takes its time
    "0:300e-6:5": "0:100e-6:2",
    "--seeds 4": "--seeds 2",
    "seeds=4": "seeds=2",
    "reshape(-1, 4)": "reshape(-1, 2)",
    "300e-6, 61": "300e-6, 3",
}
"""What is replaced in the tutorial; the modes of small angles need 1000 turns."""
OTHER_TOOLS = ("openpmd_viewer", "pmd_beamphysics")

pytest.importorskip("phasewise._core", reason="the core is not built")


def blocks(page: Path) -> list[tuple[str, str]]:
    """The fenced blocks of a page: language and text."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def do(language: str, text: str, names: dict[str, Any], folder: Path) -> None:
    """A block as a reader would do it."""
    if language == "toml":
        (folder / "study.toml").write_text(text, encoding="utf-8")
    elif language == "python":
        exec(text, names)
    else:
        for line in text.splitlines():
            command = shlex.split(line)
            assert command[0] == "phasewise"
            done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


@contextmanager
def closing_pictures() -> Iterator[None]:
    """Close what a reader leaves open, also where a block fails: other tests count the pictures."""
    try:
        yield
    finally:
        plt.close("all")


@pytest.fixture(scope="module")
def tutorial(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder that is left when all blocks of the tutorial have been done in order."""
    folder = tmp_path_factory.mktemp("tutorial")
    text = (repository / "docs/tutorial.md").read_text(encoding="utf-8")
    assert [part for part in SMALLER if part not in text] == []
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch, plt.rc_context(), closing_pictures():
        patch.chdir(folder)
        for language, block in blocks(repository / "docs/tutorial.md"):
            for given, smaller in SMALLER.items():
                block = block.replace(given, smaller)
            do(language, block, names, folder)
    yield folder


def test_the_tutorial_leaves_the_figure_that_it_promises(tutorial: Path) -> None:
    assert (tutorial / "crossing-angle.pdf").read_bytes().startswith(b"%PDF")
    assert (tutorial / "runs/lhc/records.h5").exists()
    assert (tutorial / "scans/angle/table.csv").exists()


def test_the_ways_to_read_records_work(
    repository: Path, tutorial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tutorial)
    names: dict[str, Any] = {}
    for language, text in blocks(repository / "docs/howto/read-records.md"):
        if not text.startswith("openpmd-ls") and not any(tool in text for tool in OTHER_TOOLS):
            do(language, text, names, tutorial)
    assert names["x"].size == names["particles"]["x"].size == 40  # a tenth of 400


def test_the_machine_files_of_the_documentation_are_some(repository: Path, tmp_path: Path) -> None:
    page = repository / "docs/howto/write-machine-file.md"
    file, machines = tmp_path / "machine.toml", []
    for language, text in blocks(page):
        if language == "toml":
            file.write_text(text, encoding="utf-8")
            machines.append(load_machine(str(file)))
    assert [machine.name for machine in machines] == ["cluster", "two-socket"]
    assert [machine.socket_count for machine in machines] == [1, 2]

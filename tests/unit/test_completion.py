"""Completion in a shell."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from phasewise.cli import main
from tests.sentences import command_refused

pytest.importorskip("shtab")


def test_bash_completes_commands_machines_and_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", "bash"])
    assert ended.value.code == 0
    script = tmp_path / "phasewise.bash"
    script.write_text(capsys.readouterr().out)

    def completed(*words: str) -> list[str]:
        line = " ".join(f"'{word}'" for word in words)
        given = f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}"
        asked = f"{given}; _shtab_phasewise; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert set(completed("phasewise", "pla")) == {"plan", "platforms"}
    assert completed("phasewise", "predict", "study.toml", "--machine", "blu") == ["bluegene-l"]
    assert "--html" in completed("phasewise", "tune", "--h")


def test_another_shell_is_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    command_refused(capsys, ["--print-completion", "fish"], "fish", "bash", "zsh")

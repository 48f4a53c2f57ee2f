"""Commands of phasewise that a test runs in its own process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from phasewise.cli import main


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    """The JSON object that a command prints; the command must succeed."""
    capsys.readouterr()
    assert main([*map(str, words), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def refusal(capsys: pytest.CaptureFixture[str], *words: object, status: int = 2) -> str:
    """The one sentence of a command that ends with this status and prints nothing else."""
    capsys.readouterr()
    assert main([*map(str, words)]) == status
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("phasewise: ") and said.err.count("\n") == 1
    return said.err.removeprefix("phasewise: ").rstrip("\n")

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

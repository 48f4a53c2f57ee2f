"""A command of phasewise that runs in a process of its own and prints JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from phasewise.errors import RunError, error_of
from phasewise.mpi.children import child
from phasewise.mpi.launch import without_mpi


def printed(argv: Sequence[str]) -> dict[str, Any]:
    """The JSON object that the command with these arguments prints; they include --json. If the
    command fails, its own sentence is raised as StudyError or RunError.
    """
    command = [sys.executable, "-m", "phasewise", *argv]
    with child(command, without_mpi(os.environ), stdout=subprocess.PIPE) as process:
        text, _ = process.communicate()
    status = process.returncode
    try:
        found: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise RunError(f"a command that this one started ended with status {status}") from error
    if status:
        sentence = str(found.get("error", f"a command ended with status {status}"))
        raise error_of(status, sentence)
    return found

"""What cannot be written: messages are lost and nothing ends, results are asked for and end it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from phasewise.mpi.progress import MARK

TELLS = """
import os
from phasewise.mpi import progress
from phasewise.mpi.progress import Lines, Relay
from phasewise.output import message
progress.LINE_SECONDS = 0
for told in (Lines("turn"), Relay("turn")):
    for turn in range(5):
        told.update(turn, 4, "detail")
    told.close()
message("phasewise: a word")
os.write(1, b"went on")
"""


def ends(script: str, redirection: str) -> subprocess.CompletedProcess[str]:
    words = ["sh", "-c", f'exec "$0" "$@" {redirection}', sys.executable, "-c", script]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-"])
def test_a_progress_line_that_cannot_be_written_ends_nothing(redirection: str) -> None:
    done = ends(TELLS, redirection)
    assert (done.returncode, done.stdout) == (0, "went on")


def test_a_pipe_that_was_closed_ends_nothing() -> None:
    assert MARK in ends(TELLS, "").stderr
    script = f"import os\nread, write = os.pipe()\nos.close(read)\nos.dup2(write, 2)\n{TELLS}"
    done = ends(script, "")
    assert (done.returncode, done.stdout) == (0, "went on")

"""Commands that are killed leave no process and no folder behind, however they are killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from phasewise.mpi.guard import PATIENCE, members
from tests.sentences import says, sentence_of

REMOVED = 4 * PATIENCE
"""Seconds within which everything is gone, on a busy machine too."""

STUBBORN = """
import os, sys, tempfile
from pathlib import Path
from phasewise.mpi.launch import run_to_end
with tempfile.TemporaryDirectory(dir=sys.argv[1]) as folder:
    script = "trap '' TERM; (trap '' TERM; sleep 1000) & echo $$ >session; cat /dev/zero >/dev/null"
    run_to_end(["sh", "-c", f"cd {folder}; {script}"], os.environ, Path(folder))
"""


def wait_until(true: Callable[[], object], seconds: float = REMOVED) -> None:
    last = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < last
        time.sleep(0.05)


@contextmanager
def killed_if_failing(process: subprocess.Popen[str]) -> Iterator[None]:
    """Kill the process if something fails, so that nobody waits for its end."""
    try:
        yield
    except BaseException:
        process.kill()
        raise


def test_a_launcher_that_ignores_every_signal_ends_with_its_parent(tmp_path: Path) -> None:
    words = [sys.executable, "-c", STUBBORN, str(tmp_path)]
    with subprocess.Popen(words) as process:
        wait_until(lambda: [p for p in tmp_path.glob("*/session") if p.read_text().strip()])
        (found,) = tmp_path.glob("*/session")
        session = int(found.read_text())
        wait_until(lambda: len(members(session)) >= 3)
        process.kill()
    wait_until(lambda: not members(session))
    wait_until(lambda: not any(tmp_path.iterdir()))


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_measurement_that_is_ended_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    folder = tmp_path / "with a blank"
    folder.mkdir()
    words = ["machine", "measure", "--ranks", "2", "--output", str(tmp_path / "here.toml")]
    with (
        subprocess.Popen(
            [sys.executable, "-m", "phasewise", *words],
            env=os.environ | {"TMPDIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
        killed_if_failing(process),
    ):
        # The launcher and its ranks.
        wait_until(lambda: any(len(members(pid)) > 2 for pid in children_of(process.pid)))
        assert list(folder.glob("phasewise-probe-*"))
        sessions = [pid for pid in children_of(process.pid) if len(members(pid)) > 1]
        process.send_signal(number)
        _, error = process.communicate(timeout=REMOVED)
    wait_until(lambda: not any(members(session) for session in sessions))
    wait_until(lambda: not list(folder.glob("phasewise-*")))
    if number != signal.SIGKILL:
        assert process.returncode == 1
        says(sentence_of(error), "interrupted")


def children_of(pid: int) -> list[int]:
    listing = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in listing.split()]

"""Programs that start others: whatever ends this process, they end too, and leave no folder behind.

Each gets a session of its own; if one of its processes stays, all processes of the session are
ended.
"""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from phasewise.errors import RunError
from phasewise.mpi import guard

PR_SET_PDEATHSIG = 1
PATIENCE = 6.0
"""Seconds from asking a launcher to end to killing it: mpiexec gives its ranks 5 s."""


def end_with_parent() -> None:
    """Ask the system to end this process, in which a program is about to start, together with its
    parent (Linux).

    mpiexec and smpirun end what they started when they get that signal.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@contextmanager
def child(
    command: Sequence[str],
    environment: Mapping[str, str],
    folders: Sequence[Path] = (),
    stdout: int | IO[Any] = subprocess.DEVNULL,
    stderr: int | IO[Any] = subprocess.DEVNULL,
    cwd: Path | None = None,
    stdin: int | IO[Any] = subprocess.DEVNULL,
) -> Iterator[subprocess.Popen[bytes]]:
    """A launcher at work. If the block is left by an error, the launcher and all that it started
    are ended.

    folders: temporary folders, which are removed if this process is killed. RunError if the
    launcher cannot be started.
    """
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            cwd=cwd,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )
    except OSError as error:
        raise RunError(f"{command[0]} cannot be started: {error.strerror}") from error
    try:
        with _guarded(process.pid, folders):
            yield process
    except BaseException:
        process.terminate()
        guard.end_session(process.pid, PATIENCE)
        raise
    finally:
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


@contextmanager
def _guarded(session: int, folders: Sequence[Path]) -> Iterator[None]:
    """Meanwhile, a process of its own guards the session (`guard`)."""
    words = [sys.executable, "-I", "-S", guard.__file__, str(session), *map(str, folders)]
    watching = subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        watching.kill()
        watching.wait()
        assert watching.stdin is not None
        watching.stdin.close()

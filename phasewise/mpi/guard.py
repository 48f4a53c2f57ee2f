"""Outlives the process that started it, to end what that one can no longer end itself.

Run as a program of its own, `guard.py SESSION FOLDER…`, with a pipe as standard input that closes
when its parent ends, however that happens. A launcher that ignores the signal which it gets then
would go on for ever, and with it the ranks, which it puts into its own session.
"""

import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

PATIENCE = 10.0
"""Seconds that a launcher has to end its ranks when its parent is gone."""
PAUSE = 0.05


def members(session: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The name, in brackets, may hold anything; state, parent, group, session follow.
                words = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue  # it has ended meanwhile
            if int(words[3]) == session and words[0] not in "ZX":
                found.append(int(entry.name))
    return found


def end_session(session: int, patience: float) -> None:
    """Wait until no process of a session is left, and kill those that are after `patience` s."""
    last = time.monotonic() + patience
    while alive := members(session):
        if time.monotonic() >= last:
            for process in alive:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        time.sleep(PAUSE)


def main() -> None:
    """Wait for the parent's end, then for that of the session; remove the folders."""
    session, *folders = sys.argv[1:]
    sys.stdin.buffer.read()
    end_session(int(session), PATIENCE)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

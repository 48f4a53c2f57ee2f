"""A program that outlives the process that started it, and ends what that process can no longer
end.

It runs as `guard.py SESSION FOLDER…`, with a pipe as standard input that closes when its parent
ends, however that happens. It is needed for a launcher that ignores the signal which it gets then:
the launcher and the ranks, which it puts into its own session, would go on for ever.
"""

import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

PATIENCE = 10.0
"""Seconds that a launcher has to end its ranks after its parent has ended."""
PAUSE = 0.05


def members(session: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The name, in brackets, may contain anything; state, parent, group and session
                # follow it.
                words = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue  # it has ended meanwhile
            if int(words[3]) == session and words[0] not in "ZX":
                found.append(int(entry.name))
    return found


def end_session(session: int, patience: float) -> None:
    """Wait until no process of a session is left; after `patience` s, kill those that are."""
    last = time.monotonic() + patience
    while alive := members(session):
        if time.monotonic() >= last:
            for process in alive:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        time.sleep(PAUSE)


def main() -> None:
    """Wait for the end of the parent, then for that of the session, and remove the folders."""
    session, *folders = sys.argv[1:]
    sys.stdin.buffer.read()
    end_session(int(session), PATIENCE)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

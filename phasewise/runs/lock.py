"""A lock on a file in a folder, which ends with the process that holds it."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path


class Lock:
    """The lock file at `path`; one process at a time holds it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def take(self, patience: float = 0.0) -> bool:
        """Take the lock; returns whether this process holds it now, or False if another one still
        holds it after `patience` seconds. OSError if the file cannot be made.

        A missing folder is made. A lock counts only while its file is in the folder: one that
        somebody has removed or moved meanwhile keeps nobody out.
        """
        last = time.monotonic() + patience
        while True:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_CREAT | os.O_RDWR, 0o644)
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _still_at(self._descriptor, self.path):
                    return True
            except BlockingIOError:
                if time.monotonic() >= last:
                    break
                time.sleep(0.05)
            self.release()
        self.release()
        return False

    def release(self) -> None:
        """Release the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _still_at(descriptor: int, path: Path) -> bool:
    """Whether `path` leads to the open file."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False

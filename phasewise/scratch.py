"""Temporary folders of which nothing is left: where this process is killed, the next one that makes
such a folder removes them.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
import weakref
from contextlib import AbstractContextManager, suppress
from functools import cache
from pathlib import Path


@cache
def place() -> str:
    """This machine and, in it, the space in which numbers of processes are unique."""
    space = Path("/proc/self/ns/pid").stat().st_ino
    return f"{os.uname().nodename}.{space}"


class TemporaryFolder(AbstractContextManager[str]):
    """A folder that is removed when a `with` ends, or when nobody holds the object any more."""

    def __init__(self, prefix: str, parent: Path) -> None:
        self.name = tempfile.mkdtemp(prefix=prefix, dir=parent)
        self._end = weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """Remove the folder now."""
        self._end()


def temporary_folder(kind: str = "", where: str | Path | None = None) -> TemporaryFolder:
    """A folder in `where`, by default among the temporary ones; its name says whose it is.

    Those of processes of this user that have ended are removed before. OSError if there can be
    none.
    """
    parent = Path(where or tempfile.gettempdir())
    remove_orphans(parent)
    prefix = f"phasewise-{kind}{'-' * bool(kind)}{place()}-{os.getpid()}-"
    return TemporaryFolder(prefix, parent)


def remove_orphans(parent: Path) -> None:
    """Remove the folders in `parent` that processes of this user made here and left."""
    named = re.compile(rf"phasewise-(?:\w+-)?{re.escape(place())}-(\d+)-\w+")
    with suppress(OSError):
        for folder in parent.iterdir():
            found = named.fullmatch(folder.name)
            if found and not alive(int(found[1])) and folder.stat().st_uid == os.geteuid():
                shutil.rmtree(folder, ignore_errors=True)


def alive(process: int) -> bool:
    """Whether there is a process of this number."""
    return Path(f"/proc/{process}").exists()


@cache
def folder_of_process(where: str | None = None) -> Path:
    """One folder in `where` for this process, removed at its end; OSError if there can be none."""
    made = temporary_folder(where=where)
    atexit.register(made.cleanup)
    return Path(made.name)

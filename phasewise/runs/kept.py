"""A cache of results, one JSON file for each, which several processes may write."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def cache_folder(environment: Mapping[str, str]) -> Path:
    """The folder of phasewise in the user's cache."""
    base = Path(environment.get("XDG_CACHE_HOME", ""))
    # The XDG specification demands that relative paths are ignored.
    base = base if base.is_absolute() else Path(environment.get("HOME", "/")) / ".cache"
    return base / "phasewise"


def read_kept(path: Path) -> Any:
    """The content of `path`; OSError or ValueError if it cannot be read."""
    return json.loads(path.read_text(encoding="utf-8"))


def keep(path: Path, content: Any) -> None:
    """Write `content` to `path`, whole or not at all; OSError if the disk refuses."""
    keep_text(path, json.dumps(content, ensure_ascii=False) + "\n")


def keep_text(path: Path, text: str) -> None:
    """Write a text to `path`, whole or not at all, whoever else writes it at the same time; OSError
    if the disk refuses.
    """
    with keeping(path) as beside:
        beside.write_text(text, encoding="utf-8")


@contextmanager
def keeping(path: Path) -> Iterator[Path]:
    """A file of this process beside `path`, with its ending, which takes the place of `path` at the
    end; nothing is left of it after an error. OSError if the disk refuses.
    """
    mine = path.with_name(f"{path.stem}.{socket.gethostname()}.{os.getpid()}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield mine
        with mine.open("rb") as file:
            os.fsync(file.fileno())
        mine.replace(path)
    finally:
        mine.unlink(missing_ok=True)

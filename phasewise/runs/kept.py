"""A cache of results, one JSON file for each, which several processes may write."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from phasewise.runs.disk import replace_text


def read_kept(path: Path) -> Any:
    """The content of `path`; OSError or ValueError if it cannot be read."""
    return json.loads(path.read_text(encoding="utf-8"))


def keep(path: Path, content: Any) -> None:
    """Write `content` to `path`, whole or not at all; OSError if the disk refuses."""
    # Another process may be writing the same entry, so each writes its own file beside it.
    mine = path.with_name(f"{path.stem}.{socket.gethostname()}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(mine, json.dumps(content, ensure_ascii=False) + "\n")
        mine.replace(path)
    except OSError:
        with suppress(OSError):
            mine.with_name(f"{mine.name}.partial").unlink(missing_ok=True)
        raise

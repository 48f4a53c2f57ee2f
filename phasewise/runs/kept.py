"""Results that are kept between runs, a JSON file for each, which several processes may write."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from phasewise.runs.disk import replace_text


def read_kept(path: Path) -> Any:
    """What is kept at `path`; OSError or ValueError if nothing can be read."""
    return json.loads(path.read_text(encoding="utf-8"))


def keep(path: Path, content: Any) -> None:
    """Keep `content` at `path`, whole or not at all; OSError if the disk refuses."""
    # Another process may be writing the same entry: each has a file of its own beside it.
    mine = path.with_name(f"{path.stem}.{socket.gethostname()}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(mine, json.dumps(content, ensure_ascii=False) + "\n")
        mine.replace(path)
    except OSError:
        with suppress(OSError):
            mine.with_name(f"{mine.name}.partial").unlink(missing_ok=True)
        raise

"""What a call of `phasewise` printed and wrote, as flat facts: a key and a value that fits JSON.

Everything that a clock of this computer measured is left out; simulated times stay, since they are
the same each time.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

Facts = dict[str, Any]

SUMMARY_TIMES = frozenset({"seconds_per_turn", "communication"})
"""Keys of `run --json` to leave out: `communication` has times, and counts that ranks have too."""
RECORD_TIMES = frozenset({"seconds", "computing", "communicating", "waiting", "clock_offset"})
"""Keys of a run's communication.json to leave out."""
PERFORMANCE_TIMES = frozenset({"seconds", "seconds_per_turn"})
"""Keys of performance.json to leave out."""
WHOLE = frozenset({"sent_to"})
"""Tables that count as one value, so that an added entry is a change."""


def flat(value: Any, without: frozenset[str] = frozenset(), prefix: str = "") -> Facts:
    """The leaves of nested tables and lists of tables under dotted keys; other lists are leaves.

    Tables in a list are told apart by their `name`, and otherwise by their place.
    """
    facts: Facts = {}
    for key, entry in _entries(value):
        if key in without:
            continue
        whole = key in WHOLE or not _is_nested(entry)
        facts |= {prefix + key: entry} if whole else flat(entry, without, f"{prefix}{key}.")
    return facts


def _is_nested(value: Any) -> bool:
    if isinstance(value, list):
        return any(isinstance(entry, dict) for entry in value)
    return isinstance(value, dict) and bool(value)


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
        return
    seen: Counter[str] = Counter()
    for place, entry in enumerate(value):
        name = str(entry.get("name", place)) if isinstance(entry, dict) else str(place)
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name}#{seen[name]}"), entry


def said(command: str, text: str) -> Facts:
    """What a call printed with --json."""
    without = SUMMARY_TIMES if command == "run" else frozenset[str]()
    return flat(json.loads(text), without, "said.")


def written(command: str, folder: Path, counts: bool) -> Facts:
    """What a run, real or simulated, left in its folder.

    counts: whether to include what the ranks recorded of their messages.
    """
    facts: Facts = {}
    for path in sorted(folder.rglob("*.h5")):
        facts |= _datasets(path, f"{path.relative_to(folder)}:")
    simulated = command == "simulate"
    if counts and (path := folder / "communication.json").is_file():
        without = frozenset[str]() if simulated else RECORD_TIMES
        facts |= flat(json.loads(path.read_text()), without, "communication.")
    if counts and (path := folder / "performance.json").is_file():
        facts |= flat(json.loads(path.read_text()), PERFORMANCE_TIMES, "performance.")
    if simulated and (path := folder / "events.bin").is_file():
        facts["events.bin"] = hashlib.sha256(path.read_bytes()).hexdigest()
    return facts


def _datasets(path: Path, prefix: str) -> Facts:
    """Type, shape and SHA-256 of each dataset, without attributes, which contain times.

    Texts are left out too: a checkpoint's study, which `check` reports key by key.
    """
    facts: Facts = {}

    def visit(name: str, entry: Any) -> None:
        if isinstance(entry, h5py.Dataset) and entry.dtype.kind in "fiu":
            digest = hashlib.sha256(np.ascontiguousarray(entry[()]).tobytes()).hexdigest()
            facts[prefix + name] = f"{entry.dtype.str} {list(entry.shape)} {digest}"

    with h5py.File(path, "r", locking=False) as file:
        file.visititems(visit)
    return facts

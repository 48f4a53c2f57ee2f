"""A cache of the choices that earlier runs with `tune = "auto"` made.

There is one JSON file for each key, in the folder ``tuning`` of ``$PHASEWISE_CACHE``, or else of
``$XDG_CACHE_HOME/phasewise``, or else of ``~/.cache/phasewise``. The key consists of the machine,
the shape of the study, ranks and threads. The file also names the build that wrote it; other builds
ignore it. No error of the cache stops a run.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from phasewise.driver import Core
from phasewise.output import message
from phasewise.runs.disk import disk_reason
from phasewise.runs.kept import cache_folder, keep, read_kept
from phasewise.version import __version__

VERSION = 1


def folder(environment: Mapping[str, str] | None = None) -> Path:
    """The folder in which choices are kept."""
    environment = os.environ if environment is None else environment
    if own := environment.get("PHASEWISE_CACHE"):
        try:
            return Path(own).expanduser() / "tuning"
        except RuntimeError:
            message(
                f"warning: PHASEWISE_CACHE is {own}, and there is no such home; choices of "
                'tune = "auto" are kept as if it were not set'
            )
    return cache_folder(environment) / "tuning"


def host_facts() -> dict[str, Any]:
    """This rank's node: name, usable cores, processor."""
    return {
        "host": socket.gethostname(),
        "cores": len(os.sched_getaffinity(0)),
        "processor": _processor(),
    }


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else ""


def machine_key(facts: Iterable[Mapping[str, Any]], core: Core) -> dict[str, Any]:
    """The part of the key that identifies the machine, from the facts of all ranks.

    Digits in node names are left out: the nodes of a cluster differ by them, and each job gets
    other nodes.
    """
    facts = list(facts)
    names = {re.sub(r"\d+", "#", str(fact["host"]).partition(".")[0]) for fact in facts}
    return {
        "hosts": sorted(names),
        "ranks_of_nodes": sorted(Counter(str(fact["host"]) for fact in facts).values()),
        "cores": sorted({int(fact["cores"]) for fact in facts}),
        "processors": sorted({str(fact["processor"]) for fact in facts}),
        "mpi": core.mpi_version().partition(",")[0].strip(),
    }


def digest(key: Any) -> str:
    """The hash that names the file of a key."""
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:20]


def build_of(core: Core) -> str:
    """Version of phasewise, and a digest of the compiled module."""
    content = b""
    with suppress(OSError):
        content = Path(str(getattr(core, "__file__", ""))).read_bytes()
    return f"{__version__} {hashlib.sha256(content).hexdigest()[:16]}"


def load(path: Path, key: Any, build: str) -> dict[str, Any] | None:
    """The choice that `path` holds for `key`. None if there is none; a message says so if the file
    holds something else.
    """
    try:
        kept = read_kept(path)
        if kept["choice"] is None:
            return None  # a run that made no choice
        named, made_by, choice = kept["key"], kept["build"], kept["choice"]
        if kept["version"] != VERSION or not isinstance(choice, dict) or not well_formed(kept):
            raise ValueError("it is of another form")
    except FileNotFoundError:
        return None
    except OSError as error:
        message(f'tune = "auto": {path} cannot be read ({disk_reason(error)}); it is tried anew')
        return None
    except (ValueError, LookupError, TypeError, RecursionError):
        message(f'tune = "auto": {path} is damaged and is not used')
        return None
    if named != json.loads(json.dumps(key)):
        return None
    if made_by != build:
        message(f'tune = "auto": {path} was written by another build ({made_by}); it is tried anew')
        return None
    return dict(kept)


def well_formed(report: Any) -> bool:
    """Whether a report, and each of its candidates, has the keys that are read."""
    if not isinstance(report, dict) or not {"choice", "from_cache"} <= report.keys():
        return False
    entries = report.get("candidates")
    if not isinstance(entries, list) or not _kinds(report, {"note": (str,)}):
        return False
    return not entries or (
        _kinds(report, {"changes": (dict, None), "given_seconds": (float, None)})
        and all(isinstance(entry, dict) and _kinds(entry, CANDIDATE) for entry in entries)
    )


CANDIDATE: dict[str, tuple[type | None, ...]] = {
    "changes": (dict,),
    "turns": (int,),
    "seconds": (float, None),
    "note": (str,),
}
"""Kinds of a candidate's values, None if null is accepted."""


def _kinds(table: Mapping[str, Any], kinds: Mapping[str, tuple[type | None, ...]]) -> bool:
    return all(
        key in table and (type(table[key]) if table[key] is not None else None) in accepted
        for key, accepted in kinds.items()
    )


def store(path: Path, kept: Mapping[str, Any]) -> None:
    """Write a choice to `path`, whole or not at all; a message says if that fails."""
    try:
        keep(path, kept)
    except OSError as error:
        message(
            f'warning: the choice of tune = "auto" cannot be kept in {path.parent} '
            f"({disk_reason(error)}); the next run tries anew"
        )

"""A study from a TOML file and from ``key=value`` overrides."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.study.study import Study
from phasewise.tables.files import parse, read_text
from phasewise.tables.keys import show
from phasewise.tables.merging import put
from phasewise.workloads.discovery import workload_of


def load(
    path: str | Path, overrides: list[str] | tuple[str, ...] = (), count: int | None = None
) -> Study:
    """The study in the TOML file ``path``, after ``overrides`` such as ``"ip.1.slices=4"``.

    count: how many turns, or whatever the workload counts, unless an override gives the number; by
    default the file's number.

    Raises StudyError, one sentence, if the file, a key or a value cannot be used. Paths in the
    study are relative to the file's folder.
    """
    source = Path(path)
    tables = parse(read_text(source, pipe=True), str(source))
    try:
        if count is not None:
            tables[workload_of(tables).unit.many] = count
    except StudyError as error:
        raise StudyError(f"{source}: {error}") from None
    for override in overrides:
        apply_override(tables, override)
    try:
        return Study.from_dict(tables, source.parent)
    except StudyError as error:
        raise StudyError(f"{source}: {error}") from None


def apply_override(tables: dict[str, Any], override: str) -> None:
    """Set one dotted key of ``tables`` in place: ``ip.1.slices=4``; the value is TOML, or else a
    bare word.
    """
    name, equals, text = override.partition("=")
    keys = [part.strip() for part in name.split(".")]
    if not equals or not all(keys) or not text.strip():
        raise StudyError(f"--set {override}: give a key and a value, such as ip.1.slices=4")
    value = _override_value(text.strip(), override)
    try:
        put(tables, name, value)
    except StudyError as error:
        raise StudyError(f"--set {override}: {error}") from None


def _override_value(text: str, override: str) -> Any:
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        if text[0].isalnum() and not any(c in text for c in "\"'=[]{}#\n"):
            return text
        raise StudyError(f"--set {override}: {show(text)} is not a TOML value") from None
    if set(table) != {"value"}:
        raise StudyError(f"--set {override}: give one value")
    return table["value"]

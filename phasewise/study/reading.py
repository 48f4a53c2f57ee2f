"""A study from a TOML file and from ``key=value`` overrides."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.study.study import Study
from phasewise.tables.files import parse, read_text
from phasewise.tables.keys import Schema, check_table, show
from phasewise.tables.merging import put
from phasewise.workload.discovery import study_of_folder, workload_of


def load(
    path: str | Path, overrides: list[str] | tuple[str, ...] = (), count: int | None = None
) -> Study:
    """The study in the TOML file ``path``, after ``overrides`` such as ``"ip.1.slices=4"``.

    Args:
        path: The study's file, or the folder of a recorded program, which is replayed. Paths in the
            study are relative to its folder.
        overrides: ``KEY=VALUE`` as for ``--set``: a dotted key and a TOML value or a bare word.
        count: How many turns, or whatever the workload counts, unless an override gives the number;
            by default the file's number.

    Raises:
        StudyError: The file, a key or a value cannot be used; one sentence says which and why.
    """
    source = Path(path)
    of_folder = _recorded_in(source) if source.is_dir() else None
    tables = of_folder or parse(read_text(source, pipe=True), str(source))
    place = source if of_folder else source.parent
    try:
        if count is not None:
            tables[workload_of(tables).unit.many] = count
    except StudyError as error:
        raise StudyError(f"{source}: {error}") from None
    for override in overrides:
        apply_override(tables, override)
    try:
        return Study.from_dict(tables, place)
    except StudyError as error:
        raise StudyError(f"{source}: {error}") from None


def _recorded_in(folder: Path) -> dict[str, Any]:
    """The tables that replay the record in a folder; StudyError if it holds none."""
    tables = study_of_folder(folder)
    if tables is not None:
        return tables
    own = folder / "study.toml"
    hint = f"; the study of this run is {own}" if own.is_file() else ""
    raise StudyError(
        f"{folder} is a folder without a record: give the file of a study, or a folder that "
        f"phasewise record has written{hint}"
    )


def apply_override(tables: dict[str, Any], override: str) -> None:
    """Set one dotted key of ``tables`` in place: ``ip.1.slices=4``, or one entry of a list, counted
    from 0: ``arc.tune.0=0.31``; the value is TOML, or else a bare word.
    """
    name, equals, text = override.partition("=")
    where = f"--set {override}"
    if not equals or not all(part.strip() for part in name.split(".")) or not text.strip():
        raise StudyError(f"{where}: give a key and a value, such as ip.1.slices=4")
    put(tables, name, override_value(text.strip(), where), where)


def overridden(
    overrides: Sequence[str], schemas: Mapping[str, Schema]
) -> dict[str, dict[str, Any]]:
    """The tables that overrides make without a file: one for each schema, with its values checked,
    and any other key as it is given. StudyError, one sentence, if an entry is no table or a value
    is bad.
    """
    given: dict[str, Any] = {name: {} for name in schemas}
    for override in overrides:
        apply_override(given, override)
    return given | {
        name: check_table(given[name], schema, name) for name, schema in schemas.items()
    }


def override_value(text: str, where: str) -> Any:
    """The value that ``text`` means: TOML, or else a bare word; StudyError if it is neither."""
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        if text[:1].isalnum() and not any(c in text for c in "\"'=[]{}#\n"):
            return text
        raise StudyError(f"{where}: {show(text)} is not a TOML value") from None
    if set(table) != {"value"}:
        raise StudyError(f"{where}: give one value")
    return table["value"]

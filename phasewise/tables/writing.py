"""TOML text from tables, for studies that a person goes on editing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def document(tables: Mapping[str, Any]) -> str:
    """Keys of the top level, then one ``[name]`` section for each entry that is itself a table."""
    lines = [f"{key} = {value(v)}" for key, v in tables.items() if not isinstance(v, Mapping)]
    for name, table in tables.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{name}]", *(f"{key} = {value(v)}" for key, v in table.items())]
    return "\n".join(lines) + "\n"


def sections(tables: Mapping[str, Any], name: str = "") -> str:
    """`tables` as TOML: the values of each table under its header, then the tables in it."""
    return "\n".join(_lines(tables, name)).lstrip("\n") + "\n"


def _lines(table: Mapping[str, Any], name: str) -> Iterator[str]:
    values = {key: entry for key, entry in table.items() if not isinstance(entry, Mapping)}
    if name and values:
        yield f"\n[{name}]"
    for key, entry in values.items():
        yield f"{key} = {_text(entry)}"
    for key, entry in table.items():
        if isinstance(entry, Mapping):
            yield from _lines(entry, f"{name}.{key}" if name else key)


def _text(entry: Any) -> str:
    # JSON's texts are TOML's too, also those that are not ASCII.
    return json.dumps(entry, ensure_ascii=False) if isinstance(entry, str) else value(entry)


def value(entry: Any) -> str:
    """One TOML value; text must be printable ASCII."""
    if isinstance(entry, bool):
        return "true" if entry else "false"
    if isinstance(entry, str):
        escaped = entry.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(entry, list | tuple):
        return "[" + ", ".join(value(v) for v in entry) + "]"
    if isinstance(entry, float):
        short = f"{entry:.6g}"
        return short if float(short) == entry else repr(entry)
    return repr(entry)

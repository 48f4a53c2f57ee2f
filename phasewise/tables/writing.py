"""TOML text from tables, for studies that a person goes on editing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def document(tables: Mapping[str, Any]) -> str:
    """Keys of the top level, then one ``[name]`` section for each entry that is itself a table."""
    lines = [f"{key} = {value(v)}" for key, v in tables.items() if not isinstance(v, Mapping)]
    for name, table in tables.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{name}]", *(f"{key} = {value(v)}" for key, v in table.items())]
    return "\n".join(lines) + "\n"


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

"""TOML text from tables, for studies that a person goes on editing or that ranks read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def document(tables: Mapping[str, Any]) -> str:
    """Keys of the top level, then one ``[name]`` section for each entry that is itself a table, and
    ``[name.own]`` for tables in it. A key whose value is None is left out.
    """
    return "\n".join(_lines(tables, "")) + "\n"


def _lines(tables: Mapping[str, Any], path: str) -> list[str]:
    plain = {key: v for key, v in tables.items() if not isinstance(v, Mapping)}
    lines = [f"{key} = {value(v)}" for key, v in plain.items() if v is not None]
    for name, table in tables.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{path}{name}]", *_lines(table, f"{path}{name}.")]
    return lines


def value(entry: Any) -> str:
    """One TOML value."""
    if isinstance(entry, bool):
        return "true" if entry else "false"
    if isinstance(entry, str):
        return json.dumps(entry, ensure_ascii=False)  # TOML reads JSON's texts
    if isinstance(entry, list | tuple):
        return "[" + ", ".join(value(v) for v in entry) + "]"
    if isinstance(entry, float):
        short = f"{entry:.6g}"
        return short if float(short) == entry else repr(entry)
    return repr(entry)

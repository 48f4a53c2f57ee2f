"""TOML text from tables, for studies that a person goes on editing or that ranks read. Tables in a
list are written in the list's line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def document(tables: Mapping[str, Any]) -> str:
    """`tables` as TOML: the values of each table under its header, then the tables in it. A key
    whose value is None is left out.
    """
    return "\n".join(_lines(tables, "")).lstrip("\n") + "\n"


def _lines(table: Mapping[str, Any], name: str) -> Iterator[str]:
    values = {key: entry for key, entry in table.items() if not isinstance(entry, Mapping)}
    if name and (values or not table):
        yield f"\n[{name}]"
    for key, entry in values.items():
        if entry is not None:
            yield f"{key} = {value(entry)}"
    for key, entry in table.items():
        if isinstance(entry, Mapping):
            yield from _lines(entry, f"{name}.{key}" if name else str(key))


def value(entry: Any) -> str:
    """One TOML value."""
    if isinstance(entry, bool):
        return "true" if entry else "false"
    if isinstance(entry, str):
        return json.dumps(entry, ensure_ascii=False)  # TOML reads JSON's texts
    if isinstance(entry, Mapping):
        return "{" + ", ".join(f"{key} = {value(one)}" for key, one in entry.items()) + "}"
    if isinstance(entry, list | tuple):
        return "[" + ", ".join(value(v) for v in entry) + "]"
    if isinstance(entry, float):
        short = f"{entry:.6g}"
        return short if float(short) == entry else repr(entry)
    return repr(entry)

"""Merges one table over another, as ``like`` and the per-beam overrides do; sets single keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.keys import nearest, show


def merge(
    base: Mapping[str, Any], own: Mapping[str, Any], alternatives: Iterable[tuple[str, ...]] = ()
) -> dict[str, Any]:
    """``base`` with the keys of ``own`` over it. If ``own`` has a key of a group of alternatives,
    all keys of that group in ``base`` are dropped.
    """
    dropped = {name for group in alternatives if any(n in own for n in group) for name in group}
    kept = {name: value for name, value in base.items() if name not in dropped}
    for name, value in own.items():
        below = kept.get(name)
        both = isinstance(value, Mapping) and isinstance(below, Mapping)
        kept[name] = {**below, **value} if both and below is not None else value
    return kept


def put(tables: MutableMapping[Any, Any], name: str, value: Any) -> None:
    """Set one dotted key of ``tables`` in place, such as ``ip.1.slices``; tables on the way that
    are missing are made. StudyError where the way leads through a value.
    """
    keys = [part.strip() for part in name.split(".")]
    table = tables
    for depth, part in enumerate(keys[:-1], 1):
        table = table.setdefault(_own_key(table, part), {})
        if not isinstance(table, MutableMapping):
            raise StudyError(f"{'.'.join(keys[:depth])} is {show(table)}, not a table")
    table[_own_key(table, keys[-1])] = value


def _own_key(table: Mapping[Any, Any], part: str) -> Any:
    """The key of a table that is written like this: tables made in Python may number with 1."""
    return next((key for key in table if str(key) == part), part)


def numbered(table: Mapping[Any, Any], where: str, most: int) -> dict[int, Any]:
    """The entries ``1``, ``2``, … of a table, in order; StudyError for another name or a gap."""
    named = {str(name): entry for name, entry in table.items()}
    accepted = [str(k) for k in range(1, most + 1)]
    for name in named:
        if name not in accepted:
            raise StudyError(f"{where}: unknown key {show(name)}{nearest(name, accepted[:2])}")
    for k in range(1, len(named) + 1):
        if str(k) not in named:
            raise StudyError(f"[{where}.{k}] is missing: number them 1, 2, … without a gap")
    return {k: named[str(k)] for k in range(1, len(named) + 1)}

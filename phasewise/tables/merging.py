"""Merges one table over another, as ``like`` and the per-beam overrides do; sets single keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.keys import nearest, show


def merge(
    base: Mapping[str, Any], own: Mapping[str, Any], alternatives: Iterable[tuple[str, ...]] = ()
) -> dict[str, Any]:
    """``base`` with the keys of ``own`` added or replaced. If ``own`` has a key of a group of
    alternatives, all keys of that group in ``base`` are dropped.
    """
    dropped = {name for group in alternatives if any(n in own for n in group) for name in group}
    kept = {name: value for name, value in base.items() if name not in dropped}
    for name, value in own.items():
        below = kept.get(name)
        both = isinstance(value, Mapping) and isinstance(below, Mapping)
        kept[name] = {**below, **value} if both and below is not None else value
    return kept


def put(tables: Any, name: str, value: Any, where: str = "") -> None:
    """Set the entry of ``tables`` with a dotted name, such as ``ip.1.slices`` or ``arc.tune.0``, in
    place; tables on the way that are missing are made, entries of lists are counted from 0.

    where: begins the sentence of the StudyError if there is no such place.
    """
    start = f"{where}: " if where else ""
    parts = [part.strip() for part in name.split(".")]
    holder = tables
    for depth, part in enumerate(parts):
        place = _place(holder, part, ".".join(parts[:depth]), start)
        if depth == len(parts) - 1:
            holder[place] = value
        else:
            holder = holder[place] if isinstance(holder, list) else holder.setdefault(place, {})


def _place(holder: Any, part: str, name: str, start: str) -> Any:
    """The key or index that ``part`` means in a table or list called ``name``."""
    if isinstance(holder, Mapping):
        return _own_key(holder, part)
    if not isinstance(holder, list):
        raise StudyError(f"{start}{name} is {show(holder)}, not a table")
    if not (part.isascii() and part.isdigit() and int(part) < len(holder)):
        raise StudyError(f"{start}{name} has entries 0 to {len(holder) - 1}, and no {show(part)}")
    return int(part)


def _own_key(table: Mapping[Any, Any], part: str) -> Any:
    """The key of a table that ``part`` stands for: tables made in Python may have 1 as a key for
    "1".
    """
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

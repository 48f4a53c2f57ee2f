"""Keys declared as the fields of a dataclass, so that everything about a key stands in one place.

A field that is a key says `name: type = key(...)`. A key that is only an alternative way to give a
field's value is a class variable: `name: ClassVar[Key] = Key(...)`. The dataclass is then the
table's schema, the type of its values, and the source of the flat parameters that follow from them.
A trailing underscore, which avoids clashes with Python keywords and methods, is not part of the
key.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from phasewise.errors import StudyError
from phasewise.tables.keys import Key, Schema, check_table, shortest, with_defaults

T = TypeVar("T")


def key(kind: str, default: Any = None, **known: Any) -> Any:
    """A field that is a key; the other arguments are those of `Key`."""
    return declared(Key(kind, default, **known))


def declared(found: Key) -> Any:
    """A field for a key that is declared elsewhere."""
    return dataclasses.field(metadata={"key": found})


def schema_of(table: type) -> dict[str, Key]:
    """Every key of a table, in the order of its declaration."""
    fields = {field.name: field for field in dataclasses.fields(table)}
    schema: dict[str, Key] = {}
    for kind in reversed(table.__mro__):
        for name in inspect.get_annotations(kind):
            found = fields[name].metadata.get("key") if name in fields else getattr(table, name)
            if isinstance(found, Key):
                schema[name.rstrip("_")] = found
    return schema


def read_table(kind: type[T], table: object, where: str) -> T:
    """The table `where` as a `kind`, with every default filled in; StudyError where a key cannot be
    used, or a needed one is not given.
    """
    schema = schema_of(kind)
    values = with_defaults(check_table(table, schema, where), schema)
    check_needed(values, schema, where)
    return kind(**values)


def check_needed(
    values: Mapping[str, Any], schema: Schema, where: str, names: Iterable[str] | None = None
) -> None:
    """StudyError if needed keys of a table are not given: what the first one is, and which others
    are missing too.

    names: the needed keys, where other keys decide which they are; by default all whose `needed`
    says what they are.
    """
    missing = [
        name
        for name in (schema if names is None else names)
        if schema[name].needed and values.get(name) is None
    ]
    if not missing:
        return

    def shown(name: str) -> str:
        place = f"{where}.{name}" if where else name
        return f"[{place}]" if schema[name].kind == "table" else place

    first, *others = missing
    verb = "is" if len(others) == 1 else "are"
    too = f"; so {verb} {', '.join(map(shown, others))}" if others else ""
    raise StudyError(f"{shown(first)} is missing: it is {schema[first].needed}{too}")


def values_of(table: Any) -> dict[str, Any]:
    """The keys of a table that are fields, with their values; keys whose value is None are left
    out.
    """
    values = ((field, getattr(table, field.name)) for field in dataclasses.fields(table))
    return {
        field.name.rstrip("_"): _as_toml(value, field.metadata["key"])
        for field, value in values
        if "key" in field.metadata and value is not None
    }


def _as_toml(value: Any, found: Key) -> Any:
    if isinstance(value, Path):
        return str(value)
    written = shortest(value) if found.shared else value
    return nested(written, found.shape)


def nested(value: Any, shape: tuple[int, ...]) -> Any:
    """A flat tuple as lists of this shape, last index fastest; other values as they are."""
    if not isinstance(value, tuple):
        return value
    if len(shape) < 2:
        return list(value)
    step = len(value) // shape[0]
    return [nested(value[i : i + step], shape[1:]) for i in range(0, len(value), step)]


def flat_of(table: Any) -> Iterator[tuple[str, Any]]:
    """The flat parameters that a table's keys become, with their values."""
    for field in dataclasses.fields(table):
        found = field.metadata.get("key")
        if found is not None and found.flat:
            value = getattr(table, field.name)
            value = shortest(value) if found.shared else value
            name = found.flat if isinstance(found.flat, str) else field.name.rstrip("_")
            yield name, value if found.as_flat is None else found.as_flat(value)

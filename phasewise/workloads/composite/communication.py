"""The table [communication] of several workloads: a table for each, beside what all share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from phasewise.tables.declared import declared, schema_of
from phasewise.tables.keys import Key, Schema, check_table, with_defaults
from phasewise.workload.communication import MACHINE, NODE_SIZE, TUNE, Communication, machine_in
from phasewise.workload.interface import Workload

WHERE = "communication"


@dataclass(frozen=True, kw_only=True)
class CompositeCommunication(Communication):
    """What all parts share, and the communication of each."""

    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)
    parts: Mapping[str, Communication]
    host: str
    """The part whose process grid and layout divide the ranks."""

    def resolved(self) -> dict[str, Any]:
        """The table as a TOML file has it, with every default written out."""
        own = {name: part.resolved() for name, part in self.parts.items()}
        return super().resolved() | {
            name: {key: value for key, value in table.items() if key not in SHARED}
            for name, table in own.items()
        }

    def flat(self) -> Iterator[tuple[str, Any]]:
        """Keys and values; those of a part begin with its name."""
        yield from super().flat()
        for name, part in self.parts.items():
            for key, value in part.flat():
                if key not in SHARED:
                    yield f"{name}.{key}", value

    def parameters(self) -> Iterator[tuple[str, Any]]:
        """The flat parameters: names and values."""
        for key, value in super().flat():
            yield f"{WHERE}.{key}", value
        for name, part in self.parts.items():
            for key, value in part.flat():
                if key not in SHARED:
                    yield f"{name}.{WHERE}.{key}", value

    def algorithms(self) -> dict[str, Any]:
        """Those of all parts; each begins with the name of its part."""
        return self._joined(lambda part: part.algorithms())

    def tunable(self) -> dict[str, Any]:
        """Those of all parts; each begins with the name of its part."""
        return self._joined(lambda part: part.tunable())

    def _joined(self, of: Callable[[Communication], dict[str, Any]]) -> dict[str, Any]:
        return {
            f"{name}.{key}": value
            for name, part in self.parts.items()
            for key, value in of(part).items()
        }

    @classmethod
    def with_algorithms(
        cls, table: Mapping[str, Any], algorithms: Mapping[str, Any]
    ) -> dict[str, Any]:
        """`table` with the values that `algorithms()` gave; each part has its own keys."""
        chosen = dict(table)
        by_part: dict[str, dict[str, Any]] = {}
        for name, value in algorithms.items():
            part, _, key = name.partition(".")
            by_part.setdefault(part, {})[key] = value
        for name, own in by_part.items():
            chosen[name] = super().with_algorithms(chosen.get(name) or {}, own)
        return chosen

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """A copy with other values of some keys; those of a part begin with its name."""
        parts, shared = dict(self.parts), {}
        for name, value in changes.items():
            part, dot, key = name.partition(".")
            if dot:
                parts[part] = parts[part].changed({key: value})
            else:
                shared[name] = value
        return dataclasses.replace(self, parts=parts, **shared)

    @property
    def layout_text(self) -> str:
        """The layout of the part that divides the ranks."""
        return self.parts[self.host].layout_text

    @property
    def grid_text(self) -> str:
        """Its process grid."""
        return self.parts[self.host].grid_text


SHARED = schema_of(CompositeCommunication)
"""Keys that all parts share."""


def schema_for(ring: Mapping[str, Workload]) -> Schema:
    """The keys of [communication]."""
    return SHARED | {name: Key("table") for name in ring}


def read_communication(
    ring: Mapping[str, Workload], host: str, table: object, folder: Path
) -> CompositeCommunication:
    """The table with every default filled in."""
    schema = schema_for(ring)
    values = machine_in(with_defaults(check_table(table, schema, WHERE), schema), folder)
    shared = {key: values[key] for key in SHARED}
    parts = {}
    for name, own in ring.items():
        keys = {key: found for key, found in own.communication.items() if key not in SHARED}
        # The part checks the values; a key that it lacks is to be named with its place here.
        given = values[name] or {}
        check_table(dict.fromkeys(given), dict.fromkeys(keys, Key("any")), f"{WHERE}.{name}")
        parts[name] = own.read_communication({**given, **shared}, folder)
    return CompositeCommunication(parts=parts, host=host, **shared)

"""Makes one workload of several in a ring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.keys import Key, check_table, with_defaults
from phasewise.workload.communication import Communication
from phasewise.workload.interface import (
    PACKAGE,
    Tables,
    Workload,
    load_workload,
)
from phasewise.workloads.composite.communication import (
    CompositeCommunication,
    read_communication,
    schema_for,
)
from phasewise.workloads.composite.model import DerivedParts, Models

SHARED_BUNCHES = "beam."
"""The beginning of the flat parameters that describe the bunches; all parts read them."""


@dataclass(frozen=True, kw_only=True)
class Composite(Workload):
    """Workloads of one ring, in the order of a turn."""

    ring: Mapping[str, Workload] = field(compare=False)
    host: str
    """The one that makes the bunches; the others are its guests."""

    @property
    def named(self) -> tuple[str, ...]:
        """The names of its workloads."""
        return tuple(self.ring)

    @property
    def package(self) -> str:
        """Where its modules are."""
        return f"{PACKAGE}.composite"


def ring_of(workload: Workload) -> Composite:
    """A workload that consists of several in one ring, with its parts."""
    assert isinstance(workload, Composite)
    return workload


@cache
def composite_of(names: tuple[str, ...]) -> Composite:
    """The workloads of these names as one; StudyError if they cannot share their bunches."""
    ring = {name: load_workload(name) for name in names}
    if len(ring) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise StudyError(f'workload lists "{twice}" twice')
    host = _host(ring)
    main = ring[host]
    return Composite(
        name="+".join(names),
        title=" with ".join(own.title for own in ring.values()),
        ring=ring,
        host=host,
        tables=_tables(ring),
        read=lambda tables, records, folder: _read(ring, host, tables, records, folder),
        resolved=lambda model: _resolved(ring, model),
        parameters=lambda model: _parameters(ring, host, model),
        communication=schema_for(ring),
        read_communication=lambda table, folder: read_communication(ring, host, table, folder),
        records={name: Key("table") for name, own in ring.items() if own.records},
        unit=main.unit,
        unit_of=main.unit_of,
        derive=lambda model: DerivedParts(
            {name: own.derive(model.parts[name]) for name, own in ring.items()}
        ),
        check_ranks=lambda model, communication, ranks: _check_ranks(
            ring, model, communication, ranks
        ),
        needed_records=tuple(f"{n}/{r}" for n, own in ring.items() for r in own.needed_records),
        dump_folder=main.dump_folder,
        free_keys="|".join(
            own.free_keys.replace(r"records\.", rf"records\.{name}\.")
            for name, own in ring.items()
            if own.free_keys
        ),
        formerly=lambda model: {
            key: former
            for name, own in ring.items()
            for key, former in own.formerly(model.parts[name]).items()
        },
        bunches=lambda model: main.bunches(model.parts[host]),
    )


def _host(ring: Mapping[str, Workload]) -> str:
    """The workload that makes the bunches: the one that cannot act on others', or the first."""
    hosts = [name for name, own in ring.items() if own.read_guest is None]
    if len(hosts) > 1:
        raise StudyError(
            f'"{hosts[0]}" and "{hosts[1]}" cannot share a ring: neither acts on the bunches of '
            "another workload"
        )
    host = hosts[0] if hosts else next(iter(ring))
    if ring[host].bunches is Workload.bunches:
        raise StudyError(f'"{host}" cannot share a ring: it has no bunches')
    return host


def _tables(ring: Mapping[str, Workload]) -> dict[str, Key]:
    tables: dict[str, Key] = {}
    for name, own in ring.items():
        if both := tables.keys() & own.tables.keys():
            raise StudyError(f'"{name}" cannot share this ring: [{min(both)}] is another\'s too')
        tables |= own.tables
    return tables


def _read(
    ring: Mapping[str, Workload], host: str, tables: Tables, records: Tables, folder: Path
) -> Models:
    def own_tables(name: str) -> tuple[Tables, Tables, Path]:
        own = ring[name]
        given = check_table(records.get(name) or {}, own.records, f"records.{name}")
        return (
            {table: tables[table] for table in own.tables},
            with_defaults(given, own.records),
            folder,
        )

    made = (ring[host].read_host or ring[host].read)(*own_tables(host))
    bunches = ring[host].bunches(made)
    models = {}
    for name, own in ring.items():
        if name == host:
            models[name] = made
        else:
            assert own.read_guest is not None
            models[name] = own.read_guest(*own_tables(name), bunches)
    return Models(models)


def _resolved(ring: Mapping[str, Workload], model: Models) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    records: dict[str, Any] = {}
    for name, own in ring.items():
        found = dict(own.resolved(model.parts[name]))
        if own_records := found.pop("records", None):
            records[name] = own_records
        tables |= found
    return tables | {"records": records}


def _parameters(
    ring: Mapping[str, Workload], host: str, model: Models
) -> Iterator[tuple[str, Any]]:
    for name, own in ring.items():
        for key, value in own.parameters(model.parts[name]):
            yield key if key.startswith(SHARED_BUNCHES) else f"{name}.{key}", value
    yield from _orbits(ring, host, model)


def _orbits(ring: Mapping[str, Workload], host: str, model: Models) -> Iterator[tuple[str, Any]]:
    """The orbit on which each bunch is made, if the lattice of a guest moves it off the axis."""
    wanted = [one for one in ring[host].bunches(model.parts[host]) if one.on_closed_orbit]
    for name, own in ring.items():
        if not wanted or name == host or own.closed_orbit is None:
            continue
        for bunch in wanted:
            orbit = own.closed_orbit(model.parts[name], bunch)
            if any(orbit):
                yield f"{SHARED_BUNCHES}{bunch.number}.orbit", orbit


def _check_ranks(
    ring: Mapping[str, Workload], model: Models, communication: Communication, ranks: int
) -> None:
    """StudyError if a part cannot run on these ranks; each bunch of a guest is on some of the
    ranks.
    """
    assert isinstance(communication, CompositeCommunication)
    for name, own in ring.items():
        own.check_ranks(model.parts[name], communication.parts[name], ranks)

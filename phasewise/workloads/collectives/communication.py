"""The table [communication] of collectives: the algorithm, and the protocol of its messages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import declared, key, schema_of
from phasewise.tables.keys import check_table, with_defaults
from phasewise.workload.communication import (
    MACHINE,
    NODE_SIZE,
    ROW_FIRST,
    TUNE,
    Communication,
    machine_in,
)
from phasewise.workload.protocols import PROTOCOL
from phasewise.workloads.collectives.model import (
    ADDING,
    LIBRARY,
    OFFERED,
    WAYS,
    Collectives,
)

STORING = ("derived", "packed", "neighbour")
"""Protocols by which the library stores what arrives, and nothing can be added."""


@dataclass(frozen=True, kw_only=True)
class CollectivesCommunication(Communication):
    """The keys of [communication]."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = ("algorithm", "protocol")

    algorithm: str = key("word", LIBRARY, choices=WAYS, flat=True)
    protocol: str = declared(PROTOCOL)
    """Of the messages of an algorithm that is not the library's."""
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    @property
    def layout_text(self) -> str:
        """Ranks follow each other."""
        return ROW_FIRST

    @property
    def grid_text(self) -> str:
        """All ranks are one group."""
        return "all"


def read_communication(table: object, folder: Path) -> CollectivesCommunication:
    """The table with every default filled in."""
    schema = schema_of(CollectivesCommunication)
    values = with_defaults(check_table(table, schema, "communication"), schema)
    return CollectivesCommunication(**machine_in(values, folder))


def check_ranks(model: Collectives, communication: CollectivesCommunication, _ranks: int) -> None:
    """StudyError if the operator has no such algorithm, or the protocol cannot carry it."""
    algorithm, offered = communication.algorithm, OFFERED[model.operator]
    if algorithm not in offered:
        raise StudyError(
            f'communication.algorithm = "{algorithm}" is none of the operator "{model.operator}": '
            f"it has {', '.join(offered)}"
        )
    if model.operator in ADDING and communication.protocol in STORING and algorithm != LIBRARY:
        raise StudyError(
            f'communication.protocol = "{communication.protocol}" stores what arrives, but the '
            f'operator "{model.operator}" adds it'
        )

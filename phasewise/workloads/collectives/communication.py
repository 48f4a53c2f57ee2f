"""The table [communication] of collectives: the algorithm, and the protocol of its messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import declared, key
from phasewise.workload.communication import MACHINE, NODE_SIZE, ROW_FIRST, TUNE, Communication
from phasewise.workload.protocols import PROTOCOL, STORING
from phasewise.workloads.collectives.model import (
    ADDING,
    LIBRARY,
    OFFERED,
    WAYS,
    Collectives,
)


@dataclass(frozen=True, kw_only=True)
class CollectivesCommunication(Communication):
    """The keys of [communication]."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = ("algorithm", "protocol")
    LAYOUT: ClassVar[str] = ROW_FIRST
    GRID: ClassVar[str] = "all"
    """All ranks are one group."""

    algorithm: str = key("word", LIBRARY, choices=WAYS, flat=True)
    protocol: str = declared(PROTOCOL)
    """The protocol of the messages, if the algorithm is not the library's."""
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    def check_ranks(self, model: Collectives, _ranks: int) -> None:
        """StudyError if the operator has no such algorithm, or the protocol cannot carry it."""
        operator, offered = model.operator, OFFERED[model.operator]
        if self.algorithm not in offered:
            raise StudyError(
                f'communication.algorithm = "{self.algorithm}" is none of the operator '
                f'"{operator}": it has {", ".join(offered)}'
            )
        if operator in ADDING and self.protocol in STORING and self.algorithm != LIBRARY:
            raise StudyError(
                f'communication.protocol = "{self.protocol}" stores what arrives, but the operator '
                f'"{operator}" adds it'
            )

"""Every rank of a ring passes an array to the next one, and adds what arrives to its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from phasewise.tables.declared import declared, key
from phasewise.workload.communication import MACHINE, NODE_SIZE, ROW_FIRST, TUNE, Communication
from phasewise.workload.interface import Workload
from phasewise.workload.protocols import PROTOCOL
from phasewise.workload.table import OneTable


@dataclass(frozen=True, kw_only=True)
class Ringpass(OneTable):
    """The keys of [ringpass]."""

    DERIVED: ClassVar[tuple[str, ...]] = ("message_bytes",)

    values: int = key(
        "integer", needed="the length of an array", least=1, most=2**24, unit="doubles", flat=True
    )
    verify: bool = key("flag", True, flat=True)
    """Whether every sum is checked in each turn."""

    @property
    def message_bytes(self) -> int:
        """Size of a message [bytes]."""
        return 8 * self.values


@dataclass(frozen=True, kw_only=True)
class RingpassCommunication(Communication):
    """The keys of [communication]."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = ("protocol",)
    LAYOUT: ClassVar[str] = ROW_FIRST
    GRID: ClassVar[str] = "ring"

    protocol: str = declared(PROTOCOL)
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)


WORKLOAD = Workload.of_table(
    "ringpass", "passes in a ring", Ringpass, RingpassCommunication, verifies="sums"
)

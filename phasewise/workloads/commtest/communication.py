"""The table [communication] of exchanges between pairs: protocol and packet size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import declared, key
from phasewise.workload.communication import MACHINE, NODE_SIZE, ROW_FIRST, TUNE, Communication
from phasewise.workload.protocols import PROTOCOL
from phasewise.workloads.commtest.model import MAX_BYTES, Commtest
from phasewise.workloads.commtest.pairs import check_pairs

MAX_PIECES = 65536
"""Most pieces of all messages in one direction."""

PACKETS = (0, 4096, 65536)
"""Packet sizes that a tuner compares [bytes]; 0: the message is one piece."""


@dataclass(frozen=True, kw_only=True)
class CommtestCommunication(Communication):
    """The keys of [communication]."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = ("protocol", "packet")
    LAYOUT: ClassVar[str] = ROW_FIRST
    GRID: ClassVar[str] = "pairs"
    """Pairs are given by the ranks' numbers."""

    protocol: str = declared(PROTOCOL)
    packet: int = key("integer", 0, least=0, most=MAX_BYTES, unit="bytes of a piece", flat=True)
    """A message goes in pieces of this size; 0: it is one piece."""
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    def check_ranks(self, model: Commtest, ranks: int) -> None:
        """StudyError if the pairs do not suit the ranks, or the messages have too many pieces."""
        check_pairs(model.pairs, ranks)
        found = pieces(model, self.packet)
        if found > MAX_PIECES:
            raise StudyError(
                f"communication.packet = {self.packet} gives the messages of an exchange "
                f"{found} pieces; at most {MAX_PIECES} are accepted"
            )


def pieces(model: Commtest, packet: int) -> int:
    """Pieces of all messages one way in an exchange."""
    return model.messages * (-(-model.bytes // packet) if packet else 1)

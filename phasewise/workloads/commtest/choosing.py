"""Other ways to exchange between pairs, which a run may try in its first exchanges and a tuner
compares.
"""

from __future__ import annotations

from typing import Any

from phasewise.runs.choosing import Choosing, Shapes
from phasewise.workload.protocols import available, comparable
from phasewise.workloads.commtest.communication import (
    MAX_PIECES,
    PACKETS,
    CommtestCommunication,
    pieces,
)
from phasewise.workloads.commtest.model import Commtest


def packets(model: Commtest) -> list[int]:
    """Packet sizes worth comparing: those that are shorter than the message."""
    return [
        packet for packet in PACKETS if packet < model.bytes and pieces(model, packet) <= MAX_PIECES
    ]


class CommtestChoosing(Choosing):
    """Its ways to exchange."""

    def changes(
        self, given: CommtestCommunication, model: Commtest, _shapes: Shapes, _levels: bool
    ) -> list[dict[str, Any]]:
        """The other protocols of this build, then the other packet sizes."""
        protocols = [{"protocol": name} for name in available() if name != given.protocol]
        return [*protocols, *({"packet": size} for size in packets(model) if size != given.packet)]

    def choices(self, model: Commtest, _ranks: int) -> dict[str, list[Any]]:
        """All protocols and packet sizes."""
        return {"protocol": list(comparable()), "packet": packets(model)}

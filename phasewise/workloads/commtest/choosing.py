"""Other ways to exchange between pairs, which a run may try in its first exchanges and a tuner
compares.
"""

from __future__ import annotations

from typing import Any

from phasewise.runs.choosing import Shapes
from phasewise.workload.protocols import available, comparable
from phasewise.workloads.commtest.communication import (
    MAX_PIECES,
    PACKETS,
    CommtestCommunication,
    pieces,
)
from phasewise.workloads.commtest.model import Commtest


def nothing_to_try(_model: Commtest) -> str:
    """Every exchange has its protocols."""
    return ""


def study_key(model: Commtest) -> dict[str, Any]:
    """The keys that decide how much is sent to whom."""
    return {
        "operator": model.operator,
        "bytes": model.bytes,
        "pairs": model.pairs,
        "window": model.window,
    }


def packets(model: Commtest) -> list[int]:
    """Packet sizes worth comparing: those that are shorter than the message."""
    return [
        packet for packet in PACKETS if packet < model.bytes and pieces(model, packet) <= MAX_PIECES
    ]


def changes(
    given: CommtestCommunication, model: Commtest, _shapes: Shapes, _levels: bool
) -> list[dict[str, Any]]:
    """The other protocols of this build, then the other packet sizes."""
    protocols = [{"protocol": name} for name in available() if name != given.protocol]
    return [*protocols, *({"packet": size} for size in packets(model) if size != given.packet)]


def choices(model: Commtest, _ranks: int) -> dict[str, list[Any]]:
    """All protocols and packet sizes."""
    return {"protocol": list(comparable()), "packet": packets(model)}

"""Makes a case from the messages that a run recorded, without its study, for models that add up
messages.

For each phase the case has the messages of the rank that sent most in it. Their sizes come from the
events if the run kept all of them; otherwise all messages to one rank count as equally long. A
record does not tell which messages were sent at once: they count as sent one by one. Phases of MPI
library calls are left out, since nothing records the messages inside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from phasewise.errors import RunError
from phasewise.machines import Machine
from phasewise.models.model import Case, Floats, Integers, PhaseMessages
from phasewise.traces.records import (
    SEND,
    CommunicationRecord,
    Events,
    Phase,
    read_communication,
)

PATTERN = "recorded"
"""Stands for a phase's pattern and direction, which runs do not record."""


def recorded_case(directory: str | Path, machine: Machine, twin: str = "full") -> Case:
    """The recorded program of the run in `directory` on a machine, on as many ranks as the run had.

    RunError if there is no record of a turn.
    """
    record = read_communication(directory)
    if record.turns == 0:
        raise RunError(
            f"the run in {directory} recorded no {record.unit.one}, so that its messages are "
            "unknown"
        )
    program = tuple(_phases(record))
    return Case(None, machine, record.ranks, twin, program=program)


def _phases(record: CommunicationRecord) -> Iterator[PhaseMessages]:
    whole = record.events.any() and not record.dropped_events.any()
    events = Events(record) if whole else None
    for phase in record.phases:
        if phase.library or not phase.messages.any():
            continue
        rank = int(np.lexsort((phase.bytes, phase.messages))[-1])
        kinds = _by_peer(phase, rank) if events is None else _by_size(events, phase.name, rank)
        peers, sizes, counts = kinds
        inter = (record.node[peers] != record.node[rank]).astype(np.int64)
        yield PhaseMessages(
            name=phase.name,
            pattern=PATTERN,
            direction=PATTERN,
            rank=rank,
            bytes=sizes,
            count=counts / record.turns,
            inter=inter,
            distance=np.abs(peers - rank),
            active=_active(record, phase, rank)[inter],
            together=np.ones_like(inter),
            main=phase.main,
        )


def _by_peer(phase: Phase, rank: int) -> tuple[Integers, Floats, Floats]:
    """Receiver, mean size [B] and number of the messages to each rank."""
    traffic = phase.traffic
    own = traffic.source == rank
    counts = traffic.messages[own].astype(np.float64)
    return traffic.target[own], traffic.bytes[own] / counts, counts


def _by_size(events: Events, name: str, rank: int) -> tuple[Integers, Floats, Floats]:
    """Receiver, size [B] and number of the messages of each size to each rank."""
    found = events.of(rank)
    sent = found[(found["kind"] == SEND) & (found["phase"] == events.names.index(name))]
    pairs = np.stack([sent["peer"].astype(np.int64), sent["bytes"]], axis=1)
    kinds, counts = np.unique(pairs, axis=0, return_counts=True)
    return kinds[:, 0], kinds[:, 1].astype(np.float64), counts.astype(np.float64)


def _active(record: CommunicationRecord, phase: Phase, rank: int) -> Integers:
    """How many ranks of this rank's node send in the phase within the node, and to other nodes
    (2,).
    """
    source, target = record.node[phase.traffic.source], record.node[phase.traffic.target]
    here = source == record.node[rank]
    senders = [phase.traffic.source[here & (target == source)]]
    senders.append(phase.traffic.source[here & (target != source)])
    return np.array([len(np.unique(ranks)) for ranks in senders])

"""Makes a case from the messages that a run recorded, without its study, for models that add up
messages.

For each phase the case has the messages of the rank that sent most in it. Their sizes come from the
events if the run kept all of them; otherwise all messages to one rank count as equally long. A
record does not tell which messages were sent at once: they count as sent one by one. Phases of MPI
library calls are left out, since nothing records the messages inside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import RunError
from phasewise.machines import Machine
from phasewise.machines.topology import adapters_of, sockets_of
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
    program = tuple(_phases(record, _places(record, machine)))
    return Case(None, machine, record.ranks, twin, program=program)


@dataclass(frozen=True)
class _Places:
    """The node, socket and adapter of each rank (ranks,)."""

    node: Integers
    socket: Integers
    adapter: Integers

    def levels(self, source: Integers, target: Integers) -> Integers:
        """0 for messages within a socket, 1 to another socket of the node, 2 to another node."""
        inter = self.node[source] != self.node[target]
        across = self.socket[source] != self.socket[target]
        return np.asarray(np.where(inter, 2, across), dtype=np.int64)

    def beside(self, rank: int) -> NDArray[np.bool_]:
        """Which ranks share with a rank what messages of each level take, (3, ranks)."""
        here = self.node == self.node[rank]
        socket, adapter = (here & (own == own[rank]) for own in (self.socket, self.adapter))
        return np.array([socket, socket, adapter])


def _places(record: CommunicationRecord, machine: Machine) -> _Places:
    """The recorded nodes, with the machine's sockets and adapters."""
    node, ranks = record.node, record.ranks
    socket = node if machine.sockets is None else sockets_of(machine, ranks)
    adapter = node if machine.network.adapters == 1 else adapters_of(machine, ranks)
    return _Places(node, socket, adapter)


def _phases(record: CommunicationRecord, places: _Places) -> Iterator[PhaseMessages]:
    whole = record.events.any() and not record.dropped_events.any()
    events = Events(record) if whole else None
    for phase in record.phases:
        if phase.library or not phase.messages.any():
            continue
        rank = int(np.lexsort((phase.bytes, phase.messages))[-1])
        kinds = _by_peer(phase, rank) if events is None else _by_size(events, phase.name, rank)
        peers, sizes, counts = kinds
        level = places.levels(np.full_like(peers, rank), peers)
        yield PhaseMessages(
            name=phase.name,
            pattern=PATTERN,
            direction=PATTERN,
            rank=rank,
            bytes=sizes,
            count=counts / record.turns,
            inter=(level == 2).astype(np.int64),
            across=(level == 1).astype(np.int64),
            distance=np.abs(peers - rank),
            active=_active(places, phase, rank)[level],
            together=np.ones_like(level),
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


def _active(places: _Places, phase: Phase, rank: int) -> Integers:
    """How many ranks that share with this one what messages of a level take send any in the phase,
    by level (3,).
    """
    source = phase.traffic.source
    levels = places.levels(source, phase.traffic.target)
    beside = places.beside(rank)[levels, source]
    return np.array([len(np.unique(source[beside & (levels == level)])) for level in range(3)])

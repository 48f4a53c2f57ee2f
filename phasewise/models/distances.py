"""How far the partners of a rank are, and which of its messages leave the node, on a number of
ranks on which nothing was recorded. Ranks fill the nodes one after another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from phasewise.machines import Machine
from phasewise.models.model import Floats, PhaseMessages
from phasewise.models.recorded import PATTERN
from phasewise.models.terms import fitted
from phasewise.traces.records import CommunicationRecord, Phase

PARTS = 8
"""Parts of equally many messages into which a rank's partners are sorted by their distance."""


def distances_of(records: Sequence[CommunicationRecord], name: str, ranks: int) -> Floats:
    """The distances in rank numbers (PARTS,) of the partners in a phase, each fitted in the number
    of ranks from those of the recorded busiest ranks.
    """
    known = [(record.ranks, record.phase(name)) for record in records]
    rows = [(p, _distances(one)) for p, one in known if one is not None and one.messages.any()]
    if len(rows) < 3:
        found = rows[-1][1] * ranks / rows[-1][0]
    else:
        numbers, columns = [p for p, _ in rows], np.stack([own for _, own in rows], axis=1)
        found = np.array([fitted(numbers, own.tolist()).at(ranks) for own in columns])
    return np.asarray(np.clip(found, 1.0, max(ranks - 1, 1)), np.float64)


def _distances(phase: Phase) -> Floats:
    rank = int(np.lexsort((phase.bytes, phase.messages))[-1])
    own = phase.traffic.source == rank
    apart, counts = np.abs(phase.traffic.target[own] - rank), phase.traffic.messages[own]
    order = np.argsort(apart, kind="stable")
    share = np.cumsum(counts[order]) / counts.sum()
    middles = (np.arange(PARTS) + 0.5) / PARTS
    return np.asarray(apart[order][np.searchsorted(share, middles - 1e-9)], np.float64)


def messages_at(
    name: str, counts: Sequence[float], apart: Floats, senders: float, machine: Machine
) -> PhaseMessages:
    """The messages of a rank in a phase: their number and bytes in `counts`, in equal parts to
    partners `apart` (n,) ranks away; senders: the share of ranks that send.
    """
    number, size = counts
    return _phase(name, np.full(len(apart), number / len(apart)), size, apart, senders, machine)


def rounds_of_library(
    name: str, calls: float, size: float, machine: Machine, ranks: int
) -> PhaseMessages:
    """What stands for calls of collectives with `size` bytes in all: rounds of recursive doubling,
    with a call's bytes in each.
    """
    rounds = max(math.ceil(math.log2(ranks)), 0)
    apart = np.asarray(2.0 ** np.arange(rounds), np.float64)
    return _phase(name, np.full(rounds, calls), rounds * size, apart, 1.0, machine)


def _phase(
    name: str, count: Floats, size: float, apart: Floats, senders: float, machine: Machine
) -> PhaseMessages:
    """A message over a distance d leaves a group of n ranks from min(1, d/n) of their places."""
    node = np.minimum(1.0, apart / machine.node_ranks)
    socket = np.minimum(1.0, apart * machine.socket_count / machine.node_ranks)
    shares = np.concatenate([1 - socket, socket - node, node])
    level = np.repeat([0, 1, 2], len(apart))
    counts = np.tile(count, 3) * shares
    chosen = np.flatnonzero(counts > 0)
    beside = machine.node_ranks / np.array(
        [machine.socket_count, machine.socket_count, machine.network.adapters]
    )
    leaving = np.array([1.0, socket.max(initial=0.0), node.max(initial=0.0)])
    active = np.maximum(1, np.rint(senders * leaving * beside)).astype(np.int64)
    each = size / count.sum() if count.sum() > 0 else 0.0
    return PhaseMessages(
        name=name,
        pattern=PATTERN,
        direction=PATTERN,
        rank=0,
        bytes=np.full(len(chosen), each),
        count=counts[chosen],
        inter=(level[chosen] == 2).astype(np.int64),
        across=(level[chosen] == 1).astype(np.int64),
        distance=np.rint(np.tile(apart, 3)[chosen]).astype(np.int64),
        active=active[level[chosen]],
        together=np.ones(len(chosen), np.int64),
    )

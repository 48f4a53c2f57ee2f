"""Efficiency of a run and of its phases, and where its messages went.

Efficiencies are those of the POP project (Wagner, Mohr, Giménez, Labarta, "A structured approach to
performance analysis", Tools for High Performance Computing 2017, Springer 2019): with T_i the time
that rank i computes and T that of the run,

    parallel efficiency = load balance × communication efficiency,  mean T_i / T
    load balance = mean T_i / max T_i,   communication efficiency = max T_i / T,
    communication efficiency = serialisation × transfer,
    serialisation = max T_i / T_ideal,   transfer = T_ideal / T,

where T_ideal is the time of the same run with messages that take no time, which a simulator can
find.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.traces.records import CommunicationRecord, Phase
from phasewise.traces.values import Traffic

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Spread:
    """Least, mean and largest value over the ranks."""

    least: float
    mean: float
    most: float


@dataclass(frozen=True)
class Efficiency:
    """How well a run used its ranks; an efficiency is None if no computing was recorded, and
    serialisation and transfer also unless the run was simulated with messages that take no time.

    `communicating` and `waiting` are shares of the run's time, means over the ranks; `waiting` is
    NaN if the messages do not say when their senders began.
    """

    load_balance: float | None
    communication_efficiency: float | None
    serialisation: float | None
    transfer: float | None
    parallel_efficiency: float | None
    communicating: float
    waiting: float


@dataclass(frozen=True)
class PhaseCost:
    """The cost of one phase or kernel per turn: counts are sums over the ranks, and times [s] are
    given by their spread over the ranks.

    `share` is the mean communicating time as a share of the run's time.
    """

    name: str
    communicates: bool
    library: bool
    calls: float
    messages: float
    bytes: float
    computing: Spread
    communicating: Spread
    waiting: Spread
    share: float


def spread(values: Floats) -> Spread:
    """Spread of `values` (R,)."""
    return Spread(float(np.min(values)), float(np.mean(values)), float(np.max(values)))


def efficiency_of(
    computing: Floats,
    communicating: Floats,
    waiting: Floats,
    seconds: float,
    ideal: float | None = None,
) -> Efficiency:
    """The efficiency of a run, from the times (R,) [s] of its ranks. seconds: the time of the run;
    ideal: its time with messages that take no time.
    """
    mean, most = float(np.mean(computing)), float(np.max(computing))
    known = most > 0 and seconds > 0
    split = ideal if known and ideal else None
    return Efficiency(
        load_balance=mean / most if known else None,
        communication_efficiency=most / seconds if known else None,
        serialisation=most / split if split else None,
        transfer=split / seconds if split else None,
        parallel_efficiency=mean / seconds if known else None,
        communicating=float(np.mean(communicating)) / seconds if seconds > 0 else 0.0,
        waiting=float(np.mean(waiting)) / seconds if seconds > 0 else 0.0,
    )


def efficiency(record: CommunicationRecord) -> Efficiency:
    """Efficiency of a run over all its phases and kernels."""
    computing, communicating, waiting = (
        sum((getattr(phase, name) for phase in record.phases), np.zeros(record.ranks))
        for name in ("computing", "communicating", "waiting")
    )
    return efficiency_of(computing, communicating, waiting, record.seconds, record.ideal_seconds)


def phase_costs(record: CommunicationRecord) -> tuple[PhaseCost, ...]:
    """Cost of every phase and kernel per turn, in the order of the record."""
    turns = max(record.turns, 1)
    return tuple(_cost(phase, turns, record.seconds) for phase in record.phases)


def _cost(phase: Phase, turns: int, seconds: float) -> PhaseCost:
    communicating = spread(phase.communicating / turns)
    return PhaseCost(
        name=phase.name,
        communicates=phase.communicates,
        library=phase.library,
        calls=float(phase.calls.sum()) / turns,
        messages=float(phase.messages.sum()) / turns,
        bytes=float(phase.bytes.sum()) / turns,
        computing=spread(phase.computing / turns),
        communicating=communicating,
        waiting=spread(phase.waiting / turns),
        share=communicating.mean * turns / seconds if seconds > 0 else 0.0,
    )


def share_on_node(traffic: Traffic, node: Integers) -> float | None:
    """Share of the bytes whose sender and receiver are on the same node; None without any.

    node (R,): the node of each rank.
    """
    total = int(traffic.bytes.sum())
    if total == 0:
        return None
    same = node[traffic.source] == node[traffic.target]
    return float(traffic.bytes[same].sum()) / total


def node_size_of(node: Integers) -> int | None:
    """Ranks per node if the nodes are filled in the order of the ranks; else None. The last node
    may have fewer ranks.
    """
    if not len(node):
        return None
    size = int(np.count_nonzero(node == node[0]))
    return size if np.array_equal(node, np.arange(len(node)) // size) else None


def node_edges(node: Integers) -> list[int]:
    """Ranks at which another node begins, without rank 0."""
    return [int(rank) for rank in np.flatnonzero(np.diff(node)) + 1]

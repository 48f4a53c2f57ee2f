"""Model `described`: latency and bandwidth of the machine's description, without any measurement.

A message takes L + s/B of its level. B is the bandwidth of one message alone, or less if the
adapter, the memory bus of a socket or the link between two sockets gives each message that is sent
in the same round a smaller share. Messages that a rank sends at once, as a library's all-to-all
does, wait for their latency together. On a torus or dragonfly no message shares a link.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from phasewise.machines import Machine
from phasewise.models.costs import NETWORK, NODE, add_up, levels_of
from phasewise.models.model import Case, Floats, PhaseMessages

NAME = "described"
TITLE = "latency and bandwidth of the description, shared by the senders of a node"


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase; StudyError if study, machine and ranks do not fit."""

    def seconds(phase: PhaseMessages) -> Floats:
        times = np.zeros(len(phase.bytes))
        for level, crossing in levels_of(case.machine, phase).items():
            times[crossing] = _seconds(case.machine, phase, level)[crossing]
        return times

    return add_up(case, seconds)


@dataclass(frozen=True)
class _Way:
    """Messages of a level: latency [s], bandwidth [B/s] of one that is alone, and what all of them
    share (None: nothing).
    """

    latency: float
    alone: float
    shared: float | None


def _way(machine: Machine, level: str) -> _Way | None:
    """None if messages of the level take no time."""
    network, memory, sockets = machine.network, machine.memory, machine.sockets
    if level == NETWORK:
        alone = min(network.flow_bandwidth, network.link_bandwidth or network.flow_bandwidth)
        return _Way(network.latency, alone, network.adapter_bandwidth)
    if memory is None:
        return None
    if level == NODE and sockets is not None:
        # The bus of a socket carries what comes from another one too.
        shared = min(sockets.bandwidth, memory.bandwidth / 2)
        return _Way(sockets.latency, sockets.rank_bandwidth, shared)
    return _Way(memory.latency, memory.rank_bandwidth, memory.bandwidth)


def _seconds(machine: Machine, phase: PhaseMessages, level: str) -> Floats:
    """Seconds (n,) of a phase's messages, as if all were of one level."""
    way = _way(machine, level)
    if way is None:
        return np.zeros(len(phase.bytes))
    senders, at_once = np.maximum(phase.active, 1), np.maximum(phase.together, 1)
    shared = math.inf if way.shared is None else way.shared
    share = np.minimum(way.alone, shared / (senders * at_once))
    # A round of n equal messages takes what one of them takes: each counts as 1/n of it.
    return np.asarray((way.latency + phase.bytes / share) / at_once, dtype=np.float64)

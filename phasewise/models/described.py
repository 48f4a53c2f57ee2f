"""Model `described`: latency and bandwidth of the machine's description, without any measurement.

A message takes L + s/B of its level. B is the bandwidth of one message alone, or less if the node's
adapter or memory bus gives each message that is sent in the same round a smaller share. Messages
that a rank sends at once, as a library's all-to-all does, wait for their latency together. On a
torus or dragonfly no message shares a link.
"""

from __future__ import annotations

import numpy as np

from phasewise.machines import Machine
from phasewise.models.costs import add_up
from phasewise.models.model import Case, Floats, PhaseMessages

NAME = "described"
TITLE = "latency and bandwidth of the description, shared by the senders of a node"


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase; StudyError if study, machine and ranks do not fit."""

    def seconds(phase: PhaseMessages) -> Floats:
        crossing = phase.inter != 0
        times = np.where(crossing, *(_level(case.machine, phase, inter) for inter in (True, False)))
        return np.asarray(times, dtype=np.float64)

    return add_up(case, seconds)


def _level(machine: Machine, phase: PhaseMessages, inter: bool) -> Floats:
    """Seconds (n,) of a phase's messages, all of them between nodes or within one."""
    network, memory, senders = machine.network, machine.memory, np.maximum(phase.active, 1)
    if inter:
        own = [network.flow_bandwidth, network.link_bandwidth]
        latency, shared = network.latency, network.adapter_bandwidth
    elif memory is None:
        return np.zeros(len(phase.bytes))
    else:
        own, latency, shared = [memory.rank_bandwidth], memory.latency, memory.bandwidth
    alone = min(bandwidth for bandwidth in own if bandwidth is not None)
    at_once = np.maximum(phase.together, 1)
    share = alone if shared is None else np.minimum(alone, shared / (senders * at_once))
    # A round of n equal messages takes what one of them takes: each counts as 1/n of it.
    return np.asarray((latency + phase.bytes / share) / at_once, dtype=np.float64)

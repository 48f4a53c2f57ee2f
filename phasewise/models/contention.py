"""Model `contention`: every message of a turn on its way through the machine's topology, in time.

A message starts when both ends are ready (below the eager limit at once), waits for its latency,
and then gets a max-min fair share of every link on its route: node adapters, memory buses, the
tapered stages of a fat-tree, the links of a torus or a dragonfly. Calls take the machine's
[overhead] besides, and handshakes, flags and fences are those of the protocol. Bertsekas,
Gallager, Data Networks (1992), section 6.5.2; the program and the network are those of
core/contention.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from phasewise.driver import load_planner
from phasewise.machines import make_twin
from phasewise.machines.calls import Overhead
from phasewise.machines.twin import Twin
from phasewise.models.computation import rates_of
from phasewise.models.model import Case, Turn, refusals, turn_from
from phasewise.workloads.protocols import PROTOCOLS

NAME = "contention"
TITLE = "every message on its route, bandwidth shared max-min fairly"
PRECISE = True


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase, mean over the ranks, if nothing is computed.

    StudyError if study, machine and ranks do not fit.
    """
    return follow(case, computation=False).phases


def _costs(overhead: Overhead) -> dict[str, Any]:
    return {"overheads": list(overhead.kinds), "round": overhead.round}


def _rounds(case: Case, twin: Twin, calls: dict[str, Any]) -> list[float]:
    """What a round takes beyond its messages [s], by protocol: the measured exchange of two ranks
    less the same exchange as it is followed. A protocol that was not measured takes what the first
    one does.
    """
    protocol, exchanges = case.protocol, case.machine.exchanges
    followed = load_planner().pair_seconds(
        twin.platform,
        protocol.eager,
        list(protocol.sizes),
        list(protocol.bandwidth_factors),
        list(protocol.latency_factors),
        calls | {"round": 0.0},
    )
    beyond = [
        max(exchanges[name] - seconds, 0.0) if name in exchanges else None
        for name, seconds in zip(PROTOCOLS, followed, strict=True)
    ]
    return [beyond[0] or 0.0 if value is None else value for value in beyond]


def follow(case: Case, computation: bool = True) -> Turn:
    """The turn with all its waiting, followed in time; StudyError as phase_seconds."""
    core, parameters = load_planner(), case.parameters(NAME)
    twin = make_twin(case.machine, case.twin, case.ranks)
    overhead, copies = case.machine.overhead, case.machine.copies
    calls: dict[str, Any] = {} if overhead is None else _costs(overhead)
    if copies is not None and computation:
        calls["copies"] = {name: list(values) for name, values in asdict(copies).items()}
    if case.machine.streams is not None:
        streams = asdict(case.machine.streams)
        calls["streams"] = {name: list(values) for name, values in streams.items()}
    protocol = case.protocol
    if case.machine.exchanges and computation:
        calls["rounds"] = _rounds(case, twin, calls)
    with refusals():
        found = core.contend(
            parameters,
            case.ranks,
            twin.platform,
            protocol.eager,
            list(protocol.sizes),
            list(protocol.bandwidth_factors),
            list(protocol.latency_factors),
            case.pieces,
            (rates_of(case) if computation else {}) | calls,
            agreed=case.agreed,
        )
    return turn_from(found)

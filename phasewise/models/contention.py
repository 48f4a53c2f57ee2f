"""Model `contention`: every message of a turn on its way through the machine's topology, in time.

A message starts when both ends are ready (at once if it is below the eager limit), waits for its
latency, and then gets a max-min fair share of every link on its route: adapters, memory buses,
links between sockets, the tapered stages of a fat-tree, the links of a torus or a dragonfly. On
simulated nodes of several sockets or adapters a message of shorter latency gets more, as in
SimGrid. Calls take the machine's [overhead] in addition; handshakes, flags and fences are those of
the protocol. core/contention has the program and the network. Max-min fairness: Bertsekas,
Gallager, Data Networks (1992), section 6.5.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.machines import make_twin
from phasewise.machines.calls import Overhead
from phasewise.machines.curves import find
from phasewise.machines.topology import part_count
from phasewise.machines.twin import Twin
from phasewise.models.computation import rates_of
from phasewise.models.model import Case, Turn, refusals, turn_from
from phasewise.workload.protocols import PROTOCOLS

NAME = "contention"
TITLE = "every message on its route, bandwidth shared max-min fairly"
PRECISE = True

HEADER = 16
"""Bytes that the simulator adds to the data of every message."""
LEAST_SHARE = 0.05
"""Least share of a message's time that it spends on its way, however long its calls take."""


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase, mean over the ranks, if nothing is computed.

    StudyError if study, machine and ranks do not fit.
    """
    return follow(case, computation=False).phases


def _costs(overhead: Overhead) -> dict[str, Any]:
    return {
        "overheads": list(overhead.kinds),
        "round": overhead.round,
        "collective": overhead.collective,
    }


def _handshake(case: Case) -> float:
    """Seconds of an empty message and its answer, calls included."""
    machine, protocol = case.machine, case.protocol
    assert machine.memory is not None
    calls = 0.0 if machine.overhead is None else 2 * machine.overhead.two_sided
    factor = next(iter(protocol.latency_factors), 1.0) if 0 in protocol.sizes else 1.0
    return 2 * (factor * machine.memory.latency + calls)


def _swaps(case: Case) -> dict[str, list[float]] | None:
    """Seconds of a message that meets another one on its way, by size, without its calls. They are
    those of ping-ping; None unless the messages within a node were timed together with their calls.
    """
    machine, overhead = case.machine, case.machine.overhead
    both = find(machine.curves, "ping-ping", level="node")
    if both is None or overhead is None or not machine.exchanges:
        return None
    seconds = [max(one - 2 * overhead.two_sided, LEAST_SHARE * one) for one in both.seconds]
    return {"sizes": list(map(float, both.sizes)), "seconds": seconds}


def _beyond(case: Case, twin: Twin, calls: dict[str, Any]) -> dict[str, list[float]]:
    """What rounds take beyond their messages [s], by protocol: rounds that send both ways, and
    rounds that send one way. If the file has no [echoes], the latter are derived from [exchanges],
    as if messages that meet took no longer than others.
    """
    exchanges, echoes = case.machine.exchanges, case.machine.echoes
    apart = {name: value for name, value in calls.items() if name != "swaps"}
    one_way = (apart, exchanges, False) if not echoes else (apart, echoes, True)
    return {
        "rounds": _rounds(case, twin, calls, exchanges, back=False),
        "one_way": _rounds(case, twin, *one_way),
    }


def _rounds(
    case: Case, twin: Twin, calls: dict[str, Any], measured: Mapping[str, float], back: bool
) -> list[float]:
    """What a round takes beyond its messages [s], by protocol: the time of a measured exchange of
    two ranks, less the time that the model finds for the same exchange. A protocol that was not
    measured takes what the first one does. back: the exchange has two rounds, one each way.
    """
    protocol = case.protocol
    followed = load_planner().pair_seconds(
        twin.platform,
        protocol.eager,
        list(protocol.sizes),
        list(protocol.bandwidth_factors),
        list(protocol.latency_factors),
        calls | {"rounds": [0.0] * len(PROTOCOLS)},
        back=back,
    )
    rounds = 2 if back else 1
    beyond = [
        max(measured[name] - seconds, 0.0) / rounds if name in measured else None
        for name, seconds in zip(PROTOCOLS, followed, strict=True)
    ]
    return [beyond[0] or 0.0 if value is None else value for value in beyond]


@contextmanager
def _waits(case: Case) -> Iterator[None]:
    """StudyError that names the machine, if ranks wait for each other for ever, as a program may
    whose sends return only where messages are buffered; and one if ranks give other sizes for the
    same collective, as a damaged record may.
    """
    core = load_planner()
    try:
        yield
    except core.WaitsForEver as error:
        raise StudyError(f"on {case.machine.name} {error}") from None
    except core.OneEnd as error:
        raise StudyError(f"ranks do not agree on what they exchange ({error})") from None


def follow(case: Case, computation: bool = True) -> Turn:
    """The turn with all its waiting, followed in time; StudyError as in `phase_seconds`."""
    core, parameters = load_planner(), case.parameters(NAME)
    twin = make_twin(case.machine, case.twin, case.ranks)
    overhead, copies = case.machine.overhead, case.machine.copies
    calls: dict[str, Any] = {} if overhead is None else _costs(overhead)
    if not case.machine.is_hardware:
        calls |= {"started_at_once": True, "begins_together": True, "header": HEADER}
        calls["turns"] = case.turns
        if part_count(case.machine) > 1:
            calls["by_latency"] = True
    if copies is not None and computation:
        calls["copies"] = {name: list(values) for name, values in asdict(copies).items()}
    if case.machine.types is not None and computation:
        calls["types"] = asdict(case.machine.types)
    if case.machine.streams is not None:
        streams = asdict(case.machine.streams)
        calls["streams"] = {name: list(values) for name, values in streams.items()}
        calls["streams"]["handshake"] = [_handshake(case)]
    if (swaps := _swaps(case)) is not None:
        calls["swaps"] = swaps
    protocol = case.protocol
    if case.machine.exchanges and computation:
        calls |= _beyond(case, twin, calls)
    with refusals(), _waits(case):
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

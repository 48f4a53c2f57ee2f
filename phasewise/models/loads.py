"""Model `loads`: every message takes the time measured for its size and for the load of its route.

The load of a message is the capacity of the link that it shares first with others (the bus of its
socket, the link between two sockets, its adapter, or a link of a torus), divided by the message's
fair share of its route when it starts: the number of messages that meet, if all links are alike.
Times come from parallel ping-ping with that many pairs and, on networks with shared links, from the
grid benchmarks, whose loads follow from the topology. So do those of messages between the sockets
of a node, or between nodes of several adapters. Ranks wait for each other as in a run. After the
node-aware and link-load models of Bienz, Gropp, Olson, "Improving Performance Models for Irregular
Point-to-Point Communication" (2018).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from phasewise.driver import load_planner
from phasewise.machines import Machine, make_twin, nodes_of
from phasewise.machines.curves import Curve, find
from phasewise.machines.probes import Probe, probes_of
from phasewise.machines.topology import SHARED_LINKS, sockets_of
from phasewise.models.computation import rates_of
from phasewise.models.costs import NETWORK, NODE, SOCKET, missing
from phasewise.models.model import Case, Turn, refusals, turn_from

NAME = "loads"
TITLE = "tables of parallel ping-ping by the load of a message's route"
PRECISE = True

NOTHING = {"sizes": [0.0], "loads": [1.0], "seconds": [[0.0]]}
"""The table for a level that no message crosses."""

PAIRS = ("ping-ping", "parallel")
"""Benchmarks of pairs that send both ways."""

ByLoad = dict[float, Curve]


def phase_seconds(case: Case) -> dict[str, float]:
    """Seconds of a turn in each phase, mean over the ranks, if nothing is computed.

    StudyError if study, machine and ranks do not fit, or if the machine lacks the tables.
    """
    return follow(case, computation=False).phases


def follow(case: Case, computation: bool = True) -> Turn:
    """The turn with all its waiting, followed in time; StudyError as in `phase_seconds`."""
    core, parameters = load_planner(), case.parameters(NAME)
    machine = case.machine
    twin = make_twin(machine, case.twin, case.ranks)
    several = len(set(nodes_of(machine, case.ranks).tolist())) > 1
    within = NODE if machine.sockets is None else SOCKET
    with refusals():
        found = core.by_load(
            parameters,
            case.ranks,
            twin.platform,
            _table(case, within) if machine.node_ranks > 1 else NOTHING,
            _table(case, NETWORK) if several else NOTHING,
            case.protocol.eager,
            case.pieces,
            rates_of(case) if computation else {},
            {} if machine.sockets is None else _table(case, NODE),
        )
    return turn_from(found)


def _table(case: Case, level: str) -> dict[str, Any]:
    """Times by load and size, in the form that the core reads."""
    curves = _by_load(case.machine, level)
    if not curves:
        where = "between nodes" if level == NETWORK else "within a node"
        raise missing(case, NAME, f"the table of parallel ping-ping {where}")
    loads = sorted(curves)
    sizes = np.unique([size for curve in curves.values() for size in curve.sizes])
    times = np.array([curves[load].seconds_of(sizes.astype(np.float64)) for load in loads])
    # A higher load cannot make messages faster: where the measurement says so, that is noise.
    rising = np.maximum.accumulate(times, axis=0)
    return {"sizes": sizes.astype(float).tolist(), "loads": loads, "seconds": rising.tolist()}


def _by_load(machine: Machine, level: str) -> ByLoad:
    """Curves of messages across `level` by the load of their routes."""
    sockets = machine.sockets is not None and any(c.level == SOCKET for c in machine.curves)
    if level == SOCKET and not sockets:
        level = NODE  # the file was measured without sockets
    # What several links carry is not the load of one of them.
    several = machine.network.adapters > 1 if level == NETWORK else level == NODE and sockets
    curves = _of_parallel(machine, level) if several else _of_pairs(machine.curves, level)
    if level == NETWORK and machine.network.kind in SHARED_LINKS:
        curves = _of_probes(machine, lambda probe: probe.benchmark == "grid") | curves
    return curves


def _of_pairs(known: Iterable[Curve], level: str) -> ByLoad:
    """A curve for each number of messages that share one bus or one adapter."""
    own = [curve for curve in known if curve.level == level]
    single = find(own, "ping-ping")
    # A pair within a node sends two messages at once over its bus.
    curves: ByLoad = {} if single is None else {1.0 if level == NETWORK else 2.0: single}
    return curves | {float(curve.pairs): curve for curve in own if curve.benchmark == "parallel"}


def _of_parallel(machine: Machine, level: str) -> ByLoad:
    """A curve for each load that pairs of ranks reach, from the topology."""
    return _of_probes(machine, lambda probe: probe.level == level and probe.benchmark in PAIRS)


def _of_probes(machine: Machine, chosen: Callable[[Probe], bool]) -> ByLoad:
    """A curve for each load that the chosen benchmarks reach; grids are those of all ranks."""
    if machine.measured is None:
        return {}
    ranks = machine.measured.ranks
    platform = make_twin(machine, machine.measured.twin or "full", ranks).platform
    sockets = None if machine.sockets is None else sockets_of(machine, ranks).tolist()
    core, curves = load_planner(), dict[float, Curve]()
    for probe in probes_of(nodes_of(machine, ranks).tolist(), sockets=sockets):
        curve = _same(machine.curves, probe.labels)
        if chosen(probe) and probe.ranks in (0, ranks) and curve is not None:
            # The benchmark times the slowest message.
            load = max(core.pattern_loads(list(probe.to), platform))
            curves.setdefault(load, curve)
    return curves


def _same(curves: Iterable[Curve], labels: dict[str, Any]) -> Curve | None:
    """The curve with all these labels."""
    return next(
        (c for c in curves if all(getattr(c, key) == value for key, value in labels.items())), None
    )

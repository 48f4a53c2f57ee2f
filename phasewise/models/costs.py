"""Computes the time of a phase from the times of single messages, which come from a machine's
measured curves or its row of the source paper's Table 4.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import StudyError
from phasewise.machines import Line, Machine
from phasewise.machines.curves import Curve, find, log_factor
from phasewise.machines.grids import probed_shape
from phasewise.models.model import Case, Floats, PhaseMessages

Time = Callable[[Floats], Floats]
"""Seconds of messages of given sizes [B], arrays (n,)."""

SOCKET, NODE, NETWORK = "socket", "node", "network"
"""Levels: messages within a socket, within a node, and between nodes. On a node of several sockets
NODE stands for those from one to another, on other nodes for all within it.
"""

OF_ONE_PAIR = {SOCKET: 2, NODE: 2, NETWORK: 1}
"""The number of ranks of a node that send at once when one pair of ranks exchanges."""


def add_up(case: Case, seconds: Callable[[PhaseMessages], Floats]) -> dict[str, float]:
    """Seconds of a turn in each phase: Σ count · t over the messages of the rank that sends most
    (Shan et al. 2006, section 4); `seconds` gives t (n,) for a phase's kinds of messages.
    """
    times: dict[str, float] = {}
    for phase in case.phases:
        times[phase.name] = times.get(phase.name, 0.0) + float(phase.count @ seconds(phase))
    return times


def by_level(case: Case, time_at: Callable[[str], Time]) -> dict[str, float]:
    """`add_up` with times by level; `time_at` is called only for levels that messages cross."""
    time_of = cache(time_at)

    def seconds(phase: PhaseMessages) -> Floats:
        times = np.zeros(len(phase.bytes))
        for level, crossing in levels_of(case.machine, phase).items():
            if crossing.any():
                times[crossing] = time_of(level)(phase.bytes[crossing])
        return times

    return add_up(case, seconds)


def levels_of(machine: Machine, phase: PhaseMessages) -> dict[str, NDArray[np.bool_]]:
    """Which of a phase's kinds of messages are of each level, arrays (n,)."""
    inter, across = phase.inter != 0, phase.across != 0
    if machine.sockets is None:
        return {NODE: ~inter, NETWORK: inter}
    return {SOCKET: ~inter & ~across, NODE: across, NETWORK: inter}


def by_distance(case: Case, time_at: Callable[[int], Time]) -> dict[str, float]:
    """`add_up` with times by the difference of the two ranks' numbers."""
    time_of = cache(time_at)

    def seconds(phase: PhaseMessages) -> Floats:
        times = np.zeros(len(phase.bytes))
        for apart in np.unique(phase.distance):
            chosen = phase.distance == apart
            times[chosen] = time_of(int(apart))(phase.bytes[chosen])
        return times

    return add_up(case, seconds)


def straight(line: Line) -> Time:
    """t = L + s/B."""
    return lambda sizes: line.latency + sizes / line.bandwidth


def between_two(case: Case, model: str, benchmark: str) -> Line:
    """L and B between two ranks on different nodes, or within the node on a machine of one node."""
    machine = case.machine
    level = NODE if machine.network.kind == "none" else NETWORK
    curve = find(machine.curves, benchmark, level=level)
    if curve is not None:
        return curve.line
    name = benchmark.replace("-", "_")
    if name in machine.paper:
        return machine.paper[name]
    raise missing(case, model, f"the curve of {benchmark}")


def parallel_curve(case: Case, level: str) -> Curve | None:
    """The table of parallel ping-ping across `level` with all ranks of a node at work.

    With one pair of ranks, parallel ping-ping is ping-ping. A file that was measured without
    sockets has the same curves for all messages within a node.
    """
    curves, senders = case.machine.curves, senders_at_once(case, level)
    if level == SOCKET and not any(curve.level == SOCKET for curve in curves):
        level = NODE
    curve = find(curves, "parallel", level=level, pairs=senders)
    if senders == OF_ONE_PAIR[level] and (curve is None or curve.pairs != senders):
        curve = find(curves, "ping-ping", level=level) or curve
    return curve


def senders_at_once(case: Case, level: str) -> int:
    """Ranks of a node, or of a socket, that send across `level` if all ranks do, counted as the
    curves count them.
    """
    machine = case.machine
    own = machine.node_ranks // (machine.socket_count if level == SOCKET else 1)
    return max(min(own, case.ranks), OF_ONE_PAIR[level])


def parallel_line(case: Case, model: str, level: str) -> Line:
    """L and B of parallel ping-ping across `level`; StudyError if they are not known."""
    curve = parallel_curve(case, level)
    if curve is not None:
        return curve.line
    names = ["parallel_inter" if level == NETWORK else "parallel_intra"]
    if level == NETWORK and senders_at_once(case, level) == OF_ONE_PAIR[level]:
        names.insert(0, "ping_ping")
    for name in names:
        if name in case.machine.paper:
            return case.machine.paper[name]
    raise missing(case, model, f"the curve of parallel ping-ping {_where(level)}")


def parallel_table(case: Case, model: str, level: str) -> Time:
    """t(s) from the table of parallel ping-ping; StudyError if there is none."""
    curve = parallel_curve(case, level)
    if curve is None:
        raise missing(case, model, f"the table of parallel ping-ping {_where(level)}")
    return looked_up(curve)


def grid_curve(case: Case, apart: int) -> Curve | None:
    """The curve of parallel ping-ping in a process grid, nearest in ranks, then in distance.

    `apart` is the difference of the ranks' numbers; the nearest distance is the one with the
    smallest ratio to it. The benchmark numbers its ranks column by column, so that neighbours in a
    row are a column's length apart, whatever the layout of the study.
    """
    curves = case.machine.curves
    likely = find(curves, "grid", ranks=case.ranks)
    if likely is None:
        return None
    column = probed_shape(max(likely.ranks // 2, 1))[1]
    stride = {"column": 1, "row": column}
    nearest = [c for c in curves if c.benchmark == "grid" and c.ranks == likely.ranks]
    return min(nearest, key=lambda c: log_factor(c.distance * stride[c.direction], apart))


def grid_table(case: Case, model: str, apart: int) -> Time:
    """t(s) from the table of `grid_curve`; StudyError if there is none."""
    curve = grid_curve(case, apart)
    if curve is None:
        raise missing(case, model, "the tables of parallel ping-ping in a process grid")
    return looked_up(curve)


def looked_up(curve: Curve) -> Time:
    """t(s) from a measured table."""
    return lambda sizes: np.asarray(curve.seconds_of(sizes), dtype=np.float64)


def _where(level: str) -> str:
    return {SOCKET: "within a socket", NETWORK: "between nodes"}.get(level, "within a node")


def missing(case: Case, model: str, what: str) -> StudyError:
    """The error that says, in one sentence, what a model needs, that the machine's file lacks it,
    and which command measures it.
    """
    machine = case.machine
    return StudyError(
        f"model {model} needs {what}, which the file of {machine.name} does not hold; measure it: "
        f"{probe(machine, case.ranks)}, and give that file as --machine"
    )


def probe(machine: Machine, ranks: int) -> str:
    """The command that measures a machine."""
    simulated = "" if machine.is_hardware else f" --machine {machine.given or machine.name}"
    file = f"{machine.name.replace(' ', '-')}-measured.toml"
    return f"phasewise machine measure{simulated} --ranks {ranks} -o {file}"

"""The interval around a predicted time in which nine of ten measured times lie.

Split-conformal (Vovk, Gammerman, Shafer, "Algorithmic Learning in a Random World", 2005, chapter
4): of the n sorted residuals log(actual/predicted) of runs that a model was not fitted to, those in
places floor(0.05 (n+1)) and ceil(0.95 (n+1)) are the ends. The runs were simulated on the full
twins of described machines, so they say nothing about hardware or plain twins.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from phasewise.machines import Machine, load_machine, machine_names
from phasewise.machines.topology import SHARED_LINKS
from phasewise.workload.interface import Workload

COVERAGE = 0.9
DEVIATIONS = 1.645
"""Standard deviations of a normal distribution within which 90 % of it lies."""
LEAST_HALF = 1e-3
"""Least half width of an interval in the logarithm: models in time keep the rates of messages for
0.2 % of their time.
"""
FEWEST = 19
"""Fewest residuals: with fewer, an end would lie beyond the first or last of them."""

FILE = "residuals.json"
"""The file in a workload's package that has the residuals of its own runs."""

SMP_FACTORS = {
    "1a": (0.5, 4.0), "1b": (0.5, 4.0), "2": (0.5, 2.0), "3": (0.75, 1.33),
    "4": (0.79, 1.21), "5": (0.79, 1.21), "6": (0.79, 1.21),
}  # fmt: skip
SHARED_FACTORS = {
    "1a": (0.5, 10.0), "1b": (0.5, 10.0), "2": (0.5, 10.0), "3": (0.5, 10.0),
    "4": (0.5, 3.0), "5": (0.43, 2.3),
}  # fmt: skip
"""Factors that are used without residuals: the worst ratios of actual to predicted time in Shan et
al. 2006, section 4, for fat-trees and for tori. Models 1 to 3 there were far off only by being too
low.
"""

OTHERS = (0.5, 2.0)
"""Factors for models that the paper does not have, and for workloads of which no runs were
compared.
"""

UNKNOWN = "a factor of two, since no runs of this workload were compared"

DESCRIPTION = ("node_ranks", "memory", "sockets", "network", "protocol")
"""The properties of a machine on which message times depend."""

COMPUTING = (0.9, 1.1)
"""Actual over predicted time of computing, if no residuals of turns are known. On hardware whose
kernels were measured, benchmarks/predicted_turns.py found turns within this (docs/performance.md).
"""

COMMUNICATION, TURN = "communication", "turn"
"""The predicted quantities that have residuals."""

DRAWN = "drawn"
"""The name of a machine that was drawn at random begins with this word, and its number follows."""

NODE_RANKS, LATENCY, FLOW, EAGER = "ranks a node", "latency", "flow bandwidth", "eager limit"
FITTED: dict[str, tuple[float, float]] = {
    NODE_RANKS: (1, 128),
    LATENCY: (5e-7, 5e-5),
    FLOW: (0.3e9, 30e9),
    EAGER: (0, 1e6),
}
"""The ranges from which machines are drawn (benchmarks/machine_generator.py), in ranks, s, B/s and
B. Beyond them, intervals are wider.
"""
FITTED_RANKS = 256
"""The most ranks of any run that gave residuals."""
WIDER = 2.0
"""Factor on an interval's half width for machines and ranks beyond these."""

Residuals = dict[str, dict[str, dict[str, tuple[float, ...]]]]


@dataclass(frozen=True)
class Spread:
    """Ends of log(actual/predicted), and where they come from."""

    low: float
    high: float
    source: str


def interval(
    seconds: float,
    model_name: str,
    machine: Machine,
    twin: str = "full",
    residuals: Residuals | None = None,
    ranks: int = 0,
    variation: float = 0.0,
) -> tuple[float, float]:
    """The 90 % interval [s] of a predicted time, from residuals, from the noise of the curves, and
    from the variation of the times that are predicted, their standard deviation over their mean.
    """
    found = spread(model_name, machine, twin, residuals, ranks)
    return _ends(seconds, found, machine, variation)


def _ends(seconds: float, found: Spread, machine: Machine, variation: float) -> tuple[float, float]:
    middle, half = (found.high + found.low) / 2, (found.high - found.low) / 2
    half = max(math.hypot(half, noise(machine), DEVIATIONS * variation), LEAST_HALF)
    return seconds * math.exp(middle - half), seconds * math.exp(middle + half)


def turn_interval(
    seconds: float,
    communicating: tuple[float, float],
    computing: float,
    model_name: str,
    machine: Machine,
    twin: str = "full",
    residuals: Residuals | None = None,
    ranks: int = 0,
    variation: float = 0.0,
) -> tuple[float, float]:
    """The 90 % interval [s] of a turn's predicted time, from residuals of turns. Without them, it
    is the sum of the intervals of communication and of computing, which is all that is no
    communication.
    """
    found = _of_residuals(residuals, TURN, model_name, machine, twin, ranks)
    if found is None:
        low, high = communicating
        return low + COMPUTING[0] * computing, high + COMPUTING[1] * computing
    return _ends(seconds, found, machine, variation)


def spread(
    model_name: str,
    machine: Machine,
    twin: str = "full",
    residuals: Residuals | None = None,
    ranks: int = 0,
) -> Spread:
    """The spread of actual over predicted communication. It comes from residuals on the machine
    itself, on drawn machines with its kind of network, on any machines of that kind, or on all
    machines: from the first of these groups that is large enough. Otherwise, and for hardware and
    plain twins, it is that of the source paper's errors.

    residuals: those of the workload (`residuals_of`); with None a factor of two is assumed. The
    interval is wider for cases beyond those that gave residuals, and `source` says so.
    """
    if residuals is None:
        return Spread(math.log(OTHERS[0]), math.log(OTHERS[1]), UNKNOWN)
    found = _of_residuals(residuals, COMMUNICATION, model_name, machine, twin, ranks)
    if found is not None:
        return found
    factors = SHARED_FACTORS if machine.network.kind in SHARED_LINKS else SMP_FACTORS
    # The paper's errors are those of its models on its workload: runs of others were compared with
    # other models alone.
    papers = model_name in factors and model_name in residuals.get(COMMUNICATION, {})
    low, high = factors[model_name] if papers else OTHERS
    source = "the source paper's errors" if papers else "a factor of two"
    return Spread(math.log(low), math.log(high), source)


def _of_residuals(
    residuals: Residuals | None,
    quantity: str,
    model_name: str,
    machine: Machine,
    twin: str,
    ranks: int,
) -> Spread | None:
    """The spread from residuals; None for hardware, for plain twins, and if there are too few
    residuals.
    """
    if residuals is None or twin != "full" or machine.is_hardware:
        return None
    own = residuals.get(quantity, {}).get(model_name, {})
    for source, values in _groups(own, machine):
        if len(values) >= FEWEST:
            found = Spread(*conformal(values), f"{len(values)} simulated runs on {source}")
            beyond = _beyond(machine, ranks)
            return _widened(found, beyond) if beyond else found
    return None


def _beyond(machine: Machine, ranks: int) -> list[str]:
    """The values by which a case lies outside of the cases that gave residuals."""
    found = [f"{ranks} ranks"] if ranks > FITTED_RANKS else []
    if _is_described(machine):
        return found
    network = machine.network
    values: dict[str, float] = {NODE_RANKS: machine.node_ranks, EAGER: machine.protocol.eager}
    if network.kind != "none":
        values |= {LATENCY: network.latency, FLOW: network.flow_bandwidth}
    outside = (
        name for name, own in values.items() if not FITTED[name][0] <= own <= FITTED[name][1]
    )
    return found + [f"{name} {values[name]:.3g}" for name in outside]


def _widened(found: Spread, beyond: list[str]) -> Spread:
    middle, half = (found.high + found.low) / 2, WIDER * (found.high - found.low) / 2
    source = f"{found.source}, twice as wide outside of these ({', '.join(beyond)})"
    return Spread(middle - half, middle + half, source)


def conformal(values: Iterable[float]) -> tuple[float, float]:
    """The ends of the interval from at least FEWEST residuals."""
    ordered = np.sort(np.asarray(list(values), dtype=np.float64))
    tail = (1 - COVERAGE) / 2 * (len(ordered) + 1)
    # These are places in the sorted list, from 1; rounding errors must not change a whole number.
    first = math.floor(tail + 1e-9)
    return float(ordered[first - 1]), float(ordered[len(ordered) - first])


def noise(machine: Machine) -> float:
    """The relative half width of the confidence intervals of the measured times: the median over
    the sizes of the noisiest curve.
    """
    return max((float(np.median(curve.half_widths)) for curve in machine.curves), default=0.0)


def residuals_of(workload: Workload | None) -> Residuals | None:
    """Quantity → model → "network kind|machine" → log(actual/predicted) of runs of the workload's
    fit set; None if there are none.
    """
    path = None if workload is None else workload.folder / FILE
    return _read(path, path.stat().st_mtime_ns) if path is not None and path.exists() else None


@cache
def _read(path: Path, changed: int) -> Residuals:
    """The file's content; `changed`, its modification time, is only part of the cache's key."""
    del changed  # part of the key alone
    content = json.loads(path.read_text(encoding="utf-8"))
    return {
        quantity: {
            model: {key: tuple(map(float, values)) for key, values in groups.items()}
            for model, groups in models.items()
        }
        for quantity, models in content.items()
    }


def _groups(
    own: dict[str, tuple[float, ...]], machine: Machine
) -> Iterator[tuple[str, list[float]]]:
    """Groups of a model's residuals with their descriptions, from the closest machines to all of
    them.
    """
    if _is_described(machine):
        yield machine.name, _chosen(own, machine.name)
    kind = machine.network.kind
    drawn = [key for key in own if is_drawn(key) and key.split("|")[0] == kind_of(machine)]
    values = [value for key in drawn for value in own[key]]
    yield f"{len(drawn)} drawn machines with network {kind_of(machine)}", values
    yield f"machines with network {kind}", _chosen(own, kind)
    yield "all machines", _chosen(own)


def drawn_key(machine: Machine, number: int) -> str:
    """The key under which the residuals of a drawn machine are kept."""
    return f"{kind_of(machine)}|{DRAWN} {number}"


def is_drawn(key: str) -> bool:
    """Whether the residuals with this key belong to a drawn machine."""
    return key.split("|")[-1].startswith(f"{DRAWN} ")


def kind_of(machine: Machine) -> str:
    """The kind of network under which the residuals of drawn machines are kept."""
    network = machine.network
    return network.kind if network.taper is None else f"tapered {network.kind}"


def _is_described(machine: Machine) -> bool:
    """Whether this is the machine that phasewise ships under this name, and not another one that
    has the same name.
    """
    if machine.name not in machine_names():
        return False
    known = _known(machine.name)
    return all(getattr(machine, part) == getattr(known, part) for part in DESCRIPTION)


@cache
def _known(name: str) -> Machine:
    return load_machine(name)


def _chosen(groups: dict[str, tuple[float, ...]], word: str | None = None) -> list[float]:
    return [
        value
        for key, values in groups.items()
        if word is None or word in key.split("|")
        for value in values
    ]

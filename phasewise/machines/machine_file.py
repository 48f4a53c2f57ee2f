"""Writes machine files: the description of a machine and its measurements."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

import numpy as np

from phasewise.machines import schema
from phasewise.machines.curves import Curve, Line, Measured, find
from phasewise.machines.device import Device, Transfers
from phasewise.machines.kernel_rates import KernelRate, kernel_tables
from phasewise.machines.rank_rates import CallCosts, Copies, RankRates, Streams, Types
from phasewise.workload.protocols import PROTOCOLS

HEADER = re.compile(r"\s*\[\[?\s*([A-Za-z]+)[^\]]*\]\]?\s*(#.*)?$")
MEASURED_TABLES = ("measured", "curve")
LONG = 4096
"""A message of at least this size [B] takes most of its time for its bytes."""


def description_of(text: str) -> str:
    """A machine file's text without its tables of measured curves."""
    kept: list[str] = []
    dropping = False
    for line in text.splitlines():
        header = HEADER.match(line)
        if header:
            dropping = header[1] in MEASURED_TABLES
        if not dropping:
            kept.append(line)
    return "\n".join(kept).rstrip() + "\n"


def measured_tables(measured: Measured, curves: Iterable[Curve]) -> str:
    """The [measured] and [[curve]] tables."""
    lines = ["[measured]"]
    lines += [
        f"{entry.name} = {_value(getattr(measured, entry.name))}"
        for entry in fields(measured)
        if getattr(measured, entry.name)
    ]
    for curve in curves:
        lines += ["", "[[curve]]", *_curve_lines(curve)]
    return "\n".join(lines) + "\n"


def _curve_lines(curve: Curve) -> list[str]:
    names = ["benchmark", "level"]
    names += ["direction", "distance", "ranks"] if curve.benchmark == "grid" else ["pairs"]
    names += ["sizes", "seconds", "low", "high", "latency", "bandwidth", "residual", "bends"]
    return [f"{name} = {_value(getattr(curve, name))}" for name in [*names, "noisy"]]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, float):
        # repr writes a point or an exponent, so that TOML reads a float; no clock has more than 7
        # digits.
        return repr(float(f"{value:.7g}"))
    return json.dumps(value, ensure_ascii=False)


def hardware_description(
    name: str,
    node_ranks: int,
    nodes: int,
    rates: RankRates,
    curves: Sequence[Curve],
    kernels: Mapping[str, KernelRate],
) -> str:
    """A machine file without the curves, derived from the curves and the rates of a rank.

    nodes: how many nodes the ranks were on; a file of a single node has no network.
    """
    lines = [f"name = {_value(name)}", f"title = {_value(f'{name}, as measured')}"]
    lines += ["", "[node]", f"ranks = {node_ranks}"]
    alone = find(curves, "ping-pong", level="node")
    if alone is not None:
        lines += ["", *_memory(alone, curves, nodes)]
    lines += ["", *(_network(curves) if nodes > 1 else ["[network]", 'kind = "none"'])]
    if alone is not None and nodes == 1:
        lines += ["", *_protocol(alone, rates.calls)]
        if rates.calls.message:
            lines += ["", *_overhead(rates.calls)]
        if rates.calls.exchange:
            lines += ["", *_exchanges("exchanges", "each way", rates.calls.exchange)]
        if rates.calls.echo:
            lines += ["", *_exchanges("echoes", "there and back", rates.calls.echo)]
    if rates.copies is not None:
        lines += [
            "",
            "[copies]                     # copies of words that lie apart, and of blocks",
        ]
        lines += _columns(rates.copies)
    if rates.types is not None and nodes == 1:
        lines += [
            "",
            "[types]                      # copies of words that lie apart, by the library",
        ]
        lines += _columns(rates.types)
    if rates.streams is not None and nodes == 1:
        lines += ["", "[streams]                    # a message behind others, one way"]
        lines += _columns(rates.streams)
    flops, bandwidth = _value(rates.flops), _value(rates.bandwidth)
    lines += ["", "[processor]                  # rates of a rank while all ranks work"]
    lines += [f"peak = {flops}", f"flops = {flops}", f"bandwidth = {bandwidth}", ""]
    return "\n".join([*lines, *kernel_tables(kernels)]) + "\n"


def device_tables(device: Device) -> str:
    """The tables of a device."""
    lines = ["[device]                     # for a rank that has it to itself"]
    scalars = [entry.name for entry in fields(device)]
    lines += [
        f"{name} = {_value(getattr(device, name))}"
        for name in scalars
        if name not in ("transfers", "kernels")
    ]
    lines += ["", "[device.transfers]           # copies from the host's memory, and back"]
    lines += [*_columns(device.transfers), ""]
    return "\n".join([*lines, *kernel_tables(device.kernels, "device.kernels")]) + "\n"


def _memory(alone: Curve, curves: Sequence[Curve], nodes: int) -> list[str]:
    """The table [memory]. One message has the times of ping-pong. `bandwidth` is what all ranks get
    together at best. On several nodes it is a number of ranks times the bandwidth of each; on a
    single node, where [protocol] has the times of one message, it comes from `_at_once`. There a
    rank's processor copies all its messages, which therefore share its bandwidth.
    """
    totals = _totals(curves, "node") if nodes > 1 else _at_once(alone, curves)
    together = [alone.bandwidth, *totals]
    shared = ["rank_shares = true"] if nodes == 1 else []
    return [
        "[memory]",
        f"latency = {_value(alone.latency or alone.seconds[0])}",
        f"rank_bandwidth = {_value(alone.bandwidth)}",
        f"bandwidth = {_value(max(together))}",
        *shared,
    ]


def _protocol(alone: Curve, calls: CallCosts) -> list[str]:
    """The table [protocol]: factors with which one message takes the time of ping-pong at every
    size, if the calls of both its sides in [overhead] are added. Messages below the size at which
    the library changes its protocol are sent before the receiver asks for them.
    """
    line = Line(alone.latency or alone.seconds[0], alone.bandwidth)
    parts = [_part(alone, line, i) for i in range(len(alone.sizes))]
    beside = -2 * calls.message[0] if calls.message else 0.0
    factors = {
        "latency_factors": tuple((part.latency + beside) / line.latency for part in parts),
        "bandwidth_factors": tuple(part.bandwidth / line.bandwidth for part in parts),
    }
    return [
        "[protocol]                   # fitted to ping-pong",
        *(f"eager = {size}" for size in alone.bends[:1]),
        f"sizes = {_value(alone.sizes)}",
        *(f"{name} = {_value(tuple(map(_factor, row)))}" for name, row in factors.items()),
    ]


def _overhead(calls: CallCosts) -> list[str]:
    """The table [overhead]: what each message costs at either end, what threads add to it, and what
    a round of an exchange and a collective call cost beside their messages. A protocol that was not
    measured costs as much as two-sided messages; co-arrays and OpenSHMEM cost as much as other
    one-sided messages.
    """
    kinds = dict(zip(schema.OVERHEADS, calls.message, strict=True))
    usual = kinds["two-sided"]
    for name in ("coarray", "shmem"):
        kinds[name] = kinds[name] or kinds["one-sided"]
    costs = {name: each or usual for name, each in kinds.items()}
    costs |= {"round": calls.round, "collective": calls.collective, "threads": calls.threads}
    return ["[overhead]", *(f"{name} = {_value(each)}" for name, each in costs.items())]


def _exchanges(table: str, way: str, seconds: Sequence[float]) -> list[str]:
    known = [pair for pair in zip(PROTOCOLS, seconds, strict=False) if pair[1] > 0.0]
    return [
        f"[{table}]".ljust(29) + f"# 8 bytes {way} between two ranks",
        *(f"{name} = {_value(seconds)}" for name, seconds in known),
    ]


def _columns(table: Copies | Streams | Types | Transfers) -> list[str]:
    names = (entry.name for entry in fields(table) if getattr(table, entry.name))
    return [f"{name} = {_value(getattr(table, name))}" for name in names]


def _factor(value: float) -> float:
    """The nearest factor that a machine file accepts."""
    least, most = schema.FACTOR.least, schema.FACTOR.most
    assert least is not None and most is not None
    return min(max(value, least), most)


def _part(curve: Curve, line: Line, i: int) -> Line:
    """The curve from size i on, as a straight line. A line with a negative time for 0 bytes is
    replaced by one that meets the curve in the middle of the part.
    """
    size, seconds = curve.sizes[i], curve.seconds[i]
    rise = _rise(curve, i)
    if rise <= 0.0:
        return Line(seconds, math.inf)
    if (latency := seconds - rise * size) > 0.0:
        return Line(latency, 1.0 / rise)
    latency = min(line.latency, 0.5 * seconds)
    middle = math.sqrt(size * curve.sizes[min(i + 1, len(curve.sizes) - 1)])
    return Line(latency, middle / (curve.seconds_of(middle) - latency))


def _rise(curve: Curve, i: int) -> float:
    """Seconds per byte from size i to the next one. If there is no next size, or another protocol
    begins there, the slope up to size i stands for it, or 0 if that belongs to another protocol
    too.
    """
    sizes, seconds = curve.sizes, curve.seconds
    if i + 1 == len(sizes) or sizes[i + 1] in curve.bends:
        if i == 0 or sizes[i] in curve.bends:
            return 0.0
        i -= 1
    return (seconds[i + 1] - seconds[i]) / (sizes[i + 1] - sizes[i])


def _network(curves: Sequence[Curve]) -> list[str]:
    alone = find(curves, "ping-pong", level="network")
    both = find(curves, "ping-ping", level="network")
    assert alone is not None and both is not None
    flow = max(alone.bandwidth, both.bandwidth)
    return [
        "[network]",
        'kind = "fat-tree"',
        f"latency = {_value(alone.latency or alone.seconds[0])}",
        f"flow_bandwidth = {_value(flow)}",
        f"adapter_bandwidth = {_value(max([flow, *_totals(curves, 'network')]))}",
    ]


def _at_once(alone: Curve, curves: Sequence[Curve]) -> list[float]:
    """Bandwidths [B/s] of a node whose ranks send at once, one for each number of ranks that was
    measured: the messages that get through in the time of one (median over long messages), times
    the bandwidth of one.
    """
    sizes = np.array([size for size in alone.sizes if size >= LONG], dtype=np.float64)
    if not len(sizes):
        return _totals(curves, "node")
    return [
        float(curve.pairs * np.median(alone.seconds_of(sizes) / curve.seconds_of(sizes)))
        * alone.bandwidth
        for curve in curves
        if curve.benchmark == "parallel" and curve.level == "node"
    ]


def _totals(curves: Sequence[Curve], level: str) -> list[float]:
    return [
        curve.pairs * curve.bandwidth
        for curve in curves
        if curve.benchmark == "parallel" and curve.level == level
    ]

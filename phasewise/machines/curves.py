"""Measured times of messages over their sizes, as a machine file holds them
(docs/measuring-machines.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import StudyError
from phasewise.machines import schema
from phasewise.tables.declared import check_needed
from phasewise.tables.keys import Key, check_table, convert, plain, show, with_defaults

Floats = NDArray[np.float64]

DEEPEST_FALL = 0.25
"""The share to which a time may fall at a protocol change; a deeper fall is an error in the
file.
"""


@dataclass(frozen=True)
class Line:
    """Time of a message of s bytes: latency + s / bandwidth [s, B/s]."""

    latency: float
    bandwidth: float

    def seconds(self, size: float) -> float:
        """Time [s] of a message of `size` bytes."""
        return self.latency + size / self.bandwidth


@dataclass(frozen=True)
class Curve:
    """Times of one benchmark's messages by size.

    benchmark: ping-pong, ping-ping, parallel or grid. level: socket, node or network; on a node of
    several sockets, messages of level node go between two of them. pairs: messages that leave the
    node at once (network), or its ranks that send at once (node, socket). A grid has a direction
    (along the row or the column), a distance (steps to the partner) and ranks (in all); ranks is 0
    elsewhere. sizes [B] increase; seconds (medians) with their 95 % confidence interval low, high;
    latency [s], bandwidth [B/s] and relative rms residual of the straight line; bends: sizes [B]
    from which on another protocol holds.
    """

    benchmark: str
    level: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    latency: float
    bandwidth: float
    residual: float = 0.0
    pairs: int = 1
    direction: str = ""
    distance: int = 0
    ranks: int = 0
    bends: tuple[int, ...] = ()
    noisy: bool = False

    @property
    def name(self) -> str:
        """What was measured, in a few words."""
        return name_of(vars(self))

    @property
    def line(self) -> Line:
        """The straight line that was fitted to the times."""
        return Line(self.latency, self.bandwidth)

    def later(self, more: float) -> Curve:
        """The curve of messages that take `more` [s] longer, whatever their size."""
        rows = (self.seconds, self.low, self.high)
        seconds, low, high = (tuple(one + more for one in row) for row in rows)
        return replace(self, seconds=seconds, low=low, high=high, latency=self.latency + more)

    @overload
    def seconds_of(self, size: float) -> float: ...
    @overload
    def seconds_of(self, size: Floats) -> Floats: ...
    def seconds_of(self, size: float | Floats) -> float | Floats:
        """Time [s] of messages of `size` bytes, a number or an array of any shape.

        Linear between measured sizes; beyond the last one, straight on through the last two.
        """
        wanted = np.asarray(size, dtype=np.float64)
        times = straight_on(self.sizes, self.seconds, wanted)
        return float(times) if wanted.ndim == 0 else times

    @property
    def half_widths(self) -> Floats:
        """Half of the width of each interval, relative to its median (n,)."""
        low, high, seconds = (np.asarray(row) for row in (self.low, self.high, self.seconds))
        return np.asarray(0.5 * (high - low) / seconds, dtype=np.float64)


def straight_on(sizes: Sequence[float], seconds: Sequence[float], wanted: Floats) -> Floats:
    """Times [s] at the `wanted` sizes: linear between those measured, beyond the last one straight
    on through the last two.
    """
    known, taken = np.asarray(sizes, dtype=np.float64), np.asarray(seconds, dtype=np.float64)
    times = np.interp(wanted, known, taken)
    if len(known) > 1:
        slope = (taken[-1] - taken[-2]) / (known[-1] - known[-2])
        times = times + np.maximum(wanted - known[-1], 0.0) * slope
    return np.asarray(times, dtype=np.float64)


def name_of(labels: Mapping[str, Any]) -> str:
    """What a curve with these fields describes, in a few words."""
    if labels["benchmark"] == "grid":
        return f"grid {labels['direction']} {labels['distance']}, {labels['ranks']} ranks"
    pairs = f", {labels['pairs']}" if labels["benchmark"] == "parallel" else ""
    return f"{labels['benchmark']} {labels['level']}{pairs}"


@dataclass(frozen=True)
class Measured:
    """Where the curves come from: "simulator" or "hardware", ranks, date (ISO), host, twin; load:
    the load average before the measurement; core_seconds: the time of a cache line from one core to
    another [s] while messages were timed, 0 if it is not known.
    """

    reference: str
    ranks: int
    date: str = ""
    host: str = ""
    twin: str = ""
    load: float = 0.0
    core_seconds: float = 0.0


def find(
    curves: Iterable[Curve],
    benchmark: str,
    level: str | None = None,
    pairs: int | None = None,
    ranks: int | None = None,
) -> Curve | None:
    """The curve of a benchmark and level; None if there is none.

    If several match, it is the one with the nearest ranks, then the nearest pairs, compared as
    ratios. None stands for any value.
    """
    exact = [
        curve for curve in curves if curve.benchmark == benchmark and level in (None, curve.level)
    ]
    wanted = (("ranks", ranks), ("pairs", pairs))

    def apart(curve: Curve) -> list[float]:
        return [
            log_factor(getattr(curve, key), value) for key, value in wanted if value is not None
        ]

    return min(exact, key=apart, default=None)


def log_factor(value: int, wanted: int) -> float:
    """Distance of two counts: the logarithm of their ratio, with 0 taken as 1."""
    return abs(math.log(max(value, 1) / max(wanted, 1)))


def read_curves(given: object) -> tuple[Curve, ...]:
    """The [[curve]] tables of a machine file; StudyError, one sentence, if one is no curve."""
    tables = plain(given)
    if not isinstance(tables, list | tuple):
        raise StudyError(f"curve must be tables, [[curve]], but is {show(tables)}")
    curves = tuple(_curve(table, f"curve[{i}]") for i, table in enumerate(tables, 1))
    seen: dict[str, int] = {}
    for number, curve in enumerate(curves, 1):
        if curve.name in seen:
            raise StudyError(
                f"curve[{number}] is {curve.name}, as is curve[{seen[curve.name]}]; leave one out"
            )
        seen[curve.name] = number
    return curves


def read_measured(given: object) -> Measured:
    """The [measured] table of a machine file."""
    values = check_table(given, schema.MEASURED, "measured")
    check_needed(values, schema.MEASURED, "measured")
    return Measured(**with_defaults(values, schema.MEASURED))


def _curve(table: object, where: str) -> Curve:
    values = check_table(table, schema.CURVE, where)
    check_needed(values, schema.CURVE, where, schema.OF_CURVE)
    if values["benchmark"] == "grid":
        check_needed(values, schema.CURVE, where, schema.OF_GRID)
    values = with_defaults(values, schema.CURVE)
    rows = {
        "sizes": _row(values["sizes"], schema.SIZE, f"{where}.sizes"),
        "bends": _row(values["bends"], schema.SIZE, f"{where}.bends"),
        "seconds": _row(values["seconds"], schema.MESSAGE_SECONDS, f"{where}.seconds"),
    }
    for name in ("low", "high"):
        own = values[name] if values[name] is not None else rows["seconds"]
        rows[name] = _row(own, schema.MESSAGE_SECONDS, f"{where}.{name}")
    _check_rows(rows, where)
    return Curve(**(values | rows))


def _row(given: object, key: Key, where: str) -> tuple[Any, ...]:
    values = plain(given)
    if not isinstance(values, list | tuple):
        raise StudyError(f"{where} must be a list of {key.plural}, but is {show(values)}")
    return tuple(convert(value, key, f"{where}[{i}]") for i, value in enumerate(values, 1))


def _check_rows(rows: Mapping[str, Sequence[Any]], where: str) -> None:
    sizes, seconds = rows["sizes"], rows["seconds"]
    if not sizes:
        raise StudyError(f"{where}.sizes is empty")
    for name in ("seconds", "low", "high"):
        if len(rows[name]) != len(sizes):
            raise StudyError(
                f"{where}.{name} has {len(rows[name])} numbers and {where}.sizes {len(sizes)}: "
                "give one for each size"
            )
    for name in ("sizes", "bends"):
        if any(b <= a for a, b in zip(rows[name], rows[name][1:], strict=False)):
            raise StudyError(f"{where}.{name} = {show(list(rows[name]))} must increase")
    _check_units(sizes, seconds, where)
    _check_rise(sizes, seconds, rows["bends"], where)
    for size, low, middle, high in zip(sizes, rows["low"], seconds, rows["high"], strict=True):
        if not low <= middle <= high:
            raise StudyError(
                f"{where}: the time of {size} B, {show(middle)} s, lies outside of its interval, "
                f"{show(low)} to {show(high)} s"
            )


def _check_units(sizes: Sequence[int], seconds: Sequence[float], where: str) -> None:
    """Refuse impossible bandwidths, which indicate microseconds or kilobytes in the file."""
    least, most = schema.MEASURED_BANDWIDTH.least, schema.MEASURED_BANDWIDTH.most
    assert least is not None and most is not None
    for size, time in zip(sizes, seconds, strict=True):
        # Below 1 kB the time is latency and gives no bandwidth.
        if size >= 1024 and not least <= size / time <= most:
            raise StudyError(
                f"{where}: {size} B in {show(time)} s are {show(size / time)} B/s, which is not "
                f"between {least:g} and {most:g}; sizes are in B and times in s"
            )


def _check_rise(
    sizes: Sequence[int], seconds: Sequence[float], bends: Sequence[int], where: str
) -> None:
    for i in range(1, len(sizes)):
        fall = seconds[i] / seconds[i - 1]
        if fall < 1 and (sizes[i] not in bends or fall < DEEPEST_FALL):
            raise StudyError(
                f"{where}.seconds falls from {show(seconds[i - 1])} at {sizes[i - 1]} B to "
                f"{show(seconds[i])} at {sizes[i]} B: a longer message takes longer, unless bends "
                "says that another protocol begins there"
            )

"""The slides' pictures of COMMTEST: bandwidth of a pair against the length of a message."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from matplotlib.ticker import LogLocator

from phasewise.report.figure import Drawing, Figure, make_figure
from phasewise.report.predictions import COLOURS, logarithmic, rank_axis
from phasewise.report.style import new_picture
from phasewise.workload.protocols import simulated_name
from phasewise.workloads.commtest.reproduction.times import (
    ALTIX,
    ECHO,
    FAR,
    MANY,
    MPI,
    NEAR,
    P690,
    SHMEM,
    SWAP,
    TWO,
    X1,
    Curve,
    Times,
)

TICKS = tuple(2**power for power in range(3, 25, 3))
"""Lengths at the axis [bytes]."""

SIMULATED = "Simulated; the reference is a simulator, not hardware"

_PATTERNS = [Curve(X1, pairs) for pairs in (NEAR, FAR, TWO, MANY)]


def _against_shmem(pairs: str) -> list[Curve]:
    return [
        Curve(X1, pairs, operator, protocol)
        for protocol in (MPI, SHMEM)
        for operator in (SWAP, ECHO)
    ]


PICTURES: dict[str, tuple[str, Sequence[Curve], bool]] = {
    "swap-patterns": ("MPI SWAP Evaluation", _PATTERNS, True),
    "swap-patterns-linear": ("MPI SWAP Evaluation (log-linear)", _PATTERNS, False),
    "swap-near": (
        "MPI SWAP Platform Comparisons (one node)",
        [Curve(name, NEAR) for name in (X1, P690, ALTIX)],
        True,
    ),
    "swap-far": (
        "MPI SWAP Platform Comparisons (two nodes)",
        [Curve(X1, FAR), Curve(P690, "0-32"), Curve(ALTIX, "96-192")],
        True,
    ),
    "swap-contention": (
        "MPI SWAP Contention Evaluation",
        [Curve(name, pairs) for name in (X1, ALTIX) for pairs in (NEAR, TWO, MANY)],
        True,
    ),
    "shmem-near": ("MPI vs. SHMEM 0-1 Comparison on X1", _against_shmem(NEAR), True),
    "shmem-near-linear": (
        "MPI vs. SHMEM 0-1 Comparison on X1 (log-linear)",
        _against_shmem(NEAR),
        False,
    ),
    "shmem-many": ("MPI vs. SHMEM i-(i+8) Comparison on X1", _against_shmem(MANY), True),
    "shmem-many-linear": (
        "MPI vs. SHMEM i-(i+8) Comparison on X1 (log-linear)",
        _against_shmem(MANY),
        False,
    ),
}
"""By name: the slide's title, the lines, and whether the bandwidth's axis is logarithmic."""


def make_figures(times: Times, pictures: Path | None) -> tuple[Figure, ...]:
    """All pictures; PNG files go into a folder where one is given."""
    return tuple(
        make_figure(name, title, partial(_draw, times, title, curves, as_logarithm), pictures)
        for name, (title, curves, as_logarithm) in PICTURES.items()
    )


def _draw(times: Times, title: str, curves: Sequence[Curve], as_logarithm: bool) -> Drawing:
    canvas, axes = new_picture(1, 1, 3.9)
    axis = axes[0, 0]
    for index, curve in enumerate(curves):
        points = sorted(times[curve].items())
        lengths = [length for length, _ in points]
        rates = [1e-6 * point.bandwidth for _, point in points]
        colour = COLOURS[index % len(COLOURS)]
        axis.plot(lengths, rates, "o-", color=colour, markersize=3, label=label_of(curve))
    rank_axis(axis, TICKS)
    if as_logarithm:
        logarithmic(axis)
        axis.yaxis.set_major_locator(LogLocator())
    axis.set_xlabel("bytes of a message")
    axis.set_title("bandwidth of a pair [MB/s]")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Drawing(canvas, f"{title}. {SIMULATED}.")


def label_of(curve: Curve) -> str:
    """A line in words."""
    return f"{curve.machine}, {curve.operator} {curve.pairs}, {simulated_name(curve.protocol)}"

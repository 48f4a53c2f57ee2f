"""The slides' pictures of HALO: seconds of an exchange against the words of a message."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from phasewise.report.figure import Drawing, Figure, make_figure
from phasewise.report.predictions import COLOURS, logarithmic, rank_axis
from phasewise.report.style import new_picture
from phasewise.workload.protocols import simulated_name
from phasewise.workloads.halo.reproduction.times import (
    ALTIX,
    MPI,
    ONE_SIDED,
    P690,
    RANKS,
    TYPES,
    X1,
    Curve,
    Times,
)

SIMULATED = "Simulated; the reference is a simulator, not hardware"

PICTURES = {
    "halo-protocols": (
        "HALO MPI Protocol Comparison",
        [Curve(X1, name) for name in (*MPI, *TYPES)],
    ),
    "halo-paradigms": (
        "HALO Exchange Paradigm Comparison",
        [Curve(X1, name) for name in ("persistent", *ONE_SIDED)],
    ),
    "halo-mpi": (
        "HALO Benchmark (MPI)",
        [
            *(Curve(name, "persistent") for name in (X1, P690, ALTIX)),
            *(Curve(X1, name) for name in ONE_SIDED),
        ],
    ),
    "halo-best": (
        "HALO Benchmark",
        [
            *(Curve(X1, name) for name in ONE_SIDED),
            Curve(P690, "persistent"),
            Curve(ALTIX, "shmem"),
        ],
    ),
    "halo-distance": (
        "Moral? (distance)",
        [Curve(X1, "persistent", 2), Curve(X1, "persistent", 2, apart=True)],
    ),
}
"""By name: the slide's title, and the lines."""


def make_figures(times: Times, pictures: Path | None) -> tuple[Figure, ...]:
    """All pictures; PNG files go into a folder where one is given."""
    return tuple(
        make_figure(name, title, partial(_draw, times, title, curves), pictures)
        for name, (title, curves) in PICTURES.items()
    )


def _draw(times: Times, title: str, curves: Sequence[Curve]) -> Drawing:
    canvas, axes = new_picture(1, 1, 3.9)
    axis = axes[0, 0]
    for index, curve in enumerate(curves):
        words = sorted(times[curve])
        micros = [1e6 * times[curve][n] for n in words]
        colour = COLOURS[index % len(COLOURS)]
        axis.plot(words, micros, "o-", color=colour, markersize=3, label=label_of(curve))
    every = sorted({n for curve in curves for n in times[curve]})
    rank_axis(axis, every[::2])
    axis.set_xlabel("words of 8 B in a message")
    axis.set_title("time of an exchange [µs]")
    logarithmic(axis)
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Drawing(canvas, f"{title}: HALO on {curves[0].ranks} ranks. {SIMULATED}.")


def label_of(curve: Curve) -> str:
    """A line in words."""
    if curve.ranks == RANKS:
        return f"{curve.machine}, {simulated_name(curve.protocol)}"
    return f"{curve.machine}, {'two nodes' if curve.apart else 'one node'}"

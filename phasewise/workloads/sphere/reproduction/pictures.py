"""The slides' pictures of PSTSWM: rates over truncations and levels, and times of timesteps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.output import number_of
from phasewise.report.figure import Drawing, Figure, Missing, make_figure
from phasewise.report.palette import SERIES
from phasewise.report.predictions import logarithmic, rank_axis
from phasewise.report.style import MUTED, new_picture
from phasewise.workloads.sphere.bench import TRUNCATIONS, USUAL_LEVELS
from phasewise.workloads.sphere.communication import BY_LEVEL, FAST, FIXED
from phasewise.workloads.sphere.reproduction.claims import FFT_SHARE, LEGENDRE_SHARE
from phasewise.workloads.sphere.reproduction.measured import Measured, Timings, range_of
from phasewise.workloads.sphere.reproduction.simulated import (
    MACHINES,
    MSP,
    SSP,
    Rates,
    Simulated,
    Way,
    assumed_rates,
)
from phasewise.workloads.sphere.reproduction.variants import (
    ALGORITHMS,
    ONE_LEVEL,
    PROBLEM,
    RANKS,
    SLOW,
    by_levels,
    by_truncation,
)

HERE = "Measured on one core of this computer"
SIMULATED = "simulated; the reference is a simulator, not hardware"
GIGAFLOPS = "rate [Gflop/s]"
VERSIONS = {
    BY_LEVEL: "original: loops over single levels",
    FAST: "port: all levels at once",
    FIXED: "levels compiled in",
}
PROCESSORS = {MSP: 4, SSP: 16}
"""Processors of a node of the X1, by the machine whose ranks they are."""

RATES = ("alone", "together", "ratio")

Curve = Mapping[int, float]
"""A rate by truncation or by levels."""


def make_figures(measured: Measured, simulated: Simulated, out: Path) -> tuple[Figure, ...]:
    """All pictures of rates and times; PNG files go into `out`."""
    drawn: dict[str, tuple[str, Callable[[], Drawing | Missing]]] = {
        "sphere-versions-1": (
            "PSTSWM Implementation Comparisons (one vertical level)",
            partial(_versions, measured.versions, simulated.rates, ONE_LEVEL),
        ),
        "sphere-versions-18": (
            "PSTSWM Implementation Comparisons (18 vertical levels)",
            partial(_versions, measured.versions, simulated.rates, USUAL_LEVELS),
        ),
        "sphere-truncations": (
            "PSTSWM Serial Benchmark (18 vertical levels)",
            partial(_truncations, measured.versions, simulated.rates),
        ),
        "sphere-levels": (
            "PSTSWM Serial Benchmark (T85)",
            partial(_levels, measured.levels, simulated.rates),
        ),
        "sphere-peak": ("PSTSWM Scaling", partial(_peak, measured.versions)),
        "sphere-together": (
            "PSTSWM SMP Node Benchmark (all processors of a node)",
            partial(_together, measured.together),
        ),
        "sphere-node": (
            "PSTSWM SMP Node Benchmark (SSP and MSP)",
            partial(_node, simulated.rates),
        ),
        "sphere-algorithms": (
            "PSTSWM Algorithm Comparison",
            partial(_algorithms, simulated),
        ),
    }
    return tuple(make_figure(name, title, draw, out) for name, (title, draw) in drawn.items())


def _versions(timings: Timings, rates: Rates, levels: int) -> Drawing:
    canvas, axes = new_picture(1, 2, 3.6)
    here = {words: _measured(timings, levels, kernel) for kernel, words in VERSIONS.items()}
    on_x1 = {words: by_truncation(rates[MSP], levels, kernel) for kernel, words in VERSIONS.items()}
    _lines(axes[0, 0], here, TRUNCATIONS)
    axes[0, 0].set_title(f"here: {GIGAFLOPS}")
    _lines(axes[0, 1], {words: curve for words, curve in on_x1.items() if curve}, TRUNCATIONS)
    axes[0, 1].set_title(f"{MSP}: {GIGAFLOPS}")
    canvas.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return Drawing(
        canvas,
        f"Versions of the program over the truncation. {HERE} on the left; on the right an MSP of "
        f"{MSP}, {SIMULATED}, whose model knows no difference between levels that are compiled in "
        "and others. There a loop over few levels is shorter than a vector, while the original "
        "loops go over degrees or latitudes.",
    )


def _measured(timings: Timings, levels: int, kernel: str) -> dict[int, float]:
    """Rates measured here by truncation."""
    own = by_truncation(timings, levels, kernel)
    return {truncation: timing.gigaflops.median for truncation, timing in own.items()}


def _truncations(timings: Timings, rates: Rates) -> Drawing:
    curves = {"here": _measured(timings, USUAL_LEVELS, FAST)} | {
        name: by_truncation(of, USUAL_LEVELS, FAST) for name, of in rates.items()
    }
    return _serial(curves, TRUNCATIONS, "truncation", "18 levels over the truncation")


def _levels(timings: Timings, rates: Rates) -> Drawing:
    here = {number: timing.gigaflops.median for number, timing in by_levels(timings).items()}
    curves = {"here": here} | {name: by_levels(of) for name, of in rates.items()}
    ticks = sorted({at for curve in curves.values() for at in curve})
    return _serial(curves, ticks, "levels", "T85 over the number of levels")


def _serial(curves: Mapping[str, Curve], ticks: Sequence[int], along: str, what: str) -> Drawing:
    canvas, axes = new_picture(1, 1, 3.9)
    axis = axes[0, 0]
    _lines(axis, curves, ticks, along)
    axis.set_title(GIGAFLOPS)
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Drawing(
        canvas,
        f"One processor, {what}. {HERE} (here); one rank of {', '.join(MACHINES)}, {SIMULATED}. "
        f"{assumed_rates()}",
    )


def _lines(
    axis: Axes, curves: Mapping[str, Curve], ticks: Sequence[int], along: str = "truncation"
) -> None:
    for colour, (name, curve) in zip(SERIES, curves.items(), strict=False):
        at = sorted(curve)
        axis.plot(at, [curve[n] for n in at], "o-", color=colour, markersize=3, label=name)
    rank_axis(axis, ticks)
    axis.set_xlabel(along)
    logarithmic(axis)


def _peak(timings: Timings) -> Drawing:
    own = by_truncation(timings, USUAL_LEVELS, FAST)
    canvas, axes = new_picture(1, 1, 3.6)
    axis, at = axes[0, 0], list(own)
    for colour, name, share, values in (
        (SERIES[0], "FFT", FFT_SHARE, [range_of(one.fourier) for one in own.values()]),
        (SERIES[1], "Legendre", LEGENDRE_SHARE, [range_of(one.legendre) for one in own.values()]),
    ):
        axis.plot(
            at, [100 * v.median for v in values], "o-", color=colour, markersize=3, label=name
        )
        ends = ([100 * v.low for v in values], [100 * v.high for v in values])
        axis.fill_between(at, *ends, color=colour, alpha=0.2, linewidth=0)
        axis.axhline(100 * share, color=colour, linestyle=":", label=f"{name}, the slide")
    rank_axis(axis, at)
    axis.set_xlabel("truncation")
    axis.set_ylim(0.0)
    axis.set_title("share of the peak [%]")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Drawing(
        canvas,
        f"Rates of both transforms of 18 levels over that of multiply-adds in registers. {HERE}; "
        "bands are ranges that hold the medians. Dotted lines show what the slide gives for the "
        "Cray X1.",
    )


def _together(found: Mapping[str, Mapping[str, Any]]) -> Drawing | Missing:
    if not found:
        return Missing("Run it without --quick to see the rate of all cores at once.")
    canvas, axes = new_picture(1, 1, 2.8)
    axis, at = axes[0, 0], np.arange(len(found))
    (copies,) = {one["copies"] for one in found.values()}
    rates = [{key: next(iter(one[key].values())) for key in RATES} for one in found.values()]
    shares = [100 * one["ratio"] for one in rates]
    bars = axis.bar(at, shares, 0.4, color=SERIES[0])
    words = [f"{one['together']:.3g} of {one['alone']:.3g} timesteps/s" for one in rates]
    axis.bar_label(bars, words, fontsize=8, padding=2)
    axis.axhline(100.0, color=MUTED, linestyle=":")
    axis.set_xticks(at, [case.upper() for case in found])
    axis.set_ylim(0.0, 115.0)
    axis.set_title(f"rate of each of {copies} copies over that of one alone [%]")
    return Drawing(
        canvas,
        "The same problem with 18 levels in one copy, and in a copy on each core at once, in step "
        "(bench sphere --together). Measured on this computer.",
    )


def _node(rates: Rates) -> Drawing:
    canvas, axes = new_picture(1, 1, 3.6)
    curves = {
        f"{processors} ranks of {name}": {
            truncation: processors * rate
            for truncation, rate in by_truncation(rates[name], USUAL_LEVELS, FAST).items()
        }
        for name, processors in PROCESSORS.items()
    }
    _lines(axes[0, 0], curves, TRUNCATIONS)
    axes[0, 0].set_title("all processors of a node [Gflop/s]")
    axes[0, 0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Drawing(
        canvas,
        "The same problem with 18 levels on each processor of a node of the X1, in MSP and in SSP "
        f"mode; {SIMULATED}: the rate of one processor times their number, since kernels of the "
        "model do not share the memory of a node.",
    )


def _algorithms(simulated: Simulated) -> Drawing:
    seconds = simulated.seconds
    groups = list(dict.fromkeys((way.sums, way.slow) for way in seconds))
    canvas, axes = new_picture(1, 1, 3.6)
    axis, at = axes[0, 0], np.arange(len(groups))
    for place, name in enumerate(ALGORITHMS):
        values = [seconds[Way(name, *group)] for group in groups]
        bars = axis.bar(at + 0.38 * place - 0.19, values, 0.36, color=SERIES[place], label=name)
        axis.bar_label(bars, [f"{value:.3f}" for value in values], fontsize=8)
    (rank,) = SLOW
    labels = [
        f"sums {sums}{f',{chr(10)}rank {rank} slow' if slow else ''}" for sums, slow in groups
    ]
    axis.set_xticks(at, labels)
    axis.set_title("seconds of a timestep")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    truncation, levels = PROBLEM
    return Drawing(
        canvas,
        f"T{truncation}L{levels} on {RANKS} ranks of {MSP}: whole wavenumbers after a transpose, "
        f"or sums over the ranks along a ring, in {number_of(simulated.blocks, 'block')}; "
        f"{SIMULATED}. PSTSWM adds sums as they come (plain).",
    )

"""The slides "EVH1: MSP vs. SSP", a picture for each grid, and what the lead of SSPs depends on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes

from phasewise.report.figure import Drawing, Figure, make_figure
from phasewise.report.palette import SERIES
from phasewise.report.predictions import logarithmic, rank_axis
from phasewise.report.style import MUTED, new_picture
from phasewise.report.tables import Table
from phasewise.workloads.hydro.reproduction.claims import STARTED, STARTS
from phasewise.workloads.hydro.reproduction.times import (
    BRUCK,
    FIXED,
    GRIDS,
    MODEL,
    MSP,
    PAIRWISE,
    SSP,
    SSPS,
    STRANG,
    Ratios,
    Times,
    leads,
    pairs,
    rounded,
)

SLIDE = "EVH1: MSP vs. SSP"
PREDICTED = f"Predicted by the model {MODEL}; the reference is a simulator, not hardware"
MODES = {False: f"MSPs ({MSP})", True: f"SSPs ({SSP})"}
KERNELS = {"loops along a pencil": "-", "loops over all pencils": ":"}
BETWEEN, COMPUTING = 10, 2
"""How many times as long the scalar work between loops, and all computing, might take."""


def make_figures(times: Times, out: Path) -> tuple[Figure, ...]:
    """A picture for each slide; PNG files go into `out`."""
    return tuple(
        make_figure(
            f"hydro-{zones}", f"{SLIDE} ({zones} × {zones})", partial(_draw, times, zones), out
        )
        for zones in GRIDS
    )


def _draw(times: Times, zones: int) -> Drawing:
    canvas, axes = new_picture(1, 2, 3.6)
    at = _seconds(axes[0, 0], times, zones)
    _ratios(axes[0, 1], times, zones)
    for axis in axes[0]:
        rank_axis(axis, at)
        axis.set_xlabel("MSPs")
        axis.tick_params(axis="x", labelsize="small")
    canvas.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    most = zones // SSPS
    return Drawing(
        canvas,
        f"A timestep with {zones} × {zones} zones on MSPs, a rank on each, and on their SSPs, "
        f"{SSPS} ranks for each MSP. There are at most {zones} ranks, so that {most} MSPs are the "
        f"most in SSP mode. On the right, how many times as fast SSPs are. Solid lines are of the "
        f"source's loops along one pencil, dotted ones of loops over all pencils of a rank. "
        f"{PREDICTED}.",
    )


def _seconds(axis: Axes, times: Times, zones: int) -> list[int]:
    """Draw times of both modes and both kinds of loops; the numbers of MSPs."""
    own = sorted(
        (way for way in times if (way.zones, way.transpose, way.order) == (zones, PAIRWISE, FIXED)),
        key=lambda way: way.msps,
    )
    for colour, (ssp, mode) in zip(SERIES, MODES.items(), strict=False):
        ways = [way for way in own if way.ssp is ssp]
        at = [way.msps for way in ways]
        curves = ([times[way].seconds for way in ways], [times[way].fast for way in ways])
        for (loops, line), seconds in zip(KERNELS.items(), curves, strict=True):
            values = [1e3 * one for one in seconds]
            axis.plot(
                at, values, line, marker="o", markersize=3, color=colour, label=f"{mode}, {loops}"
            )
    logarithmic(axis)
    axis.set_title("a timestep [ms]")
    return sorted({way.msps for way in own})


def _ratios(axis: Axes, times: Times, zones: int) -> None:
    own = pairs(times, zones)
    fast = {number: msp.fast / ssp.fast for number, (msp, ssp) in own.items()}
    for line, ratios in zip(KERNELS.values(), (leads(times, zones), fast), strict=True):
        axis.plot(
            list(ratios), list(ratios.values()), line, marker="o", markersize=3, color=SERIES[2]
        )
    axis.axhline(1.0, color=MUTED, linewidth=0.8)
    axis.set_ylim(0.0)
    axis.set_title("times as fast on SSPs")


def make_table(times: Times) -> Table:
    """How many times as fast SSPs are, and what it depends on."""
    numbers = sorted({number for zones in GRIDS for number in leads(times, zones)})
    rows = [
        (f"{zones} × {zones}", words, *(_cell(ratios, number) for number in numbers))
        for zones in GRIDS
        for words, ratios in variants_of(times, zones).items()
        if ratios
    ]
    note = (
        f"{PREDICTED}. As in the files: {MSP} and {SSP}, loops along one pencil, the axes in the "
        f"source's order, a message from each rank to every other one. {STARTED} EVH1 calls "
        "subroutines between its loops, which the card of our own scalar work does not count. The "
        "files have the rate of a product of matrices, and these kernels may be slower."
    )
    heads = ("zones", "times as fast on SSPs, by MSPs", *map(str, numbers))
    return Table(f"{SLIDE}: what the lead depends on", heads, tuple(rows), note)


def variants_of(times: Times, zones: int) -> Mapping[str, Ratios]:
    """How many times as fast SSPs are with a grid, and how many times if something were
    different.
    """
    own = pairs(times, zones)

    def changed(**more: float) -> Ratios:
        return {n: msp.with_more(**more) / ssp.with_more(**more) for n, (msp, ssp) in own.items()}

    return {
        "as in the files": leads(times, zones),
        "without messages": {n: msp.computing / ssp.computing for n, (msp, ssp) in own.items()},
        f"{STARTS} times as many loops, as in VH-1": changed(starts=STARTS),
        f"scalar work between loops {BETWEEN} times as long": changed(between=BETWEEN),
        f"computing {COMPUTING} times as long": changed(computing=COMPUTING),
        "axes in turn (Strang)": leads(times, zones, order=STRANG),
        "messages in log P rounds (Bruck)": leads(times, zones, transpose=BRUCK),
    }


def _cell(ratios: Ratios, number: int) -> str:
    return rounded([ratios[number]]) if number in ratios else "–"

"""Picture of the centroids' spectra along the run: tune on x, turn on y, amplitude in colour."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from phasewise.analysis.spectrum import Floats
from phasewise.analysis.waterfall import Waterfall, waterfall
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import INK, log_ticks, new_picture
from phasewise.workloads.collision.report.beams_run import BeamsRun

MIN_TURNS = 512
"""Fewer turns than this do not make four windows that resolve anything."""
SHORTEST = 128
RESOLVED = 4.0
"""A window has this many turns, divided by ξ, if the run is long enough; σ and π are then two
lines.
"""
ROWS = 150
DECADES = 3
TUNE = "#2ec4b6"
"""It is seen on the dark and on the light end of the colours."""


def draw_waterfall(run: BeamsRun) -> Drawing | Missing:
    """Spectra of sum and difference of the centroids, or of each beam, in windows over the run."""
    if len(run.turn) < MIN_TURNS:
        return Missing(f"Run at least turns = {MIN_TURNS} to see how the spectra change.")
    if run.without_centroids:
        return Missing(run.without_centroids)
    found = [_of_plane(run, plane) for plane in range(2)]
    highest = max(float(one.amplitude.max()) for plane in found for _, one in plane)
    if highest == 0:
        return Missing("The centroids stand still: offset_sigma of a few hundredths moves them.")
    norm = LogNorm(highest / 10**DECADES, highest)
    canvas, axes = new_picture(2, 2, 5.4, sharey=True)
    for plane in range(2):
        for row, (name, one) in enumerate(found[plane]):
            picture = _draw(axes[row, plane], one, run.turn[0], run.centre(plane), norm)
            axes[row, plane].set_title(f"{name}, {'xy'[plane]}")
        axes[1, plane].set_xlabel(f"fractional tune, {'xy'[plane]}")
    for axis in axes[:, 0]:
        axis.set_ylabel("turn")
    bar = canvas.colorbar(picture, ax=list(axes.flat), fraction=0.04, pad=0.02, extend="min")
    bar.outline.set_visible(False)
    bar.ax.tick_params(color=INK)
    bar.set_label("amplitude [σ]")
    log_ticks(bar.ax)
    window = found[0][0][1].window
    return Drawing(
        canvas,
        f"Amplitude spectra (Hann window) of the centroids' phasors in windows of {window} turns "
        "along the run, each at the turn of its middle. Lines within 2/window = "
        f"{2 / window:.2g} of each other are not told apart. Dashed: machine tune.",
    )


def _of_plane(run: BeamsRun, plane: int) -> list[tuple[str, Waterfall]]:
    """Spectra of the two signals of a plane with their names, in rms sizes."""
    xi, turns = run.setting.xi(plane), len(run.turn)
    window = window_of(turns, min(run.setting.xi(p) for p in range(2)))
    reach = min(max(3.2 * xi, 12 / window), 0.25)
    size = np.sqrt(run.setting.beams[0].emittance[plane])
    return [
        (name, waterfall(signal / size, run.centre(plane), reach, window, ROWS))
        for name, signal in run.pair(plane)
    ]


def window_of(turns: int, xi: float) -> int:
    """Turns of a window: 4/ξ, but not more than a quarter of the run; an eighth without ξ."""
    wanted = RESOLVED / xi if xi > 0 else turns / 8
    return int(np.clip(wanted, SHORTEST, turns // 4))


def _draw(axis: Axes, one: Waterfall, first: float, tune: float, norm: LogNorm) -> AxesImage:
    x, y = _edges(tune + one.away), _edges(first + one.turn)
    picture = axis.imshow(
        np.maximum(one.amplitude, norm.vmin or 0.0), origin="lower", extent=(*x, *y), aspect="auto",
        norm=norm, interpolation="nearest", cmap="magma",
    )  # fmt: skip
    axis.axvline(tune, color=TUNE, linewidth=0.9, linestyle=(0, (4, 4)))
    axis.xaxis.set_major_locator(MaxNLocator(5))
    axis.grid(False)
    return picture


def _edges(centres: Floats) -> tuple[float, float]:
    """The outer edges of evenly spaced cells."""
    half = (centres[-1] - centres[0]) / max(len(centres) - 1, 1) / 2
    return float(centres[0] - half), float(centres[-1] + half)

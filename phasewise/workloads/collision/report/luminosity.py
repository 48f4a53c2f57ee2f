"""Picture of the luminosity: its moving mean and the band of its values."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from phasewise.analysis.moving import moving
from phasewise.analysis.spectrum import Floats
from phasewise.report.beams.colours import BEAM
from phasewise.report.envelope import SHADE, draw_envelope, envelope, pixels_across, stretch
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import (
    INK,
    MUTED,
    legend_above,
    new_picture,
    scale_by_ten,
    scientific,
    unit_text,
    with_error,
)
from phasewise.workloads.collision.analysis import Luminosity
from phasewise.workloads.collision.report.beams_run import BeamsRun

NOMINAL = "#2c9a63"
WINDOWS = 20
"""How many windows of the moving mean a run has."""
SHORTEST_WINDOW = 5
FAR = 3.0
"""The nominal value is drawn unless it is this many heights of the picture away."""


def draw_luminosity(run: BeamsRun) -> Drawing | Missing:
    """Luminosity of each interaction point: moving mean with its band, nominal value and fit."""
    shown = [(k, found) for k, found in enumerate(run.luminosity, 1) if found is not None]
    shown = [(k, found) for k, found in shown if np.isfinite(found.value).any()]
    if not shown:
        return Missing("Set luminosity = true at an interaction point to see the luminosity.")
    canvas, axes = new_picture(len(shown), 1, 0.7 + 2.3 * len(shown), sharex=True)
    for axis, (k, found) in zip(axes[:, 0], shown, strict=True):
        factor, unit = scale_by_ten(found.value, unit_text(found.unit))
        _draw_values(axis, run.turn, found.value * factor)
        _draw_design(axis, run.turn, found, factor)
        where = f", IP {k}" if len(run.luminosity) > 1 else ""
        axis.set_ylabel(f"L{where} [{unit}]")
        legend_above(axis)
    axes[-1, 0].set_xlabel("turn")
    return Drawing(
        canvas,
        "Luminosity L from the overlap of the two charge densities, its mean and standard "
        "deviation in a window that moves along the run. Nominal: Gaussian bunches with the "
        f"hourglass and the crossing angle. {_rates(shown)}",
    )


def _draw_values(axis: Axes, turn: Floats, value: Floats) -> None:
    """Draw the values of all turns in the background, and their moving mean with its band."""
    each = stretch(axis, len(turn))
    if each == 1:
        axis.plot(turn, value, color=MUTED, linewidth=0.6, alpha=0.6, label="each turn")
    else:
        label = f"lowest to highest of {each} turns"
        draw_envelope(axis, envelope(turn, value, each), MUTED, label=label)
    window = window_of(len(turn))
    if window == 1:
        return
    found = moving(value, window)
    # The mean is smooth: a point per pixel shows it all.
    kept = slice(None, None, -(-len(turn) // pixels_across(axis)))
    turn, mean, deviation = turn[kept], found.mean[kept], found.deviation[kept]
    axis.fill_between(
        turn, mean - deviation, mean + deviation, color=BEAM[0], alpha=SHADE, linewidth=0,
        label="± standard deviation",
    )  # fmt: skip
    axis.plot(turn, mean, color=BEAM[0], linewidth=1.6, label=f"mean of {window} turns")


def window_of(turns: int) -> int:
    """The odd number of turns of the moving mean; 1, no mean, in a run of a few turns."""
    window = max(turns // WINDOWS, SHORTEST_WINDOW)
    return window - 1 + window % 2 if turns >= 2 * window else 1


def _draw_design(axis: Axes, turn: Floats, found: Luminosity, factor: float) -> None:
    """Draw the fitted line, and the nominal value if it lies near the others."""
    if found.growth is not None:
        line = found.growth.line(turn) * factor
        axis.plot(turn, line, color=INK, linewidth=1.4, linestyle=(0, (1, 2)), label="fit")
    if found.nominal is None:
        return
    low, high = axis.get_ylim()
    nominal = found.nominal * factor
    label = f"nominal, {scientific(found.nominal)}"
    if low - FAR * (high - low) < nominal < high + FAR * (high - low):
        axis.axhline(nominal, color=NOMINAL, linestyle="--", label=label)
    else:
        axis.plot([], [], color=NOMINAL, linestyle="--", label=f"{label}: off the picture")


def _rates(shown: list[tuple[int, Luminosity]]) -> str:
    """Mean and fitted rate of each point, as a sentence."""
    lines = [
        f"IP {k}: mean {scientific(found.mean)} {unit_text(found.unit)}, relative change "
        f"{with_error(found.growth.per_turn, found.growth.error)} per turn"
        for k, found in shown
        if found.growth is not None
    ]
    return f"{'; '.join(lines)}." if lines else ""

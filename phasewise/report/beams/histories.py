"""Pictures of bunches against turns: emittances with their growth, and centroids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.analysis.growth_rate import Growth
from phasewise.analysis.spectrum import Floats
from phasewise.report.beams.colours import BEAM, FLOOR, PLANE_NAMES
from phasewise.report.envelope import envelope_note, plot_history
from phasewise.report.figure import Drawing
from phasewise.report.style import legend_above, new_picture, scale, scale_by_ten, scientific

# The style of a history over which another one, or a line, is drawn.
FAINT: dict[str, Any] = {"linewidth": 0.8, "alpha": 0.6}
# Pixels that a turn of an oscillation needs, so that one beam can be seen behind the other.
SWING = 3.0
# Smaller changes than this are shown with a power of ten.
MIN_PERCENT = 2e-3
# Changes [%] below this are due to rounding alone, and are not enlarged to fill the picture.
ROUNDING = 1e-10
# The fitted line of beam 2 is dashed, so that beam 1's is seen below it.
FITTED: tuple[dict[str, Any], ...] = (
    {"linewidth": 1.8},
    {"linewidth": 1.8, "linestyle": (0, (3, 3))},
)


@dataclass(frozen=True)
class EmittanceHistory:
    """The emittances of a beam against turns."""

    name: str
    index: int
    """Its place among the beams, from 0, which decides its colour."""
    emittance: Floats
    """(T, 3) in x, y and z [m]."""
    growth: tuple[Growth | None, ...]
    """The line through each, None with too few turns."""
    floor: tuple[float | None, ...]
    """The relative growth per turn by noise in each, where it is known."""


@dataclass(frozen=True)
class CentroidHistory:
    """The centroid of a beam against turns."""

    name: str
    index: int
    mean: Floats
    """(T, 6)."""
    size: tuple[float, float]
    """The rms sizes in x and y [m] over which it is shown."""


def draw_emittances(turn: Floats, beams: Sequence[EmittanceHistory], note: str) -> Drawing:
    """Relative emittance change in x, y and z with growth and noise floor; note: what the caption
    says of the floor and of the rates.
    """
    canvas, axes = new_picture(3, 1, 6.6, sharex=True)
    for plane, axis in enumerate(axes[:, 0]):
        _draw_emittance(axis, turn, beams, plane)
    axes[-1, 0].set_xlabel("turn")
    return Drawing(
        canvas,
        "Relative change of the geometric rms emittances (x, y without dispersion) from the fitted "
        "value at the first turn, which the legend gives. Straight: fit through all but "
        f"the first tenth of the turns. {note}{envelope_note(axes[0, 0], len(turn))}",
    )


def _draw_emittance(
    axis: Axes, turn: Floats, beams: Sequence[EmittanceHistory], plane: int
) -> None:
    name = PLANE_NAMES[plane]
    starts = [_start(beam, plane) for beam in beams]
    shown = [(beam, start) for beam, start in zip(beams, starts, strict=True) if start > 0]
    changes = [100 * (beam.emittance[:, plane] / start - 1) for beam, start in shown]
    finite = (np.abs(c[np.isfinite(c)]) for c in changes)
    largest = max((float(c.max()) for c in finite if c.size), default=1.0)
    rounding = largest < ROUNDING
    factor, unit = (1.0, "%") if largest > MIN_PERCENT or rounding else scale_by_ten(largest, "%")
    for (beam, start), change in zip(shown, changes, strict=True):
        size, metres = scale(start, "m")
        label = f"{beam.name}, from {start * size:.4g} {metres}"
        plot_history(axis, turn, change * factor, BEAM[beam.index], label=label, **FAINT)
        fit = beam.growth[plane]
        if fit is not None:
            line = 100 * factor * (fit.line(turn) / start - 1)
            axis.plot(turn, line, color=BEAM[beam.index], **FITTED[beam.index])
    if floors := [floor for beam, _ in shown if (floor := beam.floor[plane])]:
        floor = max(floors) * (turn - turn[0])
        axis.plot(turn, 100 * factor * floor, color=FLOOR, linestyle=":", label="noise floor")
    if rounding:
        axis.set_ylim(-MIN_PERCENT, MIN_PERCENT)
    axis.set_ylabel(f"change of ε {name} [{unit}]")
    legend_above(axis)


def _start(beam: EmittanceHistory, plane: int) -> float:
    """The value at the first turn, by the fitted line where there is one."""
    fit = beam.growth[plane]
    return float(beam.emittance[0, plane]) if fit is None else fit.start


def draw_centroids(
    turn: Floats, beams: Sequence[CentroidHistory], caption: str, macroparticles: int
) -> Drawing:
    """Centroids in x and y, in rms sizes; macroparticles: the fewest of a beam, 0 if none is
    tracked.
    """
    canvas, axes = new_picture(2, 1, 4.6, sharex=True)
    for plane, axis in enumerate(axes[:, 0]):
        for beam in beams:
            history = beam.mean[:, 2 * plane] / beam.size[plane]
            colour = BEAM[beam.index]
            plot_history(axis, turn, history, colour, room=SWING, label=beam.name, **FAINT)
        name = PLANE_NAMES[plane]
        axis.set_ylabel(f"⟨{name}⟩ / σ {name}")
        legend_above(axis)
    axes[-1, 0].set_xlabel("turn")
    noise = (
        f" Sampling alone moves it by 1/√N = {scientific(macroparticles**-0.5, 2)}."
        if macroparticles
        else ""
    )
    return Drawing(canvas, f"{caption}{noise}{envelope_note(axes[0, 0], len(turn), SWING)}")

"""Histories with more turns than pixels: they show the range and the mean of turns that share a
place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.report.style import Floats

PIXELS_PER_INCH = 100.0
"""Resolution of a picture in the report's page at its full width."""
SHADE = 0.3
SHORTEST = 8
"""Fewest turns in a stretch, so that the extremes of an oscillation are among them."""


@dataclass(frozen=True)
class Envelope:
    """A history in C stretches: mean turn, lowest, highest and mean value of each, all (C,).

    The values are NaN in a stretch without a finite value.
    """

    turn: Floats
    low: Floats
    high: Floats
    mean: Floats


def envelope(turn: Floats, value: Floats, each: int) -> Envelope:
    """The envelope of a history (T,) in stretches of `each` turns; the last stretch has those that
    are left.
    """
    starts = np.arange(0, len(turn), each)
    known = np.isfinite(value)
    counts = np.add.reduceat(known.astype(np.float64), starts)
    sums = np.add.reduceat(np.where(known, value, 0.0), starts)
    masked = np.where(known, value, np.nan)
    return Envelope(
        turn=np.add.reduceat(turn, starts) / np.diff([*starts, len(turn)]),
        low=np.fmin.reduceat(masked, starts),
        high=np.fmax.reduceat(masked, starts),
        mean=np.divide(sums, counts, out=np.full(len(starts), np.nan), where=counts > 0),
    )


def pixels_across(axes: Axes) -> int:
    """Pixels from the left to the right of axes, before their labels are laid out."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return max(1, round(axes.get_position().width * figure.get_figwidth() * PIXELS_PER_INCH))


def stretch(axes: Axes, turns: int, room: float = 1.0) -> int:
    """Turns in a stretch of the envelope; 1, which is no envelope, if each turn has `room`
    pixels.
    """
    pixels = pixels_across(axes)
    return 1 if room * turns <= pixels else max(SHORTEST, -(-turns // pixels))


def draw_envelope(axes: Axes, found: Envelope, colour: str, **options: Any) -> None:
    """Draw the shade between the lowest and the highest values, with edges that other curves do not
    hide.
    """
    axes.fill_between(
        found.turn, found.low, found.high, color=colour, alpha=SHADE, linewidth=0, **options
    )
    for edge in (found.low, found.high):
        axes.plot(found.turn, edge, color=colour, linewidth=0.5, alpha=0.8)


def plot_history(
    axes: Axes, turn: Floats, value: Floats, colour: str, room: float = 1.0, **options: Any
) -> None:
    """Draw one quantity against turns, or its envelope and its mean if a turn has less than `room`
    pixels.
    """
    each = stretch(axes, len(turn), room)
    if each == 1:
        axes.plot(turn, value, color=colour, **options)
        return
    found = envelope(turn, value, each)
    draw_envelope(axes, found, colour)
    axes.plot(found.turn, found.mean, color=colour, **options)


def envelope_note(axes: Axes, turns: int, room: float = 1.0) -> str:
    """The sentence that says what `plot_history` shades; empty if it draws every turn."""
    each = stretch(axes, turns, room)
    return "" if each == 1 else f" Shade: lowest to highest of {each} turns each; line: their mean."

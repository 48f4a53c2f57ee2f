"""Picture in the tune plane: the footprint of the tracked particles and their tune diffusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from phasewise.analysis.spectrum import Floats
from phasewise.analysis.tune_footprint import Footprint
from phasewise.report.beams.colours import RESONANCE
from phasewise.report.figure import Drawing
from phasewise.report.style import INK, LINE, MUTED, new_picture, scientific

MAX_RESONANCES = 12
HIGHEST_ORDER = 16
# Both ends of the map can be seen on a light and on a dark page.
DIFFUSION = ListedColormap(colormaps["plasma"](np.linspace(0.08, 0.88, 256)))
DOT, LARGEST = 4.0, 6.0
"""Area of a dot [points²] per σ of amplitude, from 1 σ on, and the amplitude [σ] at which it stops
to grow.
"""
WIDE = 1.6
"""Width over height of a panel that stands alone."""
APART = 0.07
"""Least distance of a label from the edges, marks and other labels, as a share of the panel."""


@dataclass(frozen=True)
class ShownFootprint:
    """The footprint of a beam in a picture."""

    title: str
    colour: str
    found: Footprint
    machine: tuple[float, float]
    """The tunes of the machine, with or without whole turns."""
    shift: tuple[float, float]
    """The shift of the tunes that theory gives at small amplitudes, with its sign."""


def draw_footprints(shown: Sequence[ShownFootprint], shifted: str, note: str = "") -> Drawing:
    """Tunes of the tracked particles, coloured by their diffusion, with the resonance lines that
    cross them.

    shifted: what the legend calls the machine tune with its shift; note: a sentence more for the
    caption.
    """
    canvas, axes = new_picture(1, len(shown), 4.6 if len(shown) > 1 else 5.4)
    every = np.concatenate([one.found.diffusion for one in shown])
    norm = Normalize(*np.quantile(every, [0.02, 0.98]))
    ratio = WIDE if len(shown) == 1 else 1.0
    drawn = [_draw_one(axes[0, i], one, norm, ratio) for i, one in enumerate(shown)]
    bar = canvas.colorbar(
        drawn[0][0], ax=list(axes[0]), fraction=0.04, pad=0.02, shrink=0.85, extend="both"
    )
    bar.set_label("tune diffusion log₁₀ √(ΔQx² + ΔQy²)")
    bar.outline.set_visible(False)
    order = max(order for _, order in drawn)
    canvas.legend(handles=_legend(order, shifted), loc="outside lower center", ncols=4)
    particles = sum(len(one.found.particle) for one in shown)
    turns = shown[0].found.turns
    return Drawing(
        canvas,
        f"Tunes of {particles} tracked particles over {turns} turns (NAFF, Hann window); dots "
        f"grow with the amplitude, up to {LARGEST:g} σ. ΔQ: tune in the second half of these turns "
        "minus that in the first; the larger, the less regular the motion. Lines are labelled "
        f"(m,n,p) where there is room. Lines within 2/T = {scientific(2 / turns, 2)} of each "
        f"other are not told apart.{note}",
    )


def _legend(order: int, shifted: str) -> list[Line2D]:
    """What the marks of a footprint mean."""
    bare: dict[str, Any] = {"linestyle": "", "color": INK}
    handles = [
        Line2D([], [], marker="o", markersize=3.5, label="tracked particle",
               linestyle="", color=DIFFUSION(0.5)),
        Line2D([], [], marker="+", markersize=9, markeredgewidth=1.6, label="machine tune", **bare),
        Line2D([], [], marker="s", markersize=6, markerfacecolor="none",
               label=shifted, **bare),
    ]  # fmt: skip
    if order:
        label = f"resonances m Qx + n Qy = p, |m| + |n| ≤ {order}"
        handles.append(Line2D([], [], color=RESONANCE, linewidth=1.0, label=label))
    return handles


def _draw_one(
    axis: Axes, shown: ShownFootprint, norm: Normalize, ratio: float
) -> tuple[PathCollection, int]:
    """Draw the footprint of a beam in a window `ratio` times as wide as high; returns its dots, and
    the highest order of its resonances, 0 for none.
    """
    found = shown.found
    machine = np.array(shown.machine) % 1.0
    tune = machine + (found.tune - machine + 0.5) % 1.0 - 0.5
    shifted = machine + np.array(shown.shift)
    low, high = _limits(np.vstack([tune, machine, shifted]), ratio)
    highest = _draw_resonances(axis, low, high, [machine, shifted])
    amplitude = np.hypot(found.amplitude[:, 0], found.amplitude[:, 1])
    rank = np.argsort(found.diffusion)
    points = axis.scatter(
        tune[rank, 0],
        tune[rank, 1],
        c=found.diffusion[rank],
        s=DOT * np.clip(amplitude[rank], 1.0, LARGEST),
        linewidths=0,
        norm=norm,
        cmap=DIFFUSION,
        rasterized=True,
    )
    axis.plot(*machine, "+", color=INK, markersize=11, markeredgewidth=1.6)
    axis.plot(*shifted, "s", color=INK, markersize=6, markerfacecolor="none")
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="Qx", ylabel="Qy")
    axis.set_title(shown.title, color=shown.colour)
    axis.set_aspect("equal")
    axis.grid(False)
    axis.xaxis.set_major_locator(MaxNLocator(4))
    axis.yaxis.set_major_locator(MaxNLocator(6))
    return points, highest


def _limits(points: Floats, ratio: float) -> tuple[Floats, Floats]:
    """A window around nearly all points, `ratio` times as wide as high."""
    low, high = np.quantile(points[:-2], [0.005, 0.995], axis=0)
    low, high = np.minimum(low, points[-2:].min(axis=0)), np.maximum(high, points[-2:].max(axis=0))
    span = (high - low) / (ratio, 1.0)
    half = (0.6 * float(np.max(span)) + 1e-5) * np.array([ratio, 1.0])
    centre = (low + high) / 2
    return centre - half, centre + half


def _draw_resonances(axis: Axes, low: Floats, high: Floats, marks: list[Floats]) -> int:
    """Draw the lines through the window, with labels where there is room; returns their highest
    order.
    """
    taken = [(mark - low) / (high - low) for mark in marks]
    highest = 0
    for m, n, p, corners in resonances(low, high):
        order = abs(m) + abs(n)
        highest = max(highest, order)
        width = max(0.35, 1.5 - 0.11 * order)
        axis.plot(*corners.T, color=RESONANCE, linewidth=width, alpha=0.65, zorder=0)
        place = _free_place((corners - low) / (high - low), taken)
        if place is not None:
            taken.append(place)
            style: dict[str, Any] = {"fontsize": 6.5, "color": MUTED, "ha": "center"}
            label = f"({m},{n},{p})".replace("-", "−")
            x, y = low + place * (high - low)
            axis.text(x, y, label, va="center", **style)
    axis.spines[["left", "bottom"]].set_color(LINE)
    return highest


def _free_place(ends: Floats, taken: list[Floats]) -> Floats | None:
    """A point of a line, as a share of the panel, away from the panel's edges and from what is
    taken.
    """
    for along in (0.93, 0.07, 0.82, 0.18, 0.7, 0.3):
        place: Floats = ends[0] + along * (ends[1] - ends[0])
        inside = np.all((place > APART) & (place < 1 - APART))
        if inside and all(np.hypot(*(place - other)) > 1.5 * APART for other in taken):
            return place
    return None


def resonances(low: Floats, high: Floats) -> list[tuple[int, int, int, Floats]]:
    """Resonances m Qx + n Qy = p through a window of the tune plane, lowest orders first.

    Each comes with the two points (2, 2) where it meets the window's border. An order is complete
    or left out, and there are no more than fit in a readable picture.
    """
    found: list[tuple[int, int, int, Floats]] = []
    for order in range(1, HIGHEST_ORDER + 1):
        of_order = []
        for m in range(order + 1):
            for n in {order - m, m - order}:
                if m == 0 and n < 0:
                    continue
                corner = [m * x + n * y for x in (low[0], high[0]) for y in (low[1], high[1])]
                for p in range(int(np.ceil(min(corner))), int(np.floor(max(corner))) + 1):
                    ends = _crossings(m, n, p, low, high)
                    if ends is not None and gcd(gcd(m, n), p) == 1:
                        of_order.append((m, n, p, ends))
        if len(found) + len(of_order) > MAX_RESONANCES:
            break
        found += of_order
    return found


def _crossings(m: int, n: int, p: int, low: Floats, high: Floats) -> Floats | None:
    ends = []
    if n:
        ends += [(x, (p - m * x) / n) for x in (low[0], high[0])]
    if m:
        ends += [((p - n * y) / m, y) for y in (low[1], high[1])]
    margin = 1e-12
    inside = [
        end
        for end in ends
        if low[0] - margin <= end[0] <= high[0] + margin
        and low[1] - margin <= end[1] <= high[1] + margin
    ]
    return np.array([min(inside), max(inside)]) if len(inside) >= 2 else None

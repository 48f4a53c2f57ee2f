"""A picture of measured message times against size, with straight lines and protocol changes, as in
Figure 6 of the source paper.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes

from phasewise.machines import Curve, Machine
from phasewise.report.style import MUTED, log_ticks, new_picture, picture_style

MIN_SIZE = 8.0
"""Size [B] at which a message of 0 B is drawn on the logarithmic axis."""
MAX_CURVES = 6
"""Most curves of one benchmark in one panel; if there are more, it shows the first ones and the
last.
"""


def draw_curves(machine: Machine) -> str:
    """The curves of a machine as the text of an SVG file."""
    panels = _panels(machine.curves)
    rows = max(1, -(-len(panels) // 2))
    with picture_style():
        columns = min(2, max(len(panels), 1))
        canvas, axes = new_picture(rows, columns, 0.7 + 3.3 * rows, sharex=True)
        for place, (title, curves) in zip(axes.flat, panels, strict=False):
            _draw(place, title, curves)
        for place in list(axes.flat)[len(panels) :]:
            place.set_axis_off()
        canvas.suptitle(_title(machine), fontsize=9.5, x=0.02, ha="left")
        buffer = io.StringIO()
        metadata = {"Date": None, "Creator": None}
        canvas.savefig(buffer, format="svg", metadata=metadata, facecolor="white")
    return buffer.getvalue()


def _title(machine: Machine) -> str:
    measured = machine.measured
    if measured is None:
        return machine.name
    where = f"{measured.twin} twin, a simulator" if measured.twin else "measured"
    return (
        f"{machine.name}, {measured.ranks} ranks, {where}. Dashed: latency + size / bandwidth. "
        "Triangles: another protocol."
    )


def _panels(curves: Sequence[Curve]) -> list[tuple[str, list[Curve]]]:
    """Titles and curves: one panel for each level, and for each direction of the grid with the most
    ranks.
    """
    found = []
    sockets = any(curve.level == "socket" for curve in curves)
    titles = {
        "socket": "within a socket",
        "node": "between two sockets of a node" if sockets else "within a node",
        "network": "between two nodes",
    }
    for level, title in titles.items():
        own = [c for c in curves if c.level == level and c.benchmark != "grid"]
        found.append((title, _few(own)))
    most = max((c.ranks for c in curves if c.benchmark == "grid"), default=0)
    for direction in ("row", "column"):
        own = [c for c in curves if c.direction == direction and c.ranks == most]
        found.append((f"{most} ranks, along a {direction} of the process grid", _few(own)))
    return [panel for panel in found if panel[1]]


def _few(curves: list[Curve]) -> list[Curve]:
    return curves if len(curves) <= MAX_CURVES else [*curves[: MAX_CURVES - 1], curves[-1]]


def _label(curve: Curve) -> str:
    if curve.benchmark == "grid":
        return f"distance {curve.distance}"
    name = f"{curve.benchmark}, {curve.pairs} at once" if curve.pairs > 1 else curve.benchmark
    return name + (" (noisy)" if curve.noisy else "")


def _draw(axes: Axes, title: str, curves: Sequence[Curve]) -> None:
    colours = colormaps["viridis"](np.linspace(0.0, 0.85, len(curves)))
    for curve, colour in zip(curves, colours, strict=True):
        sizes = np.maximum(np.asarray(curve.sizes, dtype=np.float64), MIN_SIZE)
        axes.fill_between(sizes, curve.low, curve.high, color=colour, alpha=0.25, linewidth=0)
        axes.plot(sizes, curve.seconds, color=colour, marker=".", markersize=4, label=_label(curve))
        fine = np.geomspace(sizes[0], sizes[-1], 100)
        line = curve.latency + fine / curve.bandwidth
        axes.plot(fine, line, color=colour, linestyle="--", linewidth=0.8)
        bends = [at for at, size in enumerate(curve.sizes) if size in curve.bends]
        times = [curve.seconds[at] for at in bends]
        axes.plot(sizes[bends], times, color=colour, marker="v", markersize=6, linestyle="")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    log_ticks(axes)
    axes.set_xticks([2.0**k for k in range(3, 24, 3)])
    axes.set_xticklabels(["0", "64", "512", "4 k", "32 k", "256 k", "2 M"], color=MUTED)
    axes.set_title(title)
    axes.set_xlabel("size [B]")
    axes.set_ylabel("time [s]")
    axes.legend(loc="upper left")

"""A picture of a machine's links, coloured by how long a turn's messages keep them busy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import fill, wrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from numpy.typing import NDArray

from phasewise.models.links import HOTTEST, Link
from phasewise.report.figure import Drawing
from phasewise.report.style import INK, LINE, new_picture, scale
from phasewise.report.torus_layout import Place, TorusLayout
from phasewise.workload.interface import Unit

Floats = NDArray[np.float64]
Places = dict[str, Place]
Line = tuple[Place, Place]

HOT = "#c0392b"
NUMBER: dict[str, Any] = {
    "fontsize": 7,
    "weight": "bold",
    "ha": "center",
    "va": "center",
    "bbox": {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none"},
}
"""The style of a hot link's number."""
LEVELS = ("node", "place", "router", "stage", "network")
"""What links connect, from the outer circle to the centre."""
LETTERS = 118
"""Most letters of a line over the picture."""
MANY = 200
"""With more nodes, lines are thin."""


def draw_links(
    links: Sequence[Link],
    title: str,
    source: str,
    unit: Unit,
    dims: Sequence[int] | None = None,
) -> Drawing:
    """The links between nodes, the ten hottest of them marked and listed beside the picture. links:
    the busiest first; dims: the sides of a torus.
    """
    canvas, axes = new_picture(1, 2, 5.2, width_ratios=(1.25, 1))
    if dims is None:
        about = ""
        places = places_of_ends(links)
        lines = [(places[link.source], places[link.target]) for link in links]
        _draw_network(axes[0, 0], links, lines, list(places.values()), 0.008)
        _frame(axes[0, 0], np.array([(-1.0, -1.0), (1.0, 1.0)]), 0.12)
    else:
        about = _draw_torus(axes[0, 0], links, TorusLayout(dims))
        axes[0, 1].text(0, 0, fill(about, 60), fontsize=7, va="bottom", color=INK)
    _list_hottest(axes[0, 1], links[:HOTTEST])
    heads = [*wrap(title, LETTERS), *wrap(source, LETTERS)]
    canvas.suptitle("\n".join(heads), x=0.01, ha="left", fontsize=9, color=INK)
    return Drawing(
        canvas,
        f"The links that carry messages of {unit.indefinite}, coloured by bytes over bandwidth. "
        f"{about}{source}.",
    )


def _draw_torus(axis: Axes, links: Sequence[Link], layout: TorusLayout) -> str:
    """Draw the links of a torus; sentences on what lies where."""
    nodes = np.array(layout.nodes())
    axis.scatter(nodes[:, 0], nodes[:, 1], s=6, color=LINE)
    lines = [layout.segment(link) for link in links]
    _draw_network(axis, links, lines, layout.used(links), min(0.07, 0.012 * float(nodes.max())))
    for text, (x, y) in layout.titles():
        axis.annotate(text, (x, y), fontsize=7, ha="center", va="top", color=INK)
    _frame(axis, nodes, 1.4)
    return layout.caption(links)


def places_of_ends(links: Sequence[Link]) -> Places:
    """Where each end of the links lies: the nodes on a circle in their order, and routers, stages
    and the network further within, each in the direction of what is attached to it.
    """
    ends = {end for link in links for end in (link.source, link.target)}
    levels = {level: _sorted(ends, level) for level in LEVELS}
    used = [level for level in LEVELS if levels[level]]
    places: Places = {}
    for depth, level in enumerate(used):
        centre = level == "network"
        radius = 0.0 if centre else 1.0 - depth / len(used)
        for number, name in enumerate(levels[level]):
            angle = 2 * math.pi * (number + 0.5) / len(levels[level])
            places[name] = (radius * math.sin(angle), radius * math.cos(angle))
    return places


def _sorted(ends: set[str], level: str) -> list[str]:
    own = [end for end in ends if end.rstrip("0123456789") == level]
    return sorted(own, key=lambda end: int(end[len(level) :] or 0))


def _draw_network(
    axis: Axes,
    links: Sequence[Link],
    ends: Sequence[Line],
    nodes: Sequence[Place],
    aside: float,
) -> None:
    """Draw a line for each link, from `ends`, and a dot for each node; aside: how far a line lies
    to the right of its ends, so that both directions are seen.
    """
    factor, second = scale([link.seconds for link in links], "s")
    width = 1.6 if len(nodes) < MANY else 0.5
    beside = [_beside(line, aside) for line in ends]
    lines = LineCollection(
        beside[::-1],  # the busiest lie on top
        array=np.array([link.seconds * factor for link in links[::-1]]),
        cmap="viridis_r",
        norm=Normalize(0.0, max(link.seconds for link in links) * factor),
        linewidths=width,
    )
    axis.add_collection(lines)
    hottest = beside[:HOTTEST]
    axis.add_collection(LineCollection(hottest, colors=HOT, linewidths=1.3 * width))
    at = np.array(nodes)
    axis.scatter(at[:, 0], at[:, 1], s=12 * width, color=INK, zorder=3)
    for rank, ((x, y), (to_x, to_y)) in enumerate(hottest):
        part = 0.35 + 0.03 * rank  # numbers of the two directions of a link do not meet
        where = (x + part * (to_x - x), y + part * (to_y - y))
        size = NUMBER["fontsize"] if len(nodes) < MANY else 5
        axis.annotate(str(rank + 1), where, color=HOT, zorder=4, **NUMBER | {"fontsize": size})
    bar = axis.figure.colorbar(lines, ax=axis, shrink=0.6, pad=0.01)
    bar.set_label(f"busy [{second}]")


def _frame(axis: Axes, nodes: Floats, margin: float) -> None:
    """Show the nodes (n, 2) and a margin around them, and no axes."""
    low, high = nodes.min(axis=0) - margin, nodes.max(axis=0) + margin
    axis.set_aspect("equal")
    axis.set_xlim(low[0], high[0])
    axis.set_ylim(low[1], high[1])
    axis.axis("off")


def _beside(line: Line, aside: float) -> Line:
    """The same line, a little to its right."""
    start, end = line
    x, y = end[0] - start[0], end[1] - start[1]
    length = math.hypot(x, y) or 1.0
    right = (aside * y / length, -aside * x / length)
    return (
        (start[0] + right[0], start[1] + right[1]),
        (end[0] + right[0], end[1] + right[1]),
    )


def _list_hottest(axis: Axes, hottest: Sequence[Link]) -> None:
    seconds, second = scale([link.seconds for link in hottest], "s")
    amount, byte = scale([link.bytes for link in hottest], "B")
    rows = [
        [
            str(rank),
            f"{link.name}: {link.source} → {link.target}",
            f"{link.bytes * amount:.4g}",
            f"{link.seconds * seconds:.4g}",
        ]
        for rank, link in enumerate(hottest, 1)
    ]
    table = axis.table(
        rows,
        colLabels=["", "link", byte, f"busy [{second}]"],
        colWidths=[0.07, 0.57, 0.16, 0.2],
        loc="upper left",
        cellLoc="left",
        edges="horizontal",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(7)
    for cell in table.get_celld().values():
        cell.set_edgecolor(LINE)
    axis.axis("off")

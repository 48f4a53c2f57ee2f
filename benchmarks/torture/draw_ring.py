"""Random small rings of collisions and space charge."""

from __future__ import annotations

from typing import Any

from benchmarks.torture import draw_collision, draw_spacecharge
from benchmarks.torture.draw import Draw


def ways(draw: Draw) -> dict[str, Any]:
    """A table [communication], less `node_size`."""
    return {"collision": draw_collision.ways(draw), "spacecharge": draw_spacecharge.ways(draw)}


def study(draw: Draw) -> dict[str, Any]:
    """Tables of a study, which the reader may refuse."""
    found = draw_collision.study(draw)
    both = ["spacecharge", "collision"]
    found["workload"] = both if draw.often(0.5) else both[::-1]
    if draw.often(0.5):
        del found["arc"]
    found["records"] = {"every": draw.whole(1, 2), "collision": found["records"]}
    for beam in found["beam"].values():
        beam.pop("offset", None)
    found["lattice"] = draw_spacecharge.lattice(draw, cell=draw.often(0.7))
    found["solver"] = draw_spacecharge.solver(draw)
    return found

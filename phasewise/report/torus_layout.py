"""Where the nodes and links of a torus lie in a picture: a plane as a grid, a box as its layers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from phasewise.models.links import Link

Place = tuple[float, float]
GAP = 1.5
"""Free columns, or rows, between two layers."""
STROKE = 0.42
"""Length of a stroke that stands for a link which leaves the layer, in distances of nodes."""
CORNER = STROKE / math.sqrt(2.0)
ADAPTERS = {"out": (-CORNER, CORNER), "in": (CORNER, -CORNER)}


class TorusLayout:
    """The places of a torus of sides `dims` (x fastest) on the plane, in distances of nodes.

    Sides of one node are left out. The first two others span a layer, and layers of the third lie
    side by side, in as many rows as columns.
    """

    def __init__(self, dims: Sequence[int]) -> None:
        self._dims = tuple(dims)
        long = [axis for axis, side in enumerate(dims) if side > 1] or [0]
        self.axes = (*long, *(axis for axis in range(len(dims)) if axis not in long))
        self.layers = self._dims[self.axes[2]]
        self._across = math.ceil(math.sqrt(self.layers))

    def nodes(self) -> list[Place]:
        """The places of all nodes."""
        return [self.place(number) for number in range(math.prod(self._dims))]

    def place(self, number: int) -> Place:
        """The place of a node."""
        first, second, layer = self._coordinates(number)
        column, row = self._corner(layer)
        return column + first, row + second

    def used(self, links: Sequence[Link]) -> list[Place]:
        """The places of the nodes that these links join."""
        ends = {end for link in links for end in (link.source, link.target)}
        return [self.place(_number(end)) for end in sorted(ends) if end.startswith("router")]

    def titles(self) -> list[tuple[str, Place]]:
        """The name of each layer and where it stands; none if there is one layer."""
        if self.layers == 1:
            return []
        middle = (self._dims[self.axes[0]] - 1) / 2
        corners = [self._corner(layer) for layer in range(self.layers)]
        name = "xyz"[self.axes[2]]
        return [
            (f"{name} = {layer}", (column + middle, row - 0.9))
            for layer, (column, row) in enumerate(corners)
        ]

    def segment(self, link: Link) -> tuple[Place, Place]:
        """Begin and end of the line for a link: from node to node within a layer, else a stroke."""
        if link.kind != "link":
            router = link.source if link.source.startswith("router") else link.target
            x, y = self.place(_number(router))
            end = ADAPTERS["in" if router == link.source else "out"]
            return (x, y), (x + end[0], y + end[1])
        x, y = self.place(_number(link.source))
        column, row, layer, step = self._moves(link)
        if layer:
            return (x, y), (x + CORNER * step, y + CORNER * step)
        length = step * (1.0 if column + row == step else STROKE)
        return (x, y), ((x + length, y) if column else (x, y + length))

    def caption(self, links: Sequence[Link]) -> str:
        """Sentences on what lies where."""
        first, second, third = ("xyz"[axis] for axis in self.axes)
        text = (
            f"Nodes are dots, {first} to the right and {second} upwards; no message crosses the "
            "pale ones. "
        )
        moves = [self._moves(link) for link in links if link.kind == "link"]
        if any(not layer and column + row != step for column, row, layer, step in moves):
            text += "A stroke that leads out of a row or column closes it to a ring. "
        if self.layers > 1:
            text += (
                f"Layers of {third} lie side by side. A stroke to the upper right is a link to the "
                "next layer, one to the lower left a link to the layer before. "
            )
        if any(layer and layer != step for _, _, layer, step in moves):
            text += "The last layer and the first are neighbours. "
        if any(link.kind != "link" for link in links):
            text += "A stroke to the upper left or lower right is an adapter. "
        return text

    def _moves(self, link: Link) -> tuple[int, int, int, int]:
        """By how many columns, rows and layers a link leads on, and whether upwards (1) or
        downwards (-1): in a ring of two nodes each is above and below the other, and the link's
        number tells.
        """
        here, there = (self._coordinates(_number(end)) for end in (link.source, link.target))
        column, row, layer = (b - a for a, b in zip(here, there, strict=True))
        return column, row, layer, 1 if _number(link.name) % 2 == 0 else -1

    def _coordinates(self, number: int) -> tuple[int, int, int]:
        """Column, row and layer of a node."""
        found = []
        for side in self._dims:
            found.append(number % side)
            number //= side
        first, second, layer = (found[axis] for axis in self.axes)
        return first, second, layer

    def _corner(self, layer: int) -> Place:
        """The place of a layer's first node; the first layer is at the upper left."""
        width, height = (self._dims[axis] + GAP for axis in self.axes[:2])
        return layer % self._across * width, -(layer // self._across) * height


def _number(name: str) -> int:
    return int("".join(letter for letter in name if letter.isdigit()))

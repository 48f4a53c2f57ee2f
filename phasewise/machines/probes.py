"""The messages that are timed to measure a machine: who sends to whom, and which sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from phasewise.machines.curves import Floats, name_of
from phasewise.machines.grids import probed_shape
from phasewise.machines.statistics import interpolation_errors

LARGEST, LARGEST_WITHIN = 4 * 2**20, 16 * 2**20
"""Size of the longest message [B]. Longer ones, which no longer fit into caches, are timed within a
node of a real machine.
"""

BENT = 0.03
"""Relative interpolation error above which sizes are inserted."""
CLOSEST = 1.15
"""Smallest ratio of neighbouring sizes."""
FIRST_SIZE = 16
"""Smallest size apart from 0 [B]."""


@dataclass(frozen=True)
class Probe:
    """One benchmark on given ranks: `to[r]` receives rank r's message, and `from_[r]` sends one to
    rank r; -1 stands for none.

    The other fields are those of its Curve.
    """

    benchmark: str
    level: str
    to: tuple[int, ...]
    from_: tuple[int, ...]
    pairs: int = 1
    direction: str = ""
    distance: int = 0
    ranks: int = 0

    @property
    def kind(self) -> str:
        """How the driver executes the probe."""
        return "bounce" if self.benchmark == "ping-pong" else "exchange"

    @property
    def labels(self) -> dict[str, Any]:
        """The fields that say what a curve describes."""
        names = ("benchmark", "level", "pairs", "direction", "distance", "ranks")
        return {name: getattr(self, name) for name in names}

    @property
    def name(self) -> str:
        """The name of its curve."""
        return name_of(self.labels)


def first_sizes(quick: bool, within_node: bool = False) -> tuple[int, ...]:
    """The sizes to begin with: 0 and powers of 4 up to 4 MiB, or powers of 8 in a quick
    measurement. They are powers of 2 up to 16 MiB within a node of a real machine, where times jump
    between sizes.
    """
    step = 8 if quick else 2 if within_node else 4
    sizes = [LARGEST_WITHIN if within_node and not quick else LARGEST]
    while sizes[0] // step >= FIRST_SIZE:
        sizes.insert(0, sizes[0] // step)
    return (0, *sizes)


def sizes_between(sizes: Floats, seconds: Floats, noise: Floats, most: int) -> list[int]:
    """At most `most` sizes to insert, where the straight line between neighbours is most wrong.

    sizes, seconds (n,): what has been measured; noise (n,): relative half widths of the intervals.
    """
    errors = interpolation_errors(sizes, seconds)
    bent = [i for i in np.argsort(-errors, kind="stable") if errors[i] > max(BENT, 2 * noise[i])]
    found: list[int] = []
    for i in bent:
        for a, b in ((sizes[i - 1], sizes[i]), (sizes[i], sizes[i + 1])):
            size = _between(a, b)
            if size is not None and size not in found and len(found) < most:
                found.append(size)
    return sorted(found)


def _between(a: float, b: float) -> int | None:
    """The geometric mean of two sizes, rounded to a multiple of 8 B; None if it is too close to an
    end.
    """
    if b <= FIRST_SIZE:
        return None
    middle = 8 * round(np.sqrt(max(a, FIRST_SIZE / 2) * b) / 8)
    return middle if middle >= CLOSEST * a and b >= CLOSEST * middle else None


def probes_of(
    nodes: Sequence[int], quick: bool = False, sockets: Sequence[int] | None = None
) -> list[Probe]:
    """The probes for ranks on these nodes; nodes[r] is the node of rank r, numbered from 0, and
    sockets[r] its socket on nodes of several sockets.

    Within the first node and between the first two there are ping-pong, ping-ping, and messages of
    2, 4, … all ranks of a node at once. With several sockets, those within the first socket are of
    level "socket", and those of level "node" go from one socket to another. In process grids of 4,
    8, … all ranks, each rank sends to the member that is 1, 2, 4, … places further in its row, and
    in its column.
    """
    members: dict[int, list[int]] = {}
    for rank, node in enumerate(nodes):
        members.setdefault(node, []).append(rank)
    first, *others = members.values()
    count = len(nodes)
    found: list[Probe] = []
    if sockets is not None:
        here = [rank for rank in first if sockets[rank] == sockets[first[0]]]
        found += _inside(count, here, "socket")
        found += _between_sockets(count, first, sockets)
    else:
        found += _inside(count, first, "node")
    if others:
        found += _between_two(count, first[0], others[0][0], "network")
        most = min(len(first), len(others[0]))
        found += [_across(count, first[:k], others[0][:k]) for k in _doubled(1, most)]
    step = 4 if quick else 2
    for ranks in sorted({count // step**k for k in range(20) if count // step**k >= 4}):
        found += _grids(nodes, ranks - ranks % 2)
    return found


def _doubled(first: int, last: int) -> list[int]:
    """first, 2 first, 4 first, … and last."""
    values = [first]
    while 2 * values[-1] < last:
        values.append(2 * values[-1])
    return sorted({*values, last})


def _probe(count: int, ways: Mapping[int, int], benchmark: str, level: str, **of: Any) -> Probe:
    """A probe in which each key of `ways` sends to its value."""
    to, from_ = [-1] * count, [-1] * count
    for a, b in ways.items():
        to[a], from_[b] = b, a
    return Probe(benchmark, level, tuple(to), tuple(from_), **of)


def _between_two(count: int, a: int, b: int, level: str) -> list[Probe]:
    both = {a: b, b: a}
    return [_probe(count, both, name, level) for name in ("ping-pong", "ping-ping")]


def _inside(count: int, ranks: list[int], level: str) -> Iterator[Probe]:
    """Probes of the ranks of a node, or of a socket."""
    if len(ranks) > 1:
        yield from _between_two(count, ranks[0], ranks[len(ranks) // 2], level)
        for k in _doubled(2, len(ranks)):
            yield _within(count, ranks[:k], level)


def _between_sockets(count: int, ranks: list[int], sockets: Sequence[int]) -> Iterator[Probe]:
    """Probes of ranks of a node, each with the one that is half of them further, if that is on
    another socket.
    """
    half = len(ranks) // 2
    pairs = list(zip(ranks[:half], ranks[half:], strict=False))
    pairs = [(a, b) for a, b in pairs if sockets[a] != sockets[b]]
    if pairs:
        yield from _between_two(count, *pairs[0], "node")
        for k in _doubled(1, len(pairs)):
            ways = dict(pairs[:k]) | {b: a for a, b in pairs[:k]}
            yield _probe(count, ways, "parallel", "node", pairs=2 * k)


def _within(count: int, ranks: list[int], level: str) -> Probe:
    """A probe of ranks of a node in pairs: each exchanges with the rank that is half of them
    further. An odd number of ranks forms a ring.
    """
    n = len(ranks)
    step = n // 2
    ways = {rank: ranks[(i + step) % n] for i, rank in enumerate(ranks)}
    return _probe(count, ways, "parallel", level, pairs=n)


def _across(count: int, here: list[int], there: list[int]) -> Probe:
    ways = dict(zip(here, there, strict=True)) | dict(zip(there, here, strict=True))
    return _probe(count, ways, "parallel", "network", pairs=len(here))


def _grids(nodes: Sequence[int], ranks: int) -> Iterator[Probe]:
    """Probes in two process grids, numbered column by column, on the first `ranks` ranks."""
    columns, length = probed_shape(ranks // 2)
    places = product(range(2), range(columns), range(length))
    rank_at: dict[tuple[int, ...], int] = {place: rank for rank, place in enumerate(places)}
    for direction, axis, members in (("row", 1, columns), ("column", 2, length)):
        for distance in _doubled(1, members // 2) if members > 1 else ():
            ways = {}
            for place, rank in rank_at.items():
                further = list(place)
                further[axis] = (place[axis] + distance) % members
                ways[rank] = rank_at[tuple(further)]
            level = "network" if any(nodes[a] != nodes[b] for a, b in ways.items()) else "node"
            yield _probe(
                len(nodes), ways, "grid", level, direction=direction, distance=distance,
                ranks=ranks,
            )  # fmt: skip

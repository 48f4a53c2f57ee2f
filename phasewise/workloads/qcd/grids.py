"""Process grids of four dimensions, and the surface of the domains."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

Extents = tuple[int, int, int, int]
"""Four numbers, for x, y, z and t."""


def fitting_grids(size: Extents, ranks: int) -> Iterator[Extents]:
    """All grids of `ranks` ranks that divide a lattice into domains of even extents."""
    ways = [[p for p in _divisors(ranks) if extent % (2 * p) == 0] for extent in size[:3]]
    for x, y, z in product(*ways):
        t, rest = divmod(ranks, x * y * z)
        if rest == 0 and t > 0 and size[3] % (2 * t) == 0:
            yield x, y, z, t


def nearest_ranks(size: Extents, ranks: int) -> list[int]:
    """The nearest numbers of ranks below and above `ranks` for which a grid fits; only one of them
    if there is no other.
    """
    fitting = {1}
    for extent in size:
        fitting = {n * p for n in fitting for p in _divisors(extent // 2)}
    below = [n for n in fitting if n < ranks]
    above = [n for n in fitting if n > ranks]
    return ([max(below)] if below else []) + ([min(above)] if above else [])


def surface_ratio(size: Extents, grid: Extents) -> float:
    """Sites on those faces of a domain that another rank needs, over its volume: Σ 2 P/L over the
    axes with P > 1.
    """
    return sum(2 * p / extent for p, extent in zip(grid, size, strict=True) if p > 1)


def least_surface(size: Extents, ranks: int) -> Extents:
    """The grid with the least surface; among equal ones, the one with the fewest ranks along x,
    then y, then z. ValueError if no grid fits.
    """
    return min(fitting_grids(size, ranks), key=lambda grid: (surface_ratio(size, grid), grid))


def _divisors(number: int) -> list[int]:
    return [d for d in range(1, number + 1) if number % d == 0]

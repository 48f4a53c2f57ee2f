"""Operators of the free surface on a B-grid with random continents, and what other solvers make of
them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Sea = NDArray[np.bool_]

RADIUS, GRAVITY, THETA = 6.371e6, 9.806, 0.6
SOUTH, NORTH = np.deg2rad([-76.0, 76.0])


def depths(nx: int, ny: int, sea: float = 0.68, seed: int = 1) -> Floats:
    """Smooth random depths [m] of one sea, 0 on land: Gaussian noise of some ten wavelengths."""
    from scipy.ndimage import label

    along = np.fft.fftfreq(nx)[None, :] * nx
    across = np.fft.fftfreq(ny)[:, None] * ny
    wide = np.exp(-(along**2 + across**2) / (2 * 6.0**2))
    fine = 0.02 * np.exp(-(along**2 + across**2) / (2 * (nx / 12) ** 2))
    noise = np.fft.fft2(np.random.default_rng(seed).normal(size=(ny, nx)))
    height = np.fft.ifft2(noise * (wide + fine)).real
    coast = np.quantile(height, 1 - sea)
    twice, _ = label(np.concatenate([height > coast] * 2, axis=1))
    largest = twice == np.argmax(np.bincount(twice.ravel())[1:]) + 1
    kept = largest[:, :nx] | largest[:, nx:]
    deep = 500 + 5000 * np.clip((height - coast) / height.std(), 0, 1)
    return np.where(kept, deep, 0.0)


def _north(of: Floats) -> Floats:
    return np.vstack([of[1:], np.zeros((1, of.shape[1]))])


def _from_south(of: Floats) -> Floats:
    return np.vstack([np.zeros((1, of.shape[1])), of[:-1]])


def operator(deep: Floats, timestep: float) -> tuple[dict[str, Floats], Sea]:
    """A = area/(g θ² Δt²) + Dᵀ H D on a sphere that is periodic in x, and where there is sea."""
    ny, nx = deep.shape
    edges = np.linspace(SOUTH, NORTH, ny + 1)
    step_x, step_y = 2 * np.pi / nx, edges[1] - edges[0]
    middle = 0.5 * (edges[1:] + edges[:-1])
    area = np.repeat((RADIUS**2 * np.cos(middle) * step_x * step_y)[:, None], nx, axis=1)
    sea = deep > 0
    above = _north(deep)
    corner = np.minimum.reduce([deep, np.roll(deep, -1, 1), above, np.roll(above, -1, 1)])
    dx, dy = (RADIUS * np.cos(edges[1:]) * step_x)[:, None], RADIUS * step_y
    # The gradients at a corner are (b + d - a - c)/2dx and (c + d - a - b)/2dy, of the cells a, b
    # in the south and c, d in the north.
    along, across = 0.25 * corner * dy / dx, 0.25 * corner * dx / dy
    both, apart = along + across, across - along
    own = both + np.roll(both, 1, 1)
    return {
        "centre": np.where(
            sea, own + _from_south(own) + area / (GRAVITY * (THETA * timestep) ** 2), 0.0
        ),
        "east": apart + _from_south(apart),
        "north": -apart - np.roll(apart, 1, 1),
        "north_east": -both,
        "north_west": -both,
    }, sea


def sparse(coefficients: dict[str, Floats], tiles: tuple[int, int] | None = None) -> Any:
    """The matrix of all cells, periodic in x; without couplings between tiles of these widths along
    x and y. Rows of land are those of the unit matrix.
    """
    from scipy.sparse import csr_array

    centre = coefficients["centre"]
    ny, nx = centre.shape
    number = np.arange(nx * ny).reshape(ny, nx)
    tile = np.zeros_like(number)
    if tiles is not None:
        tile = number // nx // tiles[1] * nx + number % nx // tiles[0]
    pairs = [
        ("east", number, np.roll(number, -1, 1)),
        ("north", number[:-1], number[1:]),
        ("north_east", number[:-1], np.roll(number, -1, 1)[1:]),
        ("north_west", np.roll(number, -1, 1)[:-1], number[1:]),
    ]
    rows, columns = [number.ravel()], [number.ravel()]
    values = [np.where(centre > 0, centre, 1.0).ravel()]
    for name, one, other in pairs:
        value = coefficients[name][: one.shape[0]]
        same = tile.ravel()[one] == tile.ravel()[other]
        for a, b in ((one, other), (other, one)):
            rows.append(a[same])
            columns.append(b[same])
            values.append(value[same])
    matrix = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return csr_array(matrix, shape=(nx * ny, nx * ny))


def right_side(sea: Sea, seed: int = 2) -> Floats:
    """Smooth numbers at sea, in which all wavelengths take part."""
    ny, nx = sea.shape
    random = np.random.default_rng(seed).normal(size=(ny, nx))
    return np.where(sea, np.cumsum(random, axis=1) / np.sqrt(nx) + random, 0.0)

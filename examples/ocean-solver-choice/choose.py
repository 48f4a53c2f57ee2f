"""The free surface of a sea with an island and a shelf, solved in every way, on any ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import load_core
from phasewise.workloads.ocean import NinePoint

Floats = NDArray[np.float64]

CELLS = (150, 100)
"""Along y and x."""
DX, DY, DT = 12e3, 10e3, 600.0
"""Widths [m] and timestep [s]."""
GRAVITY, THETA = 9.80616, 0.6


def depths() -> Floats:
    """Depths of the cells [m], 0 on land: coasts around the sea, an island, and a shelf."""
    rows, columns = CELLS
    y, x = np.mgrid[0:rows, 0:columns] / np.array([rows, columns]).reshape(2, 1, 1)
    deep = 4500.0 * np.clip(8 * np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y)), 0, 1)
    deep[np.hypot((x - 0.4) * columns, (y - 0.55) * rows) < 14] = 0.0
    deep[(x > 0.6) & (y > 0.7)] *= 0.05
    deep[[0, -1]] = deep[:, [0, -1]] = 0.0
    return np.where(deep < 10.0, 0.0, deep)


def operator(deep: Floats) -> dict[str, Floats]:
    """A = area/(g θ² Δt²) + Dᵀ H D on a B-grid, with D the gradient at corners and H the depth
    there, the least of four cells.
    """
    sea = deep > 0
    corner = np.zeros_like(deep)
    corner[:-1, :-1] = np.min([deep[:-1, :-1], deep[:-1, 1:], deep[1:, :-1], deep[1:, 1:]], axis=0)
    along, across = 0.25 * corner * DY / DX, 0.25 * corner * DX / DY
    both, apart = along + across, across - along

    def west(of: Floats) -> Floats:
        return np.pad(of, ((0, 0), (1, 0)))[:, :-1]

    def south(of: Floats) -> Floats:
        return np.pad(of, ((1, 0), (0, 0)))[:-1]

    per_height = DX * DY / (GRAVITY * (THETA * DT) ** 2)
    own = per_height + both + west(both) + south(both) + south(west(both))
    return {
        "centre": np.where(sea, own, 0.0),
        "east": apart + south(apart),
        "north": -(apart + west(apart)),
        "north_east": -both,
        "north_west": -both,
    }


SOLVERS = ("pcg", "chrongear", "pipelined", "pcsi")
PRECONDITIONERS = ("none", "diagonal", "evp")


def main() -> None:
    """A line for each way, with what is left of the right-hand side."""
    deep = depths()
    sea = deep > 0
    surface = NinePoint(operator(deep), sea)
    b = np.where(sea, np.random.default_rng(1).normal(size=deep.shape), 0.0)
    for preconditioner in PRECONDITIONERS:
        for solver in SOLVERS:
            found = surface.solve(b, solver=solver, preconditioner=preconditioner, tolerance=1e-12)
            if load_core().rank() == 0:
                text = f"{solver} {preconditioner} {found.iterations} {found.residuals[-1]:.2e}"
                print(text + "\n", end="")


if __name__ == "__main__":
    main()

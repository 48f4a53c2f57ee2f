"""Collisions that are drawn at random, by which models are judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phasewise.models.drawn import Draw, Drawn, Tables, Wanted, between, one_of, some
from phasewise.workloads.collision.reproduction.cases import ALGORITHMS, paper_tables

SIZES = ((64, 4), (128, 4), (128, 8), (256, 4), (64, 15))
"""Pairs of mesh nodes in each direction and slices, of turns whose simulation takes seconds."""
LARGE_SIZES = ((128, 8), (256, 8), (64, 15), (128, 16), (256, 16))
POINT: dict[str, tuple[Any, ...]] = {
    "green_function": ("as-needed", "every-step"),
    "interpolation": ("linear", "none"),
    "luminosity": (True, False),
    "weighting": ("cic", "tsc"),
    "half_crossing_angle": (0.0, 142.5e-6, 1e-3),
}
COMMUNICATION: dict[str, tuple[Any, ...]] = {
    "schedule": ("ring", "pairwise"),
    "transpose": ("pairwise", "ring", "bruck", "alltoallw"),
    "aggregate": (True, False),
    "crossing": ("4a", "4b"),
    "overlap": (False, True),
    "layout": ("row-first", "column-first", "random"),
}
"""Keys of an interaction point, and of the communication, with the values that are drawn."""
DEFAULT_SLICES = 8
UNEVEN = 3
"""How many times more macroparticles one beam may have than the other."""


class CollisionDrawn(Drawn):
    """How its studies are drawn."""

    LARGE_RANKS = (64, 96, 128, 192, 256)

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """The source paper's beams with other numbers of particles, meshes and slices."""
        tables = paper_tables() | {"title": "drawn", "seed": int(draw.integers(1, 1000))}
        del tables["records"], tables["turns"]
        tables["beam"]["1"]["macroparticles"] = particles = int(between(draw, 1e5, 3e6))
        if draw.integers(2):
            uneven = between(draw, 1 / UNEVEN, UNEVEN)
            tables["beam"]["2"] |= {"macroparticles": int(particles * uneven)}
        slices = DEFAULT_SLICES
        tables["ip"]["1"] = {"beta": tables["ip"]["1"]["beta"], **some(draw, POINT)}
        if tables["ip"]["1"].get("interpolation") == "none":
            tables["ip"]["1"]["longitudinal_kick"] = False
        if draw.integers(2) or wanted.large:
            nodes, slices = one_of(draw, LARGE_SIZES if wanted.large else SIZES)
            tables["ip"]["1"] |= {"grid": [nodes, nodes], "slices": slices}
        own = some(draw, COMMUNICATION)
        if draw.integers(2):
            pairs = [p for p in ALGORITHMS if wanted.machine.node_ranks > 1 or "node" not in p[0]]
            own["reduce"], own["broadcast"] = one_of(draw, tuple(pairs))
        if draw.integers(2):
            half = wanted.ranks // 2
            columns = int(draw.choice([n for n in range(1, slices + 1) if half % n == 0]))
            grid = (columns, half // columns)
            own["process_grid"] = f"{grid[0]}x{grid[1]}"
            if draw.integers(4) == 0:
                own["layout"] = _layout(draw, grid, wanted.file)
        return tables | {"communication": own}


def _layout(draw: Draw, grid: tuple[int, int], path: Path) -> str:
    """Writes a file with the places of all ranks in random order."""
    places = [(b, c, r) for b in (1, 2) for c in range(grid[0]) for r in range(grid[1])]
    shuffled = [places[i] for i in draw.permutation(len(places))]
    path.write_text("".join(f"{b} {c} {r}\n" for b, c, r in shuffled), encoding="utf-8")
    return str(path)

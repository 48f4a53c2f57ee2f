"""SuperKEKB's luminosity on a mesh, and the time of a turn, for several grids.

    .venv/bin/python -m benchmarks.nano_beams --grids 64x128 128x256 --particles 200000

The bunches of examples/superkekb, with so little charge that they keep their shape, cross once or
several times. For each grid it prints the luminosity of the strong-strong model over the quadrature
that `phasewise check` gives, the cells per rms size at the waist, the number of Green functions
made, and the median time of all turns but the first; for comparison also Gaussian slices with the
same particles.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import phasewise
from phasewise.options import count
from phasewise.output import print_table

STUDY = Path(__file__).resolve().parents[1] / "examples" / "superkekb" / "study.toml"


def grid(text: str) -> tuple[int, int]:
    """Nodes in x and y, written 128x256."""
    nx, _, ny = text.partition("x")
    return int(nx), int(ny)


def crossings(changes: Sequence[str], args: argparse.Namespace) -> list[Any]:
    """A row of the table: cells, luminosity over the quadrature, Green functions, time."""
    faint = [f"beam.{k}.bunch_population=1e5" for k in (1, 2)]
    particles = [f"beam.{k}.macroparticles={args.particles}" for k in (1, 2)]
    machine = phasewise.load(STUDY, [*faint, *particles, f"ip.1.slices={args.slices}", *changes])
    (point,) = machine.derived()["ips"]
    (resolution,) = machine.derived()["resolution"]["ips"]
    simulation = phasewise.Simulation(machine, threads=args.threads)
    luminosities, seconds = [], []
    for _ in range(1 + args.turns):
        start = time.perf_counter()
        simulation.step()
        seconds.append(time.perf_counter() - start)
        luminosities.append(float(simulation.record()["luminosity"][0]))
    cells = resolution["cells_per_sigma"]
    return [
        "-" if cells is None else f"{cells[0]:.1f}, {cells[1]:.1f}",
        f"{luminosities[0] / point['luminosity']:.4f}",
        f"{simulation.driver.pieces().get('green', 0):.0f}",
        f"{statistics.median(seconds[1:]):.2f}",
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table. The exit status is 0."""
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(description=summary, epilog=rest.strip())
    parser.add_argument("--grids", type=grid, nargs="+", default=[(64, 128), (128, 256)])
    parser.add_argument("--slices", type=count, default=127)
    parser.add_argument("--particles", type=count, default=200_000, help="of each beam")
    parser.add_argument("--turns", type=count, default=3, help="that are timed")
    parser.add_argument("--threads", type=count, default=2)
    args = parser.parse_args(argv)
    noise = math.sqrt(2 / (3 * args.particles))
    rows = [["Gaussian slices", *crossings([], args)]]
    for nx, ny in args.grids:
        mesh = ['ip.1.model="strong-strong"', f"ip.1.grid=[{nx}, {ny}]"]
        rows.append([f"{nx} x {ny}", *crossings(mesh, args)])
    columns = ["model", "cells per σ", "luminosity / quadrature", "Green functions", "s per turn"]
    print_table(f"{args.slices} slices, noise of the sample {noise:.1e}", columns, rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

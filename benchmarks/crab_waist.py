"""Luminosity of the FCC-ee's bunches at the Z with a crab waist, by slices and on the mesh.

    .venv/bin/python -m benchmarks.crab_waist

Faint bunches cross once, 0.71 nm and 1.9 pm, 0.11 m and 0.7 mm, 15.5 mm long, at 15 mrad. For each
χ it prints the luminosity over the head-on one: by an integral in four dimensions, by the
quadrature of `phasewise check`, by Gaussian slices of the design, and by macroparticles on the
mesh, with the difference from the integral beside each.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

import phasewise
import phasewise._core as core
from phasewise.options import count
from phasewise.output import print_table

INTEGRAL = {0.0: 0.033753, 0.5: 0.034877, 1.0: 0.035259}
"""Luminosity over the head-on one by χ, from an integral in four dimensions."""

POPULATION = 1e6
"""Too few particles for the bunches to change each other."""


def machine(chi: float, slices: int, particles: int, nodes: int) -> phasewise.Study:
    """The crossing with a crab waist of strength ``chi``."""
    beam = {
        "particle": "positron",
        "energy": 45.6e9,
        "bunch_population": POPULATION,
        "macroparticles": particles,
        "distribution": "quiet",
        "geometric_emittance": [0.71e-9, 1.9e-12],
        "bunch_length": 15.5e-3,
        "momentum_spread": 1e-3,
    }
    point = {
        "beta": [0.11, 0.7e-3],
        "half_crossing_angle": 15e-3,
        "crab_waist": chi,
        "slices": slices,
        "grid": [nodes, nodes],
    }
    return phasewise.Study.from_dict(
        {
            "turns": 1,
            "beam": {"1": beam, "2": {"like": "beam.1", "particle": "electron"}},
            "arc": {"matrix": [[float(i == j) for j in range(6)] for i in range(6)]},
            "ip": {"1": point},
        }
    )


def head_on(study: phasewise.Study) -> float:
    """The luminosity [m⁻²] of a crossing without hourglass and angle."""
    return float(study.derived()["ips"][0]["luminosity_head_on"])


def by_slices(chi: float, slices: int) -> float:
    """Luminosity over the head-on one of the design as Gaussian slices."""
    study = machine(chi, slices, particles=1000, nodes=64)
    overlap = float(core.sliced_overlap(study.parameters(), 1))
    return overlap * POPULATION**2 / head_on(study)


def on_the_mesh(chi: float, args: argparse.Namespace) -> float:
    """Luminosity over the head-on one of macroparticles on a mesh."""
    study = machine(chi, max(args.slices), args.particles, args.nodes)
    simulation = phasewise.Simulation(study, threads=args.threads)
    simulation.step()
    return float(simulation.record()["luminosity"][0]) / head_on(study)


def rows_of(args: argparse.Namespace) -> dict[str, list[float]]:
    """The luminosities by χ, a row for each way to find them."""
    found = {
        "integral": list(INTEGRAL.values()),
        "quadrature of phasewise check": [
            float(machine(chi, 8, 1000, 64).derived()["ips"][0]["reduction"]) for chi in INTEGRAL
        ],
    }
    for slices in args.slices:
        found[f"{slices} Gaussian slices"] = [by_slices(chi, slices) for chi in INTEGRAL]
    if len(args.slices) > 1:
        coarse, fine = sorted(args.slices)[-2:]
        ratio = (fine / coarse) ** 2
        pairs = zip(
            found[f"{coarse} Gaussian slices"], found[f"{fine} Gaussian slices"], strict=True
        )
        name = "Gaussian slices, the last two extrapolated"
        found[name] = [(ratio * b - a) / (ratio - 1) for a, b in pairs]
    if not args.no_mesh:
        name = f"mesh {args.nodes} x {args.nodes}, {max(args.slices)} slices"
        found[name] = [on_the_mesh(chi, args) for chi in INTEGRAL]
    return found


def shown(value: float, expected: float) -> str:
    """A luminosity and its relative difference."""
    apart = value / expected - 1
    return f"{value:.6f}" + ("" if abs(apart) < 5e-7 else f" ({apart:+.1e})")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table. The exit status is 0."""
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(description=summary, epilog=rest.strip())
    parser.add_argument("--slices", type=count, nargs="+", default=[63, 127, 255])
    parser.add_argument("--particles", type=count, default=200_000, help="of each beam")
    parser.add_argument("--nodes", type=count, default=64, help="of the mesh, each way")
    parser.add_argument("--threads", type=count, default=2)
    parser.add_argument("--no-mesh", action="store_true", help="Gaussian slices alone")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)
    found = rows_of(args)
    if args.json:
        print(json.dumps({"chi": list(INTEGRAL), "luminosity": found}))
        return 0
    rows: list[list[Any]] = [
        [name, *(shown(v, e) for v, e in zip(values, INTEGRAL.values(), strict=True))]
        for name, values in found.items()
    ]
    columns = ["", *(f"χ = {chi:g}" for chi in INTEGRAL)]
    print_table("Luminosity over the head-on one", columns, rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

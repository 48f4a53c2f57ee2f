"""Photons of one crossing against the exact integrals, and what they cost, for models and slices.

    .venv/bin/python -m benchmarks.beamstrahlung --particles 1000000 --slices 1 3 15

Two round bunches of 1e10 particles with γ = 1e6, σ = 1 µm and σz = 0.1 mm, which hardly change each
other, cross. For each model and number of slices it prints the photons per particle, the sums of
their shares of the energy and of the squares of these, each with its difference from the integral
over the bunch in standard errors, and the CPU time of an encounter without photons and what the
photons add. With --equilibrium it prints the momentum spread of longer bunches after many turns
beside that of the quadrature.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import phasewise
from phasewise.constants import ELECTRON_MASS
from phasewise.options import count
from phasewise.output import print_table

EXACT = (0.20979, 3.7051e-3, 2.911e-4)
"""Photons, loss and sum of squares by integrating the exact spectrum over a bunch at rest."""

QUARTIC = 0.2
"""Mean of u⁴ over that of u², about."""

MODELS = ("strong-strong", "soft-gaussian", "weak-strong")


def bunches(
    particles: int, gamma: float, population: float, size: float, length: float, spread: float
) -> dict[str, Any]:
    """The tables of two equal bunches of electrons and positrons that meet head-on."""
    beam = {
        "particle": "electron",
        "energy": gamma * ELECTRON_MASS,
        "bunch_population": population,
        "macroparticles": particles,
        "geometric_emittance": [size**2, size**2],
        "bunch_length": length,
        "momentum_spread": spread,
    }
    identity = np.eye(6).tolist()
    return {
        "turns": 1,
        "seed": 1,
        "beam": {"1": beam, "2": {"like": "beam.1", "particle": "positron"}},
        "arc": {"matrix": identity},
        "ip": {"1": {"beta": [1.0, 1.0], "grid": [128, 128], "beamstrahlung": "quantum"}},
    }


def case(particles: int, model: str, slices: int, photons: bool) -> phasewise.Study:
    """The crossing whose integrals are known."""
    tables = bunches(particles, 1e6, 1e10, 1e-6, 1e-4, 1e-6)
    tables["ip"]["1"] |= {"model": model, "slices": slices}
    if not photons:
        del tables["ip"]["1"]["beamstrahlung"]
    return phasewise.Study.from_dict(tables)


def timed(study: phasewise.Study, turns: int, threads: int) -> tuple[Any, float]:
    """The record of the first turn, and the median CPU seconds of the turns."""
    simulation = phasewise.Simulation(study, threads=threads)
    record, seconds = None, []
    for _ in range(turns):
        start = time.process_time()
        simulation.step()
        seconds.append(time.process_time() - start)
        record = record or simulation.driver.record()
    return record, statistics.median(seconds)


def row(model: str, slices: int, args: argparse.Namespace) -> list[str]:
    """A row of the table."""
    record, with_photons = timed(
        case(args.particles, model, slices, True), args.turns, args.threads
    )
    _, without = timed(case(args.particles, model, slices, False), args.turns, args.threads)
    found = [float(record[f"1/{name}"][0]) for name in ("photons", "photon_loss", "photon_square")]
    n, _, square = EXACT
    errors = [math.sqrt(value / args.particles) for value in (n, square, QUARTIC * square)]
    beams = 1 if model == "weak-strong" else 2
    encounters = beams * args.particles * slices
    return [
        model,
        str(slices),
        *(
            f"{value:.5g} ({(value - exact) / error:+.1f})"
            for value, exact, error in zip(found, EXACT, errors, strict=True)
        ),
        f"{1e9 * without / encounters:.1f}",
        f"{1e9 * (with_photons - without) / encounters:+.1f}",
    ]


def equilibria(args: argparse.Namespace) -> None:
    """Print the momentum spreads of bunches with τ = 40 turns of damping."""
    rows = []
    for model in MODELS:
        tables = bunches(args.particles, 3e5, 1e11, 2e-5, 1e-3, 1e-3)
        tables["arc"] = {
            "tune": [0.31, 0.32],
            "synchrotron_tune": 0.05,
            "damping_turns": [40, 40, 40],
        }
        # A small β* keeps the beam-beam parameter at 0.01, so that the sizes stay as they are.
        beta = 0.05
        tables["beam"]["1"]["geometric_emittance"] = [2e-5**2 / beta] * 2
        tables["ip"]["1"] |= {"beta": [beta] * 2, "model": model, "slices": 5, "grid": [64, 64]}
        study = phasewise.Study.from_dict(tables)
        expected = study.derived()["ips"][0]["beamstrahlung"]["equilibrium"]["momentum_spread"][0]
        simulation = phasewise.Simulation(study, threads=args.threads)
        spreads = []
        for turn in range(400):
            simulation.step()
            if turn >= 200:
                covariance = simulation.driver.record()["1/covariance"]
                spreads.append(math.sqrt(covariance[5][5]))
        found = statistics.mean(spreads)
        rows.append(
            [model, f"{found:.4e}", f"{expected:.4e}", f"{100 * (found / expected - 1):+.2f} %"]
        )
    print_table("Equilibrium", ["model", "momentum spread", "quadrature", "difference"], rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table. The exit status is 0."""
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(description=summary, epilog=rest.strip())
    parser.add_argument("--particles", type=count, default=200_000, help="of each beam")
    parser.add_argument("--slices", type=count, nargs="+", default=[1, 3, 15])
    parser.add_argument("--models", choices=MODELS, nargs="+", default=MODELS)
    parser.add_argument("--turns", type=count, default=3, help="that are timed")
    parser.add_argument("--threads", type=count, default=1)
    parser.add_argument("--equilibrium", action="store_true")
    args = parser.parse_args(argv)
    if args.equilibrium:
        equilibria(args)
        return 0
    rows = [row(model, slices, args) for model in args.models for slices in args.slices]
    columns = ["model", "slices", "photons", "loss", "squares", "ns per encounter", "by photons"]
    print_table(f"{args.particles} particles; in brackets standard errors", columns, rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""The gauge action of a link at weak coupling, by Hybrid Monte Carlo, for the three actions.

    .venv/bin/python -m benchmarks.qcd_weak_coupling [--trajectories 2000] [--threads 2]

For β → ∞ the links are free fields, and ⟨S⟩/(12 V) is 1: each of the 24 V modes that gauge
transformations leave has ½. The row of validation.md in ../shared extrapolates β 60, 120, 240 on 8⁴
linearly in 1/β; 32 modes of momentum zero are not Gaussian, 2e-4 of all.
"""

from __future__ import annotations

import argparse
import math
import os

import numpy as np

import phasewise
from phasewise.analysis import autocorrelation
from phasewise.study import Study

SIZE = 8
BETAS = (60.0, 120.0, 240.0)
ACTIONS = ("wilson", "symanzik", "iwasaki")
EXPECTED, TOLERANCE = 1.0, 1e-3
THERMALISATION = 100
SLOWEST = 2.4
"""Frequency of the lowest mode at β 60; the frequencies grow with √β."""
PHASES = {"wilson": 0.5, "symanzik": 0.3, "iwasaki": 0.3}
"""The phase by which the lowest mode goes on in a trajectory. That of the highest one stays below
π, since a mode of a free field that comes back to where it was would never reach equilibrium.
"""


def action_of_a_link(
    action: str, beta: float, trajectories: int, threads: int
) -> tuple[float, float]:
    """⟨S⟩/(12 V) and its error."""
    study = Study.from_dict(
        {
            "workload": "qcd",
            "trajectories": THERMALISATION + trajectories,
            "lattice": {"size": [SIZE] * 4},
            "gauge": {"action": action, "beta": beta, "start": "cold"},
            "update": {
                "length": PHASES[action] / SLOWEST * math.sqrt(BETAS[0] / beta),
                "integrator": "omelyan-4",
                "steps": [3],
            },
        }
    )
    with phasewise.run(study, threads=threads) as results:
        energies = np.asarray(results.rows("action_gauge"))[THERMALISATION:]
        accepted = float(np.mean(results.rows("accepted")))
    found = autocorrelation(energies / (12 * SIZE**4))
    print(
        f"{action:9} β {beta:g}: {found.value:.5f} ± {found.error:.1e} (τ_int {found.time:.2f}, "
        f"{100 * accepted:.0f} % accepted)",
        flush=True,
    )
    return found.value, found.error


def main() -> int:
    """Print a line for each run and each extrapolation; the status is 1 if one is not met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trajectories", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--actions", default=",".join(ACTIONS))
    given = parser.parse_args()
    met = True
    for action in given.actions.split(","):
        points = [
            action_of_a_link(action, beta, given.trajectories, given.threads) for beta in BETAS
        ]
        values, errors = (np.array(column) for column in zip(*points, strict=True))
        design = np.column_stack([np.ones(len(BETAS)), 1 / np.array(BETAS)]) / errors[:, None]
        covariance = np.linalg.inv(design.T @ design)
        limit = float((covariance @ design.T @ (values / errors))[0])
        error = math.sqrt(covariance[0, 0])
        met &= abs(limit - EXPECTED) < TOLERANCE + 2 * error
        print(f"{action:9} β → ∞: {limit:.5f} ± {error:.1e}, expected 1 within {TOLERANCE:g}")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())

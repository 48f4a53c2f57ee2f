"""`python -m benchmarks.qcd_two_flavours [--configurations 4000]`: two flavours of clover quarks on
2⁴ sites, with and without a Hasenbusch mass, beside a heat-bath that is reweighted.

A configuration of the heat-bath counts with its dense determinant, |det D|², and with what its β
differs: a larger one makes links that are more like those of the quarks. This is the row "two
flavours, 2⁴" of validation.md in ../shared: plaquettes agree within 3σ.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.analysis import autocorrelation
from phasewise.driver import load_core
from phasewise.study import Study

Floats = NDArray[np.float64]

SIZE, BETA, KAPPA, CLOVER = (2, 2, 2, 2), 5.0, 0.12, 1.0
PHASES = (0.0, 0.0, 0.0, 1.0)
HEAT_BATH_BETA = 5.5
PLAQUETTES = 6 * 16
SPINORS = 12 * 16
"""Components of all sites, the rows of the dense matrix."""
FIRST = 100
"""Trajectories before the links count as thermalised: autocorrelation times are a few."""
UPDATES: dict[str, dict[str, Any]] = {
    "one level": {"steps": [6, 1]},
    "Hasenbusch": {"hasenbusch": [0.3], "steps": [4, 2, 1]},
}
BINS = 40
MOST_SIGMA = 3.0


def main() -> int:
    """Print the plaquettes; the status is 1 if one differs by more than 3σ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configurations", type=int, default=4000)
    count = parser.parse_args().configurations
    expected, error, effective = reweighted(count)
    print(f"heat-bath, reweighted: {expected:.5f} ± {error:.5f} ({effective:.0f} of {count} count)")
    agree = True
    for seed, (name, update) in enumerate(UPDATES.items(), 2):
        found, acceptance = trajectories(count, seed, update)
        sigma = abs(found.value - expected) / np.hypot(found.error, error)
        agree = agree and sigma < MOST_SIGMA
        print(
            f"{name}: {found.value:.5f} ± {found.error:.5f} (τ_int {found.time:.1f}, acceptance "
            f"{acceptance:.2f}): {sigma:.1f} σ",
            flush=True,
        )
    return 0 if agree else 1


def started(seed: int, beta: float = BETA, **tables: Any) -> Any:
    """A run on one rank, past its first trajectories."""
    study = Study.from_dict({
        "workload": "qcd", "trajectories": 1, "seed": seed, "lattice": {"size": list(SIZE)},
        "gauge": {"start": "hot", "beta": beta}, **tables,
    })  # fmt: skip
    run = load_core().start(study.parameters(), 1)
    for _ in range(FIRST):
        run.step()
    return run


def plaquette(run: Any) -> float:
    record = run.record()
    return float(record["plaquette_space"] + record["plaquette_time"]) / 2.0


def trajectories(count: int, seed: int, update: dict[str, Any]) -> tuple[Any, float]:
    """The mean plaquette of two flavours, and the acceptance."""
    quarks = {"kappa": KAPPA, "clover": CLOVER, "phases": list(PHASES)}
    run = started(seed, quarks=quarks, update={"method": "hmc", **update})
    plaquettes, accepted = [], 0.0
    for _ in range(count):
        run.step()
        plaquettes.append(plaquette(run))
        accepted += float(run.record()["accepted"])
    return autocorrelation(np.array(plaquettes)), accepted / count


def reweighted(count: int) -> tuple[float, float, float]:
    """The mean plaquette of the quenched ensemble, each configuration with its determinant; its
    error by jackknife; and the number of configurations of equal weights that know as much.
    """
    run = started(1, HEAT_BATH_BETA, update={"method": "heat-bath", "over_relaxation": 1})
    plaquettes, logarithms = np.empty(count), np.empty(count)
    for number in range(count):
        run.step()
        plaquettes[number] = plaquette(run)
        logarithms[number] = log_determinant(np.asarray(run.links()))
    logarithms += (BETA - HEAT_BATH_BETA) * PLAQUETTES * plaquettes
    weights = np.exp(logarithms - logarithms.max())
    bins = np.array_split(np.arange(count), BINS)
    left_out = np.array([
        np.average(np.delete(plaquettes, part), weights=np.delete(weights, part)) for part in bins
    ])  # fmt: skip
    error = np.sqrt((BINS - 1) * left_out.var())
    effective = weights.sum() ** 2 / (weights**2).sum()
    return float(np.average(plaquettes, weights=weights)), float(error), float(effective)


def log_determinant(links: Floats) -> float:
    """log |det D|² of the dense matrix."""
    quarks = load_core().QcdQuarks(
        SIZE,
        links,
        phases=PHASES,
        mass=0.5 / KAPPA - 4.0,
        clover_spatial=CLOVER,
        clover_temporal=CLOVER,
    )
    columns = np.empty((SPINORS, SPINORS), dtype=complex)
    for place, unit in enumerate(np.eye(SPINORS, dtype=complex)):
        columns[place] = np.asarray(quarks.dirac(unit.view(np.float64))).view(complex)
    return 2.0 * float(np.linalg.slogdet(columns)[1])


if __name__ == "__main__":
    raise SystemExit(main())

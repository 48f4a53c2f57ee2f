"""Heat-bath and Hybrid Monte Carlo, with one integrator and another, make the same ensemble."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.unit.test_qcd_integrators import errors, started

pytest.importorskip("phasewise._core", reason="the core is not built")

UPDATES = {
    "heat-bath": {"method": "heat-bath", "over_relaxation": 1},
    "leapfrog": {"integrator": "leapfrog", "steps": [8]},
    "omelyan-4": {"integrator": "omelyan-4", "steps": [2]},
}
FIRST, COUNTED = 60, 600


def loops(update: dict[str, Any], seed: int) -> Any:
    """Plaquette, rectangle and the square of the Polyakov loops of each configuration."""
    run = started(update, seed=seed, measure={"rectangles": True})
    rows = []
    for _ in range(FIRST + COUNTED):
        run.step()
        record = run.record()
        plaquette = (record["plaquette_space"] + record["plaquette_time"]) / 2
        rows.append((plaquette, record["rectangle"], (record["polyakov"] ** 2).sum(axis=1).mean()))
    return np.array(rows, dtype=float)[FIRST:].T


@pytest.fixture(scope="module")
def ensembles() -> dict[str, Any]:
    return {name: loops(update, seed) for seed, (name, update) in enumerate(UPDATES.items(), 1)}


@pytest.mark.parametrize("other", ["leapfrog", "omelyan-4"])
def test_three_loops_of_hybrid_monte_carlo_are_those_of_the_heat_bath(
    ensembles: dict[str, Any], other: str
) -> None:
    for one, two in zip(ensembles["heat-bath"], ensembles[other], strict=True):
        # Errors from parts of 30 configurations, more than ten autocorrelation times.
        error = math.hypot(errors(one), errors(two))
        assert error < 0.02
        assert abs(one.mean() - two.mean()) < 3 * error

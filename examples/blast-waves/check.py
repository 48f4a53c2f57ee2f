"""The blast waves beside a run with more zones, and what walls conserve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise

STUDY = Path(__file__).parent / "study.toml"
FINE = 800
LIMITS = {200: 0.13, 400: 0.07}
"""Of the L1 error of the density against 6400 zones, of which 800 zones differ by less than 0.035.
A program of the same method, but of another author, has 0.101 and 0.056.
"""


@pytest.fixture(scope="module")
def densities() -> Any:
    """The density at the end, by the number of zones."""
    found = {}
    for zones in (*LIMITS, FINE):
        changes = [f"hydro.zones=[{zones}]", "records.snapshots=1"]
        with phasewise.run(phasewise.load(STUDY, changes)) as results:
            found[zones] = results.fields("density")[-1]
            rows = {name: np.asarray(results.rows(name)) for name in ("mass", "energy")}
        # Density 1; 0.1 · 1000 + 0.8 · 0.01 + 0.1 · 100 over γ - 1. Each timestep may round.
        rounding = 2.0**-53 * len(rows["mass"])
        assert rows["mass"] == pytest.approx(1.0, rel=rounding)
        assert rows["energy"] == pytest.approx(110.008 / 0.4, rel=rounding)
    return found


@pytest.mark.parametrize("zones", LIMITS)
def test_the_density_is_near_that_of_more_zones(densities: Any, zones: int) -> None:
    means = densities[FINE].reshape(zones, -1).mean(axis=1)
    assert np.abs(densities[zones] - means).mean() <= LIMITS[zones]


def test_the_dense_layer_is_where_the_literature_has_it(densities: Any) -> None:
    """The largest density is near 6.5, at 0.78 (Woodward and Colella, figure 2h)."""
    x = (np.arange(FINE) + 0.5) / FINE
    peak = int(densities[FINE].argmax())
    assert x[peak] == pytest.approx(0.78, abs=0.01)
    assert densities[FINE][peak] == pytest.approx(6.5, rel=0.06)

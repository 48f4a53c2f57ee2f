"""The density behind the shock of Noh's implosion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise

STUDY = Path(__file__).parent / "study.toml"
DENSITIES = {"cartesian": 4.0, "cylindrical": 16.0, "spherical": 64.0}


def run(coordinates: str, zones: int) -> tuple[Any, Any]:
    """Centres and densities at t = 0.6, when the shock is at 0.2."""
    changes = [f"hydro.coordinates={coordinates}", f"hydro.zones=[{zones}]", "records.snapshots=1"]
    with phasewise.run(phasewise.load(STUDY, changes)) as results:
        return results.centres(0), results.fields("density")[-1]


@pytest.mark.parametrize("coordinates", DENSITIES)
def test_the_density_behind_the_shock_converges_to_its_value(coordinates: str) -> None:
    exact = DENSITIES[coordinates]
    means = []
    for zones in (100, 200):
        r, density = run(coordinates, zones)
        means.append(float(density[(r > 0.1) & (r < 0.18)].mean()))
        # The shock spreads over two zones.
        assert abs(r[int(np.argmin(np.diff(density)))] - 0.2) <= 2 / zones
    # Wall heating and its traces are of first order in the width of zones: they are 6 % or less
    # with 200 zones, and what is left of them in the extrapolation a fraction of that.
    assert means[1] == pytest.approx(exact, rel=0.07)
    assert 2 * means[1] - means[0] == pytest.approx(exact, rel=0.015)


def test_the_gas_before_the_shock_is_compressed_as_it_falls_together() -> None:
    r, density = run("spherical", 200)
    outside = (r > 0.3) & (r < 0.39)  # what comes from the boundary at 1 has got to 0.4
    assert density[outside] == pytest.approx((1 + 0.6 / r[outside]) ** 2, rel=0.01)

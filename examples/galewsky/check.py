"""The gravity wave that the bump of Galewsky's jet sends out, and the jet in its balance."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise
from phasewise.workloads.sphere.grid import latitudes_of

STUDY = Path(__file__).parent / "study.toml"
TIMESTEP = 450.0
"""s"""
SHORT = [
    "timesteps=48", "sphere.truncation=42", f"sphere.timestep={TIMESTEP}", "records.maps_every=24",
]  # fmt: skip
"""Six hours, with maps after three and six."""
MAPS = (23, 47)
SOUTH_OF = 30.0
"""Latitude south of which there is no wind [degrees]."""

Heights = tuple[NDArray[np.float64], NDArray[np.float64]]


@pytest.fixture(scope="module")
def heights() -> tuple[Heights, Heights]:
    """The surface without the bump, and what the bump adds to it, after three and six hours."""
    study = phasewise.load(STUDY, SHORT)
    calm = study.replace(**{"sphere.perturbed": False})
    with phasewise.run(study) as bumped, phasewise.run(calm) as jet:
        surfaces = [[run.array(f"maps/{at}/surface")[0] for at in MAPS] for run in (bumped, jet)]
    (early, late), (calm_early, calm_late) = surfaces
    return (calm_early, calm_late), (early - calm_early, late - calm_late)


def crest(wave: NDArray[np.float64]) -> float:
    """The latitude [rad] of the southern crest on the meridian of the bump, by a parabola through
    the highest point and its neighbours.
    """
    north = np.radians(latitudes_of(wave.shape[0]))
    column = np.where(np.degrees(north) < SOUTH_OF, wave[:, 0], -np.inf)
    at = int(column.argmax())
    a, b, c = column[at - 1 : at + 2]
    return float(north[at] + (north[at + 1] - north[at]) * 0.5 * (a - c) / (a - 2 * b + c))


def test_the_wave_moves_south_at_the_speed_of_gravity_waves(
    heights: tuple[Heights, Heights],
) -> None:
    study = phasewise.load(STUDY, SHORT)
    early, late = heights[1]
    path = study.model.radius * (crest(early) - crest(late))
    speed = path / (TIMESTEP * (MAPS[1] - MAPS[0]))
    # The grid has a point each 2.8°, 310 km, on a path of 3400 km, and a parabola finds the crest
    # to a tenth of that; the depth varies by 1.5 % along the path.
    assert speed == pytest.approx(math.sqrt(study.model.gravity * 10158.186), rel=0.03)


def test_the_depth_in_the_south_follows_from_its_mean(heights: tuple[Heights, Heights]) -> None:
    # T42 disturbs the balance of the jet by half a metre.
    assert heights[0][1][-1].mean() == pytest.approx(10158.186, abs=0.5)


def test_the_bump_adds_its_volume_and_no_more() -> None:
    study = phasewise.load(STUDY, [*SHORT, "timesteps=2", "records.maps_every=0"])
    with phasewise.run(study) as results:
        mass = results.rows("mass")[:, 0]
    assert mass[1] == pytest.approx(mass[0], rel=1e-14)
    # 120 m cos φ exp(-(λ/α)²) exp(-((φ₂ - φ)/β)²), whose integral over longitudes is α √π, and over
    # latitudes β √π cos²φ₂ to first order in β²; divided by 4π.
    added = 120.0 * (1 / 3) * (1 / 15) * math.pi * 0.5 / (4 * math.pi)
    assert mass[0] - 10000.0 == pytest.approx(added, rel=0.01)

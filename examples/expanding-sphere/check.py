"""A cold sphere has twice its radius where energy conservation says so, in all three directions."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import phasewise
from phasewise.constants import CLASSICAL_ELECTRON_RADIUS, ELECTRON_MASS

STUDY = Path(__file__).parent / "study.toml"
RADIUS = 1e-3
"""m, in the rest frame."""


def doubling_length(study: phasewise.Study) -> float:
    """βγ ct with t = √(R0³/2Nr0c²) [√2 + ln(1 + √2)]: in the rest frame R̈ = N r0 c²/R²."""
    bunch = study.bunch
    scale = math.sqrt(RADIUS**3 / (2 * bunch.bunch_population * CLASSICAL_ELECTRON_RADIUS))
    return float(bunch.beta_gamma * scale * (math.sqrt(2) + math.log(1 + math.sqrt(2))))


def test_the_lattice_is_as_long_as_the_sphere_needs() -> None:
    study = phasewise.load(STUDY)
    gamma = study.bunch.energy / ELECTRON_MASS
    assert study.lattice.length == pytest.approx(doubling_length(study), rel=1e-6)
    rms = RADIUS / math.sqrt(5)
    assert (*study.bunch.size, gamma * study.bunch.bunch_length) == pytest.approx((rms,) * 3, 1e-6)


def test_the_sphere_doubles() -> None:
    study = phasewise.load(STUDY)
    simulation = phasewise.Simulation(study)
    simulation.run()
    record = simulation.record()
    sizes = np.sqrt(np.diagonal(record["beam1/covariance"])[[0, 2, 4]])
    start = (*study.bunch.size, study.bunch.bunch_length)
    # The mesh of 36 cells across errs by h²/R² = 1/18² at the surface, mostly there; 40 kicks by
    # 1/40² of the path.
    assert sizes / start == pytest.approx([2, 2, 2], rel=3e-3)
    assert record["beam1/outside"] == 0 and record["beam1/losses"] == 0
    # What one particle gains another loses, to the rounding of charges.
    assert np.abs(record["beam1/mean"][[1, 3]]).max() < 1e-6

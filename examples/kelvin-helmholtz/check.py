"""How fast the instability grows, and which symmetries it keeps."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise

STUDY = Path(__file__).parent / "study.toml"
ZONES = 48
SHEET = 4 * math.pi * math.sqrt(2) / 3
"""The growth rate of a sheet of no thickness: k ΔU √(ρ₁ρ₂)/(ρ₁+ρ₂)."""


@pytest.fixture(scope="module")
def run() -> Any:
    """The run with fewer zones, without its film."""
    changes = [f"hydro.zones=[{ZONES},{ZONES}]", "records.snapshots=15"]
    with phasewise.run(phasewise.load(STUDY, changes)) as results:
        yield results


def test_the_mode_grows_more_slowly_than_that_of_a_sheet(run: Any) -> None:
    """The amplitude as McNally et al. define it, equations 10 to 13."""
    x, y, velocity = run.centres(0), run.centres(1), run.fields("velocity2")
    weight = np.exp(-4 * math.pi * np.abs(np.where(y < 0.5, y - 0.25, 0.75 - y)))
    parts = [
        (velocity * wave(4 * math.pi * x)[:, None] * weight).sum(axis=(1, 2))
        for wave in (np.sin, np.cos)
    ]
    amplitude = 2 * np.hypot(*parts) / (ZONES * weight.sum())
    assert amplitude[0] == pytest.approx(0.009, abs=0.002)  # of 0.01 at t = 0.1
    late = (run.snapshot_time > 0.75) & (run.snapshot_time < 1.25)
    rate = np.polyfit(run.snapshot_time[late], np.log(amplitude[late]), 1)[0]
    assert 0.25 * SHEET < rate < SHEET


def test_symmetries_of_the_start_are_kept(run: Any) -> None:
    density = run.fields("density")[-1]
    # The waves move the zones' order of rounding: errors of some 2^-53 grow with the instability.
    rounding = 2.0**-53 * len(run) * math.exp(SHEET * 1.5) / 10
    assert np.abs(density - np.roll(density, ZONES // 2, axis=0)).max() < rounding
    assert np.abs(density - np.roll(density[:, ::-1], ZONES // 4, axis=0)).max() < rounding


def test_mass_momentum_and_energy_are_conserved(run: Any) -> None:
    rounding = 2.0**-53 * len(run)
    for name in ("mass", "energy"):
        values = np.asarray(run.rows(name))
        assert np.ptp(values) <= rounding * abs(values[0])
    assert np.ptp(np.asarray(run.rows("momentum")), axis=0).max() <= rounding

"""The wave of the study beside the discrete dispersion relation, with each implicitness."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

import phasewise

STUDY = Path(__file__).parent / "study.toml"
GRAVITY, DEPTH = 9.80616, 4000.0
NX, NY, LX, LY, DT = 40, 20, 2e6, 1e6, 600.0
K, L = 2 * math.pi * 2 / LX, 2 * math.pi * 1 / LY


def frequency() -> float:
    """ω² = g H [(4/Δx²) sin²(kΔx/2) cos²(lΔy/2) + (4/Δy²) sin²(lΔy/2) cos²(kΔx/2)] of a B-grid."""
    dx, dy = LX / NX, LY / NY
    along = (2 / dx * math.sin(K * dx / 2) * math.cos(L * dy / 2)) ** 2
    across = (2 / dy * math.sin(L * dy / 2) * math.cos(K * dx / 2)) ** 2
    return math.sqrt(GRAVITY * DEPTH * (along + across))


def heights(theta: float, count: int) -> np.ndarray:
    """The height of the wave over that at the start after each timestep.

    η' = -H ∇·u and u' = -g ∇η, of which each takes a share θ of the later time, multiply η by
    λ = (1 + (1-θ) iωΔt) / (1 - θ iωΔt) or by its conjugate. The flow begins at rest.
    """
    phase = 1j * frequency() * DT
    factor = (1 + (1 - theta) * phase) / (1 - theta * phase)
    return np.array([(factor**n).real for n in range(1, count + 1)])


@pytest.mark.parametrize("theta", [0.5, 0.6, 1.0])
def test_the_wave_is_that_of_the_discrete_dispersion_relation(theta: float) -> None:
    with phasewise.run(phasewise.load(STUDY, [f"ocean.implicitness={theta}"])) as results:
        surface = results.maps("surface")
        volume = results.rows("volume")
    x = (np.arange(NX) + 0.5) * LX / NX
    y = (np.arange(NY) + 0.5) * LY / NY
    wave = np.cos(K * x + L * y[:, None])
    found = 2 * (surface * wave).mean(axis=(1, 2)) / 1e-4
    # Terms that are not linear are some η/H = 2.5e-8 of the others, by 60 timesteps.
    assert np.abs(found - heights(theta, len(found))).max() < 2e-6
    assert np.ptp(volume) <= 1e-13 * volume[0]


def test_the_frequency_is_the_discrete_one_to_six_digits() -> None:
    with phasewise.run(phasewise.load(STUDY)) as results:
        surface = results.maps("surface")[:, NY // 2, NX // 2]
    # a(n+1) + a(n-1) = 2 cos(φ) a(n) for a wave that keeps its height; tan(φ/2) = ωΔt/2.
    cosine = ((surface[2:] + surface[:-2]) @ surface[1:-1]) / (2 * surface[1:-1] @ surface[1:-1])
    omega = 2 / DT * math.tan(math.acos(cosine) / 2)
    assert omega == pytest.approx(frequency(), rel=1e-6)

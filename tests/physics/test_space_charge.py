"""The force of a bunch's own field against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import erfi

import phasewise
from phasewise.constants import CLASSICAL_ELECTRON_RADIUS, ELECTRON_MASS

pytest.importorskip("phasewise._core", reason="the core is not built")

SIZE, LENGTH, EMITTANCE = 1e-3, 0.5, 1e-9


def tables(**bunch: Any) -> dict[str, Any]:
    """A bunch that is kicked once in a drift so short that nothing moves."""
    return {
        "workload": "spacecharge",
        "turns": 1,
        "bunch": {
            "kinetic_energy": 0.8e9,
            "bunch_population": 1e11,
            "macroparticles": 400_000,
            "quiet": True,
            "geometric_emittance": [0, 0],
            "size": [SIZE, SIZE],
            "bunch_length": LENGTH,
            **bunch,
        },
        "lattice": {"element": [{"kind": "drift", "length": 1e-3}]},
        "solver": {"kicks": 1, "grid": [48, 48, 48]},
    }


def kicked(study: phasewise.Study) -> Any:
    """The particles of a cold bunch after one kick; what momentum they have comes from it."""
    simulation = phasewise.Simulation(study)
    simulation.step()
    return simulation.driver.particles()


def test_the_tune_shift_of_small_amplitudes_is_that_of_laslett() -> None:
    study = phasewise.Study.from_dict({**tables(), "solver": {"kicks": 1, "grid": [96, 96, 64]}})
    bunch, c = study.bunch, kicked(study)
    near = (np.hypot(c["x"], c["y"]) < 0.6 * SIZE) & (np.abs(c["z"]) < 0.2 * LENGTH)
    x, y, px = c["x"][near], c["y"][near], c["px"][near]
    # The slope at the centre, beside its fall with the square of the amplitude.
    columns = np.stack([x, x * (x**2 + y**2) / SIZE**2], axis=1)
    slope = np.linalg.lstsq(columns, px, rcond=None)[0][0]
    ring, beta_x = 100.0, 5.0
    found = -beta_x * slope / 1e-3 * ring / (4 * math.pi)
    radius = CLASSICAL_ELECTRON_RADIUS * ELECTRON_MASS / bunch.mass
    emittance = SIZE**2 / beta_x * bunch.beta_gamma
    expected = -radius * bunch.bunch_population * ring
    expected /= 4 * math.pi * math.sqrt(2 * math.pi) * LENGTH
    expected /= bunch.velocity * bunch.gamma**2 * emittance
    # Slices within 0.2 rms of the middle have the mean density 1 - 0.2²/6 of the largest one.
    # Deposit, differences and interpolation add h²/6, h²/3, h²/6 to σ², with h below 0.11 rms; in z
    # all but the differences, with h below 0.18 rms, half of which the density there falls by.
    expected *= 1 - 0.2**2 / 6
    assert found == pytest.approx(expected, rel=2 / 3 * 0.11**2 + 0.18**2 / 6)
    assert abs(found) < abs(expected)


def test_the_field_of_a_uniform_ellipsoid_is_linear_in_its_own_frame() -> None:
    # A ball in the rest frame: E = Q r/R³ in all directions, so that δ follows z as px follows x,
    # with γ² between.
    gamma = 1 + 0.8e9 / phasewise.constants.PROTON_MASS
    study = phasewise.Study.from_dict(
        tables(distribution="uniform", bunch_length=SIZE / gamma, momentum_spread=0.0)
    )
    c = kicked(study)
    radius = math.sqrt(5) * SIZE
    bunch = study.bunch
    factor = CLASSICAL_ELECTRON_RADIUS * ELECTRON_MASS / bunch.mass * bunch.bunch_population * 1e-3
    factor /= (bunch.velocity * bunch.gamma) ** 2 * radius**3
    inner = c["x"] ** 2 + c["y"] ** 2 + (gamma * c["z"]) ** 2 < (0.8 * radius) ** 2
    for momentum, place, slope in (
        ("px", "x", factor),
        ("py", "y", factor),
        ("delta", "z", factor * gamma**2),
    ):
        u, p = c[place][inner], c[momentum][inner]
        # The edge of the ball is resolved to a cell, a twentieth of the radius.
        assert (u @ p) / (u @ u) == pytest.approx(slope, rel=0.01)
        assert np.std(p - slope * u) < 0.02 * np.std(p)


def test_the_middle_of_a_long_cold_beam_doubles_as_a_coasting_one() -> None:
    # R'' = K/R: R0 √(π/2K) erfi(√ln 2) to twice its radius; 10.612823670 m for protons of 250 MeV,
    # 0.15 A and R0 = 1 mm.
    radius, current, length = 1e-3, 0.15, 1.0
    gamma = 1 + 250e6 / phasewise.constants.PROTON_MASS
    speed = math.sqrt(1 - gamma**-2) * phasewise.constants.SPEED_OF_LIGHT
    given = tables(
        kinetic_energy=250e6,
        bunch_population=current * length / (speed * phasewise.constants.ELEMENTARY_CHARGE),
        macroparticles=60_000,
        distribution="kv",
        size=[radius / 2, radius / 2],
        bunch_length=length / math.sqrt(12),
    )
    path = 10.612823670
    given["lattice"] = {"element": [{"kind": "drift", "length": path}]}
    given["solver"] = {"kicks": 20, "grid": [32, 32, 16]}
    study = phasewise.Study.from_dict(given)
    perveance = study.derived()["peak_perveance"]
    root = math.sqrt(math.log(2))
    assert radius * math.sqrt(math.pi / (2 * perveance)) * erfi(root) == pytest.approx(path, 1e-8)
    c = kicked(study)
    middle = np.abs(c["z"]) < length / 4
    # 28 cells across err by their square at the edge, 1/14²; 20 kicks by 1/20² of the path.
    found = [c["x"][middle].std(), c["y"][middle].std()]
    assert found == pytest.approx([radius, radius], rel=0.01)


@pytest.mark.parametrize("distribution", ["gaussian", "waterbag", "kv", "uniform"])
def test_every_distribution_has_the_moments_it_is_given(distribution: str) -> None:
    study = phasewise.Study.from_dict(
        tables(
            distribution=distribution,
            geometric_emittance=[EMITTANCE, 2 * EMITTANCE],
            alpha=[0.7, -0.4],
            dispersion=[0.1, 0.02, 0.0, 0.0],
            momentum_spread=1e-3,
            offset=[1e-4, 0, 0, 0, 0, 0],
            bunch_population=1.0,
        )
    )
    simulation = phasewise.Simulation(study)
    c = simulation.driver.particles()
    coordinates = np.array([c[name] for name in ("x", "px", "y", "py", "z", "delta")])
    covariance = np.cov(coordinates)
    betatron = covariance[:4, :4] - np.outer(covariance[:4, 5], covariance[:4, 5]) / 1e-6
    # 400 000 quiet particles: better than N^-1/2 = 1.6e-3.
    assert np.sqrt(np.diagonal(betatron)[[0, 2]]) == pytest.approx([SIZE, SIZE], rel=2e-3)
    for plane, (size, alpha) in enumerate(((EMITTANCE, 0.7), (2 * EMITTANCE, -0.4))):
        block = betatron[2 * plane : 2 * plane + 2, 2 * plane : 2 * plane + 2]
        assert math.sqrt(np.linalg.det(block)) == pytest.approx(size, rel=4e-3)
        assert block[0, 1] == pytest.approx(-alpha * size, rel=0.02)
    assert covariance[0, 5] == pytest.approx(0.1 * 1e-6, rel=0.02)
    assert math.sqrt(covariance[4, 4]) == pytest.approx(LENGTH, rel=2e-3)
    assert math.sqrt(covariance[5, 5]) == pytest.approx(1e-3, rel=2e-3)
    assert coordinates[0].mean() == pytest.approx(1e-4, abs=0.01 * SIZE)

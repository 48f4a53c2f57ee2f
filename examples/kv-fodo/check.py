"""A KV beam that is matched with its space charge returns to its sizes after each cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import phasewise
from phasewise.constants import ELEMENTARY_CHARGE, SPEED_OF_LIGHT

STUDY = Path(__file__).parent / "study.toml"
CURRENT, SIZE, ALPHA, EMITTANCE = 0.5, 8.58554e-4, 2.466369, 1e-6
"""A, m, 1, m."""


def envelope(study: phasewise.Study, perveance: float) -> Any:
    """Sizes and slopes of x and y behind a cell, by the envelope equations."""
    state = np.array([SIZE, ALPHA * EMITTANCE / SIZE, SIZE, -ALPHA * EMITTANCE / SIZE])
    for element in study.lattice.elements:
        k = element.get("k1", 0.0)

        def slopes(_s: float, u: Any, k: float = k) -> list[float]:
            x, dx, y, dy = u
            force = perveance / (2 * (x + y))
            return [
                *(dx, force + EMITTANCE**2 / x**3 - k * x),
                *(dy, force + EMITTANCE**2 / y**3 + k * y),
            ]

        found = solve_ivp(slopes, (0, element["length"]), state, rtol=1e-10, atol=1e-15)
        state = found.y[:, -1]
    return state


def test_the_envelope_equations_return_to_the_sizes_that_are_given() -> None:
    study = phasewise.load(STUDY)
    perveance = study.derived()["peak_perveance"]
    density = CURRENT / (study.bunch.velocity * SPEED_OF_LIGHT * ELEMENTARY_CHARGE)
    assert study.bunch.bunch_population == pytest.approx(density * 0.5, rel=1e-5)
    x, dx, y, dy = envelope(study, perveance)
    # The digits of the table.
    assert (x, y) == pytest.approx((SIZE, SIZE), rel=2e-5)
    slope = ALPHA * EMITTANCE / SIZE
    assert (dx, dy) == pytest.approx((slope, -slope), rel=2e-4)
    # Without the charge they do not.
    assert abs(envelope(study, 0.0)[0] / SIZE - 1) > 0.1


def test_the_middle_of_the_bunch_returns_after_each_cell() -> None:
    study = phasewise.load(STUDY)
    simulation = phasewise.Simulation(study)
    for _ in range(study.turns):
        simulation.step()
        particles = simulation.driver.particles()
        middle = np.abs(particles["z"]) < 0.125
        x, px, y, py = (particles[name][middle] for name in ("x", "px", "y", "py"))
        # Cells of a tenth of an rms, 24 kicks a cell and 50 000 quiet particles: some parts in a
        # thousand of the force, which changes the size by a tenth or so.
        assert (x.std(), y.std()) == pytest.approx((SIZE, SIZE), rel=0.01)
        for u, pu, alpha in ((x, px, -ALPHA), (y, py, ALPHA)):
            block = np.cov(u, pu)
            assert np.sqrt(np.linalg.det(block)) == pytest.approx(EMITTANCE, rel=0.01)
            assert -block[0, 1] / EMITTANCE == pytest.approx(alpha, rel=0.02)

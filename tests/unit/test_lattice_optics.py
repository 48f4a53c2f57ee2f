"""Optics that repeat in a lattice: closed forms of a FODO cell and of a ring with RF."""

from __future__ import annotations

import numpy as np
import pytest

import phasewise._core as core
from tests.sentences import refused
from tests.unit.arc_text import Value
from tests.unit.lattice_text import BETA, GAMMA, PROTON, SOLENOID, lattice

THIN: dict[str, Value] = {"element": "drift", "length": 2.0}
SPEED_OF_LIGHT = 299792458.0


def lens(strength: float) -> dict[str, Value]:
    """A thin quadrupole of inverse focal length `strength` [1/m]."""
    return {"element": "multipole", "normal": [0.0, strength]}


CELL = lattice(lens(0.15), THIN, lens(-0.3), THIN, lens(0.15))


def test_a_thin_fodo_cell_has_the_optics_of_the_textbook() -> None:
    # Half a cell of L = 2 m between lenses of f = 1/0.3 m: sin(μ/2) = L/2f, β = 2L (1 ± sin)/sin μ.
    half = 2.0 * 0.3 / 2
    mu = 2 * np.arcsin(half)
    found = core.lattice_optics(CELL, [0.0, 2.0, 4.0])
    assert found["tune_x"] == pytest.approx(mu / (2 * np.pi), rel=1e-13)
    assert found["tune_y"] == pytest.approx(mu / (2 * np.pi), rel=1e-13)
    beta = 4.0 * (1 + np.array([half, -half])) / np.sin(mu)
    assert found["twiss"][0, :, 0] == pytest.approx(beta, rel=1e-13)
    # Where it ends the optics are those of its beginning, and at half the cell those of the other
    # plane. The thin lens itself stands behind the place.
    assert found["twiss"][2, :, :4] == pytest.approx(found["twiss"][0, :, :4], abs=1e-12)
    assert found["twiss"][1, :, 0] == pytest.approx(beta[::-1], rel=1e-13)
    assert found["twiss"][1, :, 4] == pytest.approx([mu / (4 * np.pi)] * 2, rel=1e-13)


def test_apertures_do_not_change_the_optics() -> None:
    aperture: dict[str, Value] = {"element": "aperture", "shape": "ellipse"}
    aperture["half_width"] = [0.01, 0.01]
    cell = lattice(lens(0.15), THIN, aperture, lens(-0.3), THIN, lens(0.15))
    expected = core.lattice_optics(CELL, [4.0])["twiss"]
    assert np.array_equal(core.lattice_optics(cell, [4.0])["twiss"], expected)


def test_a_weakly_focusing_ring_has_its_dispersion_and_its_slip() -> None:
    # A ring of radius ρ with field index n: D = ρ/(1 - n), νx = sqrt(1 - n), νy = sqrt(n).
    radius, n = 3.0, 0.36
    sector: dict[str, Value] = {
        "element": "bend",
        "length": radius * 0.2,
        "angle": 0.2,
        "k1": -n / radius**2,
    }
    found = core.lattice_optics(lattice(sector), [0.0])
    (bx, ax, dx, dpx, _), (by, ay, dy, dpy, _) = found["twiss"][0]
    assert (bx, by) == pytest.approx((radius / 0.8, radius / 0.6), rel=1e-10)
    assert (dx, dy) == pytest.approx((radius / (1 - n), 0.0), rel=1e-10)
    assert (ax, ay, dpx, dpy) == pytest.approx((0, 0, 0, 0), abs=1e-10)
    # dz/dδ = -(1/γt² - 1/γ²) L with 1/γt² = 1/(1 - n) here.
    length = radius * 0.2
    assert found["slip"] == pytest.approx(-(1 / (1 - n) - GAMMA**-2) * length, rel=1e-10)
    assert found["beta_z"] == 0.0


def test_rf_bunches_a_beam_below_transition_at_the_falling_zero() -> None:
    voltage, frequency = 1e4, 5e7
    gap: dict[str, Value] = {"element": "cavity", "voltage": voltage, "frequency": frequency}
    half: dict[str, Value] = {"element": "drift", "length": 5.0}
    # Focusing in x and y, so that they are stable.
    ring = (half, lens(0.1), half, {**gap, "phase": 0.5})
    skew: dict[str, Value] = {"element": "matrix", "matrix": _vertical_lens(0.1)}
    found = core.lattice_optics(lattice(*ring, skew), [])
    rise = voltage / (BETA**2 * PROTON["energy"]) * 2 * np.pi * frequency
    rise /= BETA * SPEED_OF_LIGHT
    slip = 10.0 / GAMMA**2
    # Drift then kick: cos μ = 1 - slip·rise/2, β = slip/sin μ.
    sine = np.sin(np.arccos(1 - slip * rise / 2))
    assert found["beta_z"] == pytest.approx(slip / sine, rel=1e-9)


def _vertical_lens(strength: float) -> list[float]:
    matrix = np.eye(6)
    matrix[1, 0], matrix[3, 2] = -strength, -2 * strength
    return [float(value) for value in matrix.ravel()]


def test_an_unstable_or_coupled_lattice_is_named_in_a_sentence() -> None:
    with refused("unstable", "y", "trace", by=ValueError):
        core.lattice_optics(lattice(THIN, lens(0.3)), [0.0])
    with refused("couples", "x", "y", by=ValueError):
        core.lattice_optics(lattice(THIN, SOLENOID), [0.0])

"""The Lorentz boost to the head-on frame, its inverse, and crab cavities."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise._core as core

Floats = NDArray[np.float64]
EPSILON = np.finfo(float).eps
ANGLES = [
    (0.0, 0.0),
    (142.5e-6, 0.0),
    (142.5e-6, np.pi / 2),
    (11e-3, 0.3),
    (0.0415, 2.1),
    (-0.02, 0.0),
]
RMS = np.array([1e-4, 1e-4, 5e-5, 1e-4, 0.05, 1e-3])  # m and 1


def bunch(count: int = 1000) -> Floats:
    return np.random.default_rng(1).normal(size=(6, count)) * RMS[:, None]


@pytest.mark.parametrize(("phi", "alpha"), ANGLES)
def test_boost_and_inverse_boost_are_the_identity(phi: float, alpha: float) -> None:
    before = bunch()
    boosted = core.boost(before, phi, alpha)
    after = core.boost(boosted, phi, alpha, inverse=True)
    # Some ten roundings of the largest terms that each coordinate is put together from.
    tilt = np.abs(np.tan(phi))
    transverse = np.hypot(before[0], before[2]) + np.abs(before[4]) * tilt
    momentum = np.hypot(before[1], before[3])
    longitudinal = np.abs(before[4]) + transverse * momentum
    deviation = np.abs(before[5]) + momentum
    size = np.stack([transverse, momentum, transverse, momentum, longitudinal, deviation])
    assert np.all(np.abs(after - before) <= 16 * EPSILON * size)


def test_without_an_angle_the_boost_leaves_every_bit() -> None:
    before = bunch()
    assert np.array_equal(core.boost(before, 0.0), before)
    assert np.array_equal(core.boost(before, 0.0, inverse=True), before)


def lorentz(c: Floats, phi: float) -> tuple[Floats, Floats]:
    """Boosted momenta in units of P0 cos φ and E*/P0 by the textbook matrices, for α = 0.

    In the frame (s', x') whose s' axis halves the angle between the beams, both beams move with
    c sin φ along x'; the boost along x' by sin φ makes them head-on. Ultra-relativistic: E = P c.
    """
    energy = 1 + c[5]
    ps = np.sqrt(energy**2 - c[1] ** 2 - c[3] ** 2)
    along_x = c[1] * np.cos(phi) + ps * np.sin(phi)
    gamma = 1 / np.cos(phi)
    boosted_x = gamma * (along_x - np.sin(phi) * energy)
    boosted_energy = gamma * (energy - np.sin(phi) * along_x)
    return boosted_x / np.cos(phi), boosted_energy / np.cos(phi)


@pytest.mark.parametrize("phi", [142.5e-6, 11e-3, 0.0415, -0.02])
def test_boosted_momenta_are_those_of_special_relativity(phi: float) -> None:
    c = bunch()
    px, energy = lorentz(c, phi)
    boosted = core.boost(c, phi)
    # The textbook form cancels energies of 1: a few units of 1e-16 absolute.
    assert np.allclose(boosted[1], px, rtol=0, atol=10 * EPSILON)
    assert np.allclose(boosted[5], energy - 1, rtol=0, atol=10 * EPSILON)


@pytest.mark.parametrize(("phi", "alpha"), ANGLES)
def test_the_determinant_of_the_boost_is_one_over_cos_cubed(phi: float, alpha: float) -> None:
    jacobian = np.empty((6, 6))
    point = np.array([1e-4, -2e-4, 5e-5, 1e-4, 0.03, 1e-3])
    h = 1e-4
    for k in range(6):
        step = np.zeros(6)
        step[k] = h
        pair = np.stack([point + step, point - step], axis=1)
        jacobian[:, k] = -np.diff(core.boost(pair, phi, alpha))[:, 0] / (2 * h)
    # Central differences: h² = 1e-8 times third derivatives of at most 1.
    assert np.linalg.det(jacobian) == pytest.approx(np.cos(phi) ** -3, abs=1e-8)


@pytest.mark.parametrize("alpha", [0.0, np.pi / 2, 0.7])
def test_the_head_of_a_bunch_lies_where_its_direction_points(alpha: float) -> None:
    head = np.zeros((6, 1))
    head[4] = 0.1
    boosted = core.boost(head, 0.01, alpha)[:, 0]
    tilt = 0.1 * np.tan(0.01)
    assert boosted[[0, 2]] == pytest.approx([tilt * np.cos(alpha), tilt * np.sin(alpha)], abs=1e-18)
    assert boosted[4] == pytest.approx(0.1 / np.cos(0.01), rel=1e-15)


@pytest.mark.parametrize("alpha", [0.0, np.pi / 2, 0.7])
def test_crab_cavities_undo_the_tilt_of_the_boost(alpha: float) -> None:
    line = np.zeros((6, 41))
    line[4] = np.linspace(-0.2, 0.2, 41)
    tilted = core.boost(core.crab(line, 1.0, 0.0, 0.01, alpha), 0.01, alpha)
    assert np.abs(tilted[[0, 2]]).max() < 4 * EPSILON * 0.2 * 0.01


def test_a_crab_cavity_of_finite_frequency_tilts_by_a_sine() -> None:
    line = np.zeros((6, 41))
    line[4] = np.linspace(-0.2, 0.2, 41)
    k = 2 * np.pi * 400e6 / 299792458.0
    shift = -0.5 * np.tan(0.01) * np.sin(k * line[4]) / k
    assert np.allclose(core.crab(line, 0.5, 400e6, 0.01)[0], shift, rtol=1e-13, atol=1e-20)


@pytest.mark.parametrize("frequency", [0.0, 400e6])
def test_the_far_crab_cavity_undoes_the_near_one(frequency: float) -> None:
    before = bunch()
    after = core.crab(
        core.crab(before, 0.8, frequency, 0.011, 0.3), 0.8, frequency, 0.011, 0.3, undo=True
    )
    assert np.array_equal(after[[1, 3, 4]], before[[1, 3, 4]])
    # Added and subtracted: one rounding of the larger of value and shift, z tan φ and px tan φ.
    shift = np.stack([before[4] * 0.011, before[4] * 0.011, np.abs(before[1:4:2]).sum(0) * 0.011])
    size = np.abs(before[[0, 2, 5]]) + np.abs(shift)
    assert np.all(np.abs(after[[0, 2, 5]] - before[[0, 2, 5]]) <= 2 * EPSILON * size)


@pytest.mark.parametrize("undo", [False, True])
def test_a_crab_cavity_is_symplectic(undo: bool) -> None:
    form = np.kron(np.eye(3), [[0.0, 1.0], [-1.0, 0.0]])
    point = np.array([0.3, 0.02, -0.2, 0.05, 0.03, 0.01])
    h = 1e-4
    steps = np.concatenate([h * np.eye(6), -h * np.eye(6)], axis=1)
    image = core.crab(point[:, None] + steps, 0.8, 400e6, 0.2, 0.3, undo)
    jacobian = (image[:, :6] - image[:, 6:]) / (2 * h)
    # Central differences: h²/6 times (k² tan φ) = 15 m^-2 at most, and rounding 1e-16/h.
    assert np.abs(jacobian.T @ form @ jacobian - form).max() < 15 * h**2 / 6 + 1e-11

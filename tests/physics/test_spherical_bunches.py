"""Bunches from files of particles that rest, or breathe, as theory says."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import phasewise
from tests.physics.spherical_bunches import GAMMA, KAPPA, Bunch, Floats, breathing, kurth, thermal

pytest.importorskip("phasewise._core", reason="the core is not built")

RADIUS, DEPRESSION, COUNT = 4e-3, 0.6, 40_000
TURN = math.pi / math.sqrt(KAPPA) / 4
"""A quarter of half an oscillation without charge [m]."""
TURNS, KICKS = 12, 8


def course(bunch: Bunch, path: Path) -> tuple[Floats, Floats]:
    """Rms sizes in scaled x, y, z after each turn (turns, 3), and <r⁴>/<r²>² at the end."""
    study = bunch.study(path, TURNS, TURN, KICKS)
    simulation = phasewise.Simulation(study)
    rows = []
    for _ in range(TURNS):
        simulation.step()
        covariance = np.asarray(simulation.record()["beam1/covariance"])
        rows.append(np.sqrt(np.diag(covariance)[[0, 2, 4]]) * [1, 1, GAMMA])
    found = simulation.driver.particles()
    places = np.array([found["x"], found["y"], GAMMA * np.asarray(found["z"])])
    return np.array(rows), peakedness(places)


def peakedness(places: Floats) -> Floats:
    square = (places**2).sum(axis=0)
    return np.asarray((square**2).mean() / square.mean() ** 2)


def rms(bunch: Bunch) -> Floats:
    return np.asarray(np.sqrt((bunch.places**2).mean(axis=1)))


def test_kurths_bunch_rests(tmp_path: Path) -> None:
    bunch = kurth(RADIUS, DEPRESSION, COUNT)
    # A uniform sphere has R/√5, and <r⁴>/<r²>² = 25/21.
    assert rms(bunch) == pytest.approx(RADIUS / math.sqrt(5), rel=3 / math.sqrt(COUNT))
    sizes, end = course(bunch, tmp_path / "kurth.npy")
    # Noise of the start, which oscillates; cells of R/12 widen the charge by 2/3 h², of which the
    # field is (h/R)² weaker.
    assert sizes == pytest.approx(np.full((TURNS, 3), RADIUS / math.sqrt(5)), rel=0.02)
    assert end == pytest.approx(25 / 21, rel=0.01)


def test_a_stretched_kurth_bunch_breathes_as_its_envelope(tmp_path: Path) -> None:
    stretch = 1.2
    sizes, end = course(kurth(RADIUS, DEPRESSION, COUNT, stretch), tmp_path / "kurth.npy")
    places = TURN * np.arange(1.0, TURNS + 1)
    expected = breathing(RADIUS, DEPRESSION, stretch, places) / math.sqrt(5)
    # It swings by 1.2 both ways, and all the while it is a uniform sphere.
    assert np.ptp(expected) > 0.3 * RADIUS / math.sqrt(5)
    assert np.abs(sizes - expected[:, None]).max() < 0.02 * RADIUS / math.sqrt(5)
    assert end == pytest.approx(25 / 21, rel=0.015)


def test_a_thermal_bunch_rests(tmp_path: Path) -> None:
    # Half of the focusing is left at the rms radius: neither a Gaussian nor a uniform sphere.
    temperature = KAPPA * 1e-6
    bunch = thermal(temperature, perveance=KAPPA * 3e-8, count=COUNT)
    start, shape = rms(bunch), peakedness(bunch.places)
    assert 1.25 < shape < 1.6
    sizes, end = course(bunch, tmp_path / "thermal.npy")
    assert sizes == pytest.approx(np.tile(start, (TURNS, 1)), rel=0.02)
    assert end == pytest.approx(shape, rel=0.02)


def test_a_gaussian_bunch_of_the_same_moments_does_not(tmp_path: Path) -> None:
    bunch = thermal(KAPPA * 1e-6, perveance=KAPPA * 3e-8, count=COUNT)
    random = np.random.default_rng(9)
    places = rms(bunch)[:, None] * random.standard_normal((3, COUNT))
    other = Bunch(places, bunch.slopes, bunch.perveance)
    # A Gaussian has <r⁴>/<r²>² = 5/3.
    assert peakedness(places) == pytest.approx(5 / 3, rel=0.02)
    sizes, _ = course(other, tmp_path / "gaussian.npy")
    assert np.abs(sizes / rms(bunch) - 1).max() > 0.03

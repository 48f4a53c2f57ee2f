"""Luminosity at an angle, derived and simulated, against closed forms and their digits."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from scipy.special import k0e

import phasewise

STUDY = Path(__file__).parent / "study.toml"
LENGTH = 0.01
# Piwinski angle and reduction at σz = β*y, flat beams.
HOURGLASS = {0.0: 0.8599, 0.5: 0.7862, 0.707: 0.7293, 1.13: 0.6105, 2.0: 0.4285}
# Two samples of N overlap to √(2/3N).
SAMPLING = math.sqrt(2 / 3e5)
# 8 rms on 123 cells, rounded up by at most 4.4 %: each plane is smeared by h²/6.
CELL = 1.044 * 8 / 123


def simulated(study: phasewise.Study) -> float:
    """Luminosity of the first crossing over the head-on one."""
    simulation = phasewise.Simulation(study)
    simulation.step()
    luminosity = simulation.record()["luminosity"][0]
    return float(luminosity / study.derived()["ips"][0]["luminosity_head_on"])


def at_waist(piwinski: float) -> phasewise.Study:
    """The example with β*y = σz and another angle."""
    size = math.sqrt(50 * 1e-10)
    angle = math.atan(piwinski * size / LENGTH)
    changes = [f"ip.1.beta=[50, {LENGTH}]", f"ip.1.half_crossing_angle={angle}", "ip.1.slices=15"]
    return phasewise.load(STUDY, changes)


def test_the_piwinski_angle_is_two_and_a_half() -> None:
    assert phasewise.load(STUDY).derived()["ips"][0]["piwinski_angle"] == pytest.approx(2.5, 1e-6)


@pytest.mark.parametrize("slices", [1, 9])
def test_the_angle_reduces_the_luminosity_by_the_piwinski_factor(slices: int) -> None:
    study = phasewise.load(STUDY, [f"ip.1.slices={slices}"])
    derived = study.derived()["ips"][0]["reduction"]
    assert 1 / math.sqrt(1 + 2.5**2) == pytest.approx(0.371391, abs=5e-7)
    # β* = 50 m leaves an hourglass of (σz/β*)²/2 = 2e-8; the angle is given to seven digits.
    assert derived == pytest.approx(0.371391, abs=1e-6)
    # Of what the mesh smears, the same part of a tilted bunch or less, the square is left.
    assert simulated(study) == pytest.approx(0.371391, rel=SAMPLING + (CELL**2 / 6) ** 2)


def test_ideal_crab_cavities_restore_the_head_on_luminosity() -> None:
    study = phasewise.load(STUDY, ["ip.1.crab.strength=1"])
    assert study.derived()["ips"][0]["reduction"] == pytest.approx(1.0, abs=1e-6)
    assert simulated(study) == pytest.approx(1.0, rel=SAMPLING + (CELL**2 / 6) ** 2)


def test_half_the_crab_voltage_halves_the_angle() -> None:
    study = phasewise.load(STUDY, ["ip.1.crab.strength=0.5"])
    expected = 1 / math.sqrt(1 + (2.5 / 2) ** 2)
    assert study.derived()["ips"][0]["reduction"] == pytest.approx(expected, abs=1e-6)
    assert simulated(study) == pytest.approx(expected, rel=SAMPLING + (CELL**2 / 6) ** 2)


@pytest.mark.parametrize("piwinski", HOURGLASS)
def test_angle_and_hourglass_together_reduce_as_the_closed_form(piwinski: float) -> None:
    square = 0.5
    b = square * (1 + piwinski**2)
    # a exp(b) K0(b) = a k0e(b), where the factor exp(a²) of the head-on form is part of b.
    closed = math.sqrt(2 / math.pi * square) * float(k0e(b))
    study = at_waist(piwinski)
    # Four digits are given, 1.13 and 0.707 among the angles to three.
    assert closed == pytest.approx(HOURGLASS[piwinski], abs=1e-4)
    # The angle bends the bunch's own path by φ², 2e-4 at most.
    assert study.derived()["ips"][0]["reduction"] == pytest.approx(closed, abs=2e-4)
    # The vertical mesh holds 4 rms at 2.2 σz from the waist (15 slices) and smears there, of which
    # the square is left; slices enter as (2/S)².
    smearing = (CELL**2 / 6 * (1 + 2.2**2)) ** 2
    slicing = (1 / 0.86 - 1) * (2 / 15) ** 2
    assert simulated(study) == pytest.approx(closed, rel=SAMPLING + smearing + slicing)

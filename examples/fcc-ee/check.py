"""FCC-ee at the top-quark threshold, with fewer particles and turns than the study."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import phasewise

STUDY = Path(__file__).parent / "study.toml"
PARTICLES, TURNS = 1000, 120
SMALL = [f"beam.1.macroparticles={PARTICLES}", f"turns={TURNS}"]


def test_the_quadrature_finds_the_equilibrium_of_the_design() -> None:
    points = phasewise.load(STUDY).derived()["ips"]
    for point in points:
        equilibrium = point["beamstrahlung"]["equilibrium"]
        # The public deck says 2.17 mm and 1.92e-3, three digits; it is 1 % below the quadrature.
        assert equilibrium["bunch_length"] == pytest.approx([2.19e-3] * 2, rel=0.015)
        assert equilibrium["momentum_spread"] == pytest.approx([1.94e-3] * 2, rel=0.015)


def test_the_bunches_become_as_long_as_the_quadrature_says() -> None:
    study = phasewise.load(STUDY, SMALL)
    expected = study.derived()["ips"][0]["beamstrahlung"]["equilibrium"]["bunch_length"][0]
    results = phasewise.run(study)
    # After three damping times. N particles know σ to 1/√2N = 2.2 %, and better over 80 turns of
    # both beams, of which 9 turns each are independent; three standard errors, and the pinch.
    found = np.mean([results.beam(b).size[-80:, 4].mean() for b in (1, 2)])
    assert found == pytest.approx(expected, rel=3 * 0.022 / np.sqrt(18) + 0.03)


def test_photons_are_as_many_as_the_quadrature_says() -> None:
    study = phasewise.load(STUDY, [*SMALL, "turns=3"])
    radiation = study.derived()["ips"][0]["beamstrahlung"]
    results = phasewise.run(study)
    photons = results.beam(1).photons
    # At the bunch length of the study; a sixth of a photon for each of the particles and points.
    error = 3 / np.sqrt(photons.sum() * PARTICLES)
    assert photons.mean() == pytest.approx(radiation["photons"][0], rel=error + 0.03)


def test_bhabha_scattering_takes_what_the_luminosity_says() -> None:
    study = phasewise.load(STUDY, [*SMALL, "turns=3"])
    results = phasewise.run(study)
    sigma = study.derived()["ips"][0]["bhabha_cross_section"]
    expected = results.beam(1).bhabha_expected / results.luminosity
    # Sizes change with the place of the slices, of which the cross section knows by a logarithm.
    assert expected == pytest.approx(sigma, rel=0.05)

"""The LHC example, with fewer particles and turns than the demonstration."""

from __future__ import annotations

from pathlib import Path

import pytest

import phasewise
from phasewise.runs.results import Results
from phasewise.workloads.collision.analysis import coherent_modes, footprint

STUDY = Path(__file__).parent / "study.toml"
PARTICLES = 10_000
TURNS = 1050


@pytest.fixture(scope="module")
def results() -> Results:
    """A run of the study in small, about fifteen seconds."""
    small = [f"turns={TURNS}", f"beam.1.macroparticles={PARTICLES}", "records.tracked=200"]
    quiet = ["records.field=false", "records.particles_every=0", "records.moments_order=2"]
    return phasewise.run(phasewise.load(STUDY, small + quiet))


def test_the_parameters_give_the_nominal_luminosity_of_the_lhc() -> None:
    point = phasewise.load(STUDY).derived()["ips"][0]
    # The published digits; the revolution frequency is 11.245 kHz to 1e-4.
    assert point["luminosity_head_on_per_second"] == pytest.approx(1.202e34, rel=5e-4)
    assert point["luminosity_per_second"] == pytest.approx(1.0054e34, rel=5e-4)
    assert point["beams"][0]["xi"] == pytest.approx([0.003745] * 2, rel=2e-4)


def test_the_first_crossing_has_the_nominal_luminosity(results: Results) -> None:
    nominal = results.derived["ips"][0]["luminosity"]
    # Two samples of N overlap to √(2/3N) = 0.8 %; like charges open the bunch by half the
    # disruption 4πξσz/β* = 0.3 %.
    assert results.luminosity[0, 0] == pytest.approx(nominal, rel=0.008 + 0.003)


def test_the_luminosity_stays_within_the_beating_of_the_other_beams_lens(results: Results) -> None:
    nominal = results.derived["ips"][0]["luminosity"]
    # The lens changes β* by up to 2πξ |cot 2πQ| = 1.1 % in x and in y.
    tolerance = 0.018 + 0.022
    assert results.luminosity[:, 0] / nominal == pytest.approx(1.0, abs=tolerance)


def test_the_sigma_modes_are_at_the_tunes_and_the_pi_modes_below(results: Results) -> None:
    modes = coherent_modes(results)
    for plane, tune in ((modes.x, 0.31), (modes.y, 0.32)):
        assert plane.sigma is not None
        # The sum of the centroids holds some of the π mode, 1/√N of σ against 0.03 σ: a third, at a
        # distance of three bins, pulls by less than a fifth of a bin.
        assert plane.sigma.frequency == pytest.approx(tune, abs=0.2 / TURNS)
        assert plane.shifted_as_expected


def test_the_pi_modes_shift_by_less_than_head_on_and_least_in_the_plane_of_crossing(
    results: Results,
) -> None:
    modes = coherent_modes(results)
    assert modes.x.yokoya is not None
    assert modes.y.yokoya is not None
    # Between the factor of a rigid bunch, 1, and that of a flat beam, 1.330. In x synchrotron
    # motion averages over places where the other bunch is not centred, and lowers it further.
    assert 1 < modes.y.yokoya < 1.330
    assert 0.5 < modes.x.yokoya < 1.330
    assert modes.x.yokoya < modes.y.yokoya


def test_no_particle_is_shifted_by_more_than_the_beam_beam_parameter(results: Results) -> None:
    found = footprint(results, 1)
    assert found is not None
    xi = results.derived["ips"][0]["beams"][0]["xi"][0]
    # All go down, by at most ξ; a line among its synchrotron sidebands is found to half a bin.
    shift = (found.tune - [0.31, 0.32]) / xi
    resolution = 0.5 / TURNS / xi
    assert shift.min() > -1 - resolution
    assert shift.max() < resolution
    assert shift.min() < -0.6

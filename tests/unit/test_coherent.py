"""σ and π modes of synthetic centroids come out with the Yokoya factor put in."""

import numpy as np
import pytest

from phasewise.analysis.spectrum import amplitude_spectrum
from phasewise.workloads.collision.analysis.coherent import (
    pair_modes,
    shift_in_xi,
    sum_and_difference,
)
from tests.sentences import says

TURNS = 2048


def centroids(tune, shift, turns=TURNS, together=1.0, against=0.5, noise=0.0, seed=1):
    """Complex centroids of two beams with a σ mode at the tune and a π mode beside it."""
    n = np.arange(turns)
    rng = np.random.default_rng(seed)
    sigma = together * np.exp(2j * np.pi * tune * n)
    pi = against * np.exp(2j * np.pi * (tune + shift) * n + 0.4j)
    hiss = noise * (rng.normal(size=(2, turns)) + 1j * rng.normal(size=(2, turns)))
    return sigma + pi + hiss[0], sigma - pi + hiss[1]


# A lone line is true to 1e-3 bin, so Y to √2·1e-3/(2048·0.005) = 1.4e-4.
TOLERANCE = 1.5e-4


@pytest.mark.parametrize("tune", [64.31, 59.69, 0.05, 0.498, 0.97, 0.002])
def test_like_charges_show_the_pi_mode_below_the_sigma_mode(tune):
    first, second = centroids(tune, -1.214 * 0.005)
    modes = pair_modes(first, second, tune, 0.005)
    assert modes.yokoya == pytest.approx(1.214, abs=TOLERANCE)
    assert modes.shift < 0 and modes.shifted_as_expected
    assert 0 <= modes.pi.frequency < 1


def test_opposite_charges_show_the_pi_mode_above():
    first, second = centroids(0.495, 1.33 * 0.005)
    modes = pair_modes(first, second, 0.495, 0.005, like_charges=False)
    assert modes.yokoya == pytest.approx(1.33, abs=TOLERANCE)
    assert modes.pi.frequency > 0.5 and modes.shifted_as_expected


@pytest.mark.parametrize("tune", [0.31, 0.69])
def test_real_centroids_are_unfolded_beside_the_tune(tune):
    first, second = centroids(tune, -1.2 * 0.005)
    modes = pair_modes(first.real, second.real, tune, 0.005)
    assert modes.yokoya == pytest.approx(1.2, abs=TOLERANCE)
    assert modes.shift < 0


def test_a_shift_the_wrong_way_is_reported_as_such():
    first, second = centroids(0.31, 0.004)
    modes = pair_modes(first, second, 0.31, 0.005)
    assert modes.yokoya == pytest.approx(0.8, abs=TOLERANCE)
    assert modes.shifted_as_expected is False


def test_noise_widens_the_error_bar_as_much_as_it_scatters_the_factor():
    # 60 trials: scatter known to 1/√120 = 9 %, noise estimates to a few; three deviations.
    trials = [
        pair_modes(*centroids(0.31, -0.006, noise=0.3, seed=seed), 0.31, 0.005)
        for seed in range(60)
    ]
    scatter = np.std([modes.yokoya for modes in trials])
    assert np.mean([modes.yokoya_error for modes in trials]) == pytest.approx(scatter, rel=0.35)
    mean_error = scatter / np.sqrt(60)
    assert np.mean([modes.yokoya for modes in trials]) == pytest.approx(1.2, abs=4 * mean_error)


def test_without_excitation_there_is_no_mode():
    still = np.zeros(TURNS)
    modes = pair_modes(still, still, 0.31, 0.005)
    assert modes.to_dict() == {
        "sigma": None, "pi": None, "xi": 0.005, "yokoya": None, "yokoya_error": None,
        "why": modes.why,
    }  # fmt: skip
    says(modes.why, "centroids")


def test_a_pi_mode_that_is_not_excited_is_none_and_the_sigma_mode_stays():
    first, second = centroids(0.31, -0.006, against=0.0)
    modes = pair_modes(first, second, 0.31, 0.005)
    assert modes.sigma.frequency == pytest.approx(0.31, abs=1e-3 / TURNS)
    assert modes.pi is None and modes.yokoya is None


def test_beams_without_interaction_have_no_factor():
    first, second = centroids(0.31, -0.006)
    assert pair_modes(first, second, 0.31, 0.0).yokoya is None


def test_sum_and_difference_separate_the_modes():
    first, second = centroids(0.31, -0.006)
    together, against = map(amplitude_spectrum, sum_and_difference(first, second))
    bin_width = 1 / (4 * TURNS)
    assert together.frequency[together.amplitude.argmax()] == pytest.approx(0.31, abs=bin_width)
    assert against.frequency[against.amplitude.argmax()] == pytest.approx(0.304, abs=bin_width)


def test_the_axis_in_units_of_xi_runs_the_right_way_after_folding():
    above = shift_in_xi(np.array([0.69 - 0.005]), 0.69, 0.005, complex_signal=True)
    folded = shift_in_xi(np.array([0.31 + 0.005]), 0.69, 0.005, complex_signal=False)
    np.testing.assert_allclose([above[0], folded[0]], -1.0, atol=1e-10)

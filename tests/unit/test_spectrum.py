"""Lines of turn-by-turn signals are found where they are, with honest error bars."""

import numpy as np
import pytest

from phasewise.analysis.spectrum import (
    amplitude_spectrum,
    find_peak,
    fraction,
    make_window,
    phasor,
    unfold,
    unsteadiness,
)
from tests.sentences import refused

TURNS = 1024


def tone(tune, turns=TURNS, amplitude=1.0, phase=0.3):
    return amplitude * np.cos(2 * np.pi * tune * np.arange(turns) + phase)


@pytest.mark.parametrize("tune", [0.05, 0.1234567, 0.31, 0.4141, 0.47])
@pytest.mark.parametrize("window", ["hann", "blackman-harris"])
def test_a_lone_line_is_found_to_a_thousandth_of_a_bin(tune, window):
    # The mirror image at -tune lies at least 0.06·1024 = 61 bins away, where the Hann side lobes
    # are below 1/61³ = 4e-6 of the line; the pull on the maximum is a few such parts of a bin.
    peak = find_peak(tone(tune), window=window)
    assert abs(peak.frequency - tune) < 1e-3 / TURNS
    assert peak.amplitude == pytest.approx(1.0, rel=1e-4)


def test_a_phasor_shows_tunes_above_one_half():
    # One complex line has no mirror image: only rounding and the removed mean disturb it.
    beta, alpha, tune = 0.55, 0.7, 0.69
    angle = 2 * np.pi * tune * np.arange(TURNS)
    x = np.sqrt(beta) * np.cos(angle)
    px = -(np.sin(angle) + alpha * np.cos(angle)) / np.sqrt(beta)
    signal = phasor(x, px, beta, alpha)
    np.testing.assert_allclose(np.abs(signal), 1.0, rtol=1e-12)
    assert find_peak(signal).frequency == pytest.approx(tune, abs=1e-4 / TURNS)


def test_the_error_bar_is_the_scatter_of_many_noisy_lines():
    # 300 trials: the scatter is known to 1/√600 = 4 %, the noise estimate adds a few per cent;
    # four such deviations are 20 %.
    rng = np.random.default_rng(5)
    trials = [find_peak(tone(0.31) + rng.normal(0, 0.5, TURNS), 0.28, 0.34) for _ in range(300)]
    scatter = np.std([peak.frequency for peak in trials])
    stated = np.mean([peak.uncertainty for peak in trials])
    assert stated == pytest.approx(scatter, rel=0.2)


def test_the_rectangular_window_reaches_the_cramer_rao_bound():
    # σ_f = √24 σ/(2π A T^1.5); the noise estimate from the median of ~60 bins is good to 15 %
    # in power, 8 % in its root: averaged over 50 trials 1 %, and the line's own leakage a little.
    rng = np.random.default_rng(6)
    sigma = 0.5
    stated = np.mean(
        [
            find_peak(tone(0.3125) + rng.normal(0, sigma, TURNS), window="rectangular").uncertainty
            for _ in range(50)
        ]
    )
    assert stated == pytest.approx(np.sqrt(24) * sigma / (2 * np.pi * TURNS**1.5), rel=0.06)


def test_a_steady_line_is_not_called_unsteady():
    # A half record finds a lone line to a thousandth of its own bin, 2/T.
    signal = tone(0.31)
    assert unsteadiness(signal, find_peak(signal)) < 1e-3 / TURNS


@pytest.mark.parametrize("phase", [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
def test_a_neighbour_that_is_not_resolved_widens_the_error_bar(phase):
    # A weaker line one and a half bins away, within the window's resolution of two, pulls the
    # stronger one: the error bar must cover at least half of the pull (it is a standard error).
    signal = tone(0.31) + tone(0.31 + 1.5 / TURNS, amplitude=0.3, phase=phase)
    peak = find_peak(signal)
    pull = abs(peak.frequency - 0.31)
    assert unsteadiness(signal, peak) > pull / 2
    assert unsteadiness(signal, peak) > 10 * peak.uncertainty


def test_noise_alone_shows_no_line():
    # A false alarm has a probability of 1e-3 times the padding's few-fold more chances: among 200
    # trials fewer than 1 is expected, and 4 or more would come once in a thousand.
    rng = np.random.default_rng(7)
    found = sum(find_peak(rng.normal(size=TURNS)) is not None for _ in range(200))
    assert found < 4


@pytest.mark.parametrize("signal", [np.zeros(64), np.full(64, 3.0), np.full(64, np.nan)])
def test_a_signal_without_motion_shows_no_line(signal):
    assert find_peak(signal) is None


def test_a_record_too_short_for_a_spectrum_shows_no_line():
    assert find_peak(tone(0.3, turns=15)) is None
    assert find_peak(tone(0.3, turns=16)) is not None


def test_the_flank_of_a_line_outside_the_band_is_not_a_line():
    assert find_peak(tone(0.31), 0.311, 0.33) is None


def test_a_band_finds_the_weaker_line_inside_it():
    signal = tone(0.31) + tone(0.28, amplitude=0.05)
    peak = find_peak(signal, 0.27, 0.29)
    # The strong line, 31 bins away, leaks 1/31³ = 3e-5, 7e-4 of the weak one.
    assert peak.frequency == pytest.approx(0.28, abs=2e-3 / TURNS)
    assert peak.amplitude == pytest.approx(0.05, rel=2e-3)


def test_a_spectrum_shows_a_line_at_its_amplitude():
    # With padding 4 the worst point is 1/8 bin off the top: Hann loses 1 % there.
    spectrum = amplitude_spectrum(tone(0.31, amplitude=2.5))
    assert spectrum.amplitude.max() == pytest.approx(2.5, rel=0.011)
    assert spectrum.frequency[0] == 0 and spectrum.frequency[-1] == 0.5


@pytest.mark.parametrize(
    ("seen", "tune", "meant"),
    [(0.31, 64.31, 0.31), (0.31, 59.69, 0.69), (0.3, 0.69, 0.7), (0.495, 0.505, 0.505)],
)
def test_a_folded_frequency_is_put_back_beside_the_tune(seen, tune, meant):
    assert unfold(seen, tune) == pytest.approx(meant)
    assert fraction(tune) == pytest.approx(meant, abs=0.02)


def test_an_unknown_window_is_named_with_the_accepted_ones():
    with refused("window", "hamming", "rectangular, hann, blackman-harris", by=ValueError):
        make_window("hamming", 64)

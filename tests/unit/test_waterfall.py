"""The spectra along a run show what changes in it."""

import numpy as np
import pytest

from phasewise.analysis.waterfall import waterfall
from phasewise.workloads.collision.report.waterfall import window_of
from tests.sentences import refused

TURNS, WINDOW = 4096, 256
START, END = 0.30, 0.32


def chirp() -> np.ndarray:
    """A phasor whose tune goes evenly from START to END."""
    n = np.arange(TURNS)
    return 0.7 * np.exp(2j * np.pi * (START * n + (END - START) * n**2 / (2 * TURNS)))


def test_the_ridge_follows_a_signal_whose_tune_changes() -> None:
    found = waterfall(chirp(), 0.31, 0.03, WINDOW, 50)
    assert found.amplitude.shape == (50, len(found.away))
    ridge = 0.31 + found.away[found.amplitude.argmax(axis=1)]
    expected = START + (END - START) * found.turn / TURNS
    # The frequencies stand 1/(8 window) apart, and the centre is one of them to half of that.
    np.testing.assert_allclose(ridge, expected, atol=1 / (8 * WINDOW))
    # Within a window the tune moves by a third of a bin: its line is lower by a hundredth or so.
    np.testing.assert_allclose(found.amplitude.max(axis=1), 0.7, rtol=0.03)


def test_the_windows_reach_from_the_first_turn_to_the_last() -> None:
    found = waterfall(chirp(), 0.31, 0.03, WINDOW, 50)
    assert found.turn[0] == (WINDOW - 1) / 2
    assert found.turn[-1] == TURNS - 1 - (WINDOW - 1) / 2
    assert len(waterfall(chirp()[: WINDOW + 3], 0.31, 0.03, WINDOW, 50).turn) == 4


def test_a_tune_near_an_integer_has_both_of_its_sides() -> None:
    signal = np.exp(2j * np.pi * 0.995 * np.arange(1024))
    found = waterfall(signal, 1.0, 0.02, 512, 3)
    assert found.away[0] == -found.away[-1]
    place = found.away[found.amplitude[0].argmax()]
    assert place == pytest.approx(-0.005, abs=1 / (8 * 512))


def test_a_signal_shorter_than_a_window_is_refused() -> None:
    with refused("signal", "100 turns", 256, by=ValueError):
        waterfall(chirp()[:100], 0.31, 0.03, WINDOW, 50)


def test_a_window_resolves_the_modes_where_the_run_is_long_enough() -> None:
    assert window_of(20_000, 0.004) == 1000
    assert window_of(2048, 0.004) == 512
    assert window_of(20_000, 0.1) == 128
    assert window_of(4096, 0.0) == 512

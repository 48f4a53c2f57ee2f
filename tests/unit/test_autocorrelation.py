"""Errors of means of series with a known autocorrelation, and series that have none."""

from __future__ import annotations

import numpy as np
import pytest

from phasewise.analysis import autocorrelation
from tests.sentences import says


def series(time: float, count: int, seed: int) -> np.ndarray:
    """A Gaussian series of unit variance whose autocorrelation is e^(-t/time)."""
    draw = np.random.default_rng(seed)
    factor = np.exp(-1.0 / time) if time > 0 else 0.0
    noise = draw.normal(size=count) * np.sqrt(1.0 - factor**2)
    values = np.empty(count)
    values[0] = draw.normal()
    for n in range(1, count):
        values[n] = factor * values[n - 1] + noise[n]
    return values


@pytest.mark.parametrize("time", [0.7, 3.0, 12.0])
def test_an_exponential_autocorrelation_has_its_integrated_time(time: float) -> None:
    expected = 0.5 / np.tanh(0.5 / time)
    found = [autocorrelation(series(time, 20_000, seed)) for seed in range(20)]
    off = [(one.time - expected) / one.time_error for one in found]
    # 20 normal deviates: their mean square is 1 within 3 √(2/20), wider for the window's own bias.
    assert np.mean(np.square(off)) < 2.0
    assert abs(np.mean([one.time for one in found]) / expected - 1) < 0.05


def test_white_noise_has_the_time_one_half() -> None:
    found = [autocorrelation(series(0.0, 5_000, seed)) for seed in range(20)]
    assert np.mean([one.time for one in found]) == pytest.approx(0.5, abs=0.02)
    assert all(abs(one.time - 0.5) < 5 * one.time_error for one in found)


@pytest.mark.parametrize("time", [0.0, 4.0])
def test_the_mean_lies_within_its_error_as_often_as_it_should(time: float) -> None:
    found = [autocorrelation(series(time, 4_000, seed)) for seed in range(200)]
    off = np.array([one.value / one.error for one in found])
    # The true mean is 0. The mean square of 200 normal deviates is 1 within 3 √(2/200) = 0.3.
    assert np.mean(off**2) == pytest.approx(1.0, abs=0.3)
    # Errors scatter as their own errors say, within 3/√(2·200) and the window's choice.
    scatter = np.std([one.error for one in found]) / np.mean([one.error for one in found])
    claimed = np.mean([one.error_of_error / one.error for one in found])
    assert 0.5 < scatter / claimed < 2.0


def test_the_function_is_the_one_by_definition() -> None:
    values = series(2.0, 101, 1)
    found = autocorrelation(values)
    deviations = values - values.mean()
    gamma = np.array([
        np.mean(deviations[: len(values) - t] * deviations[t:]) for t in range(51)
    ])  # fmt: skip
    correction = (gamma[0] + 2 * gamma[1 : found.window + 1].sum()) / len(values)
    expected = (gamma + correction) / (gamma[0] + correction)
    np.testing.assert_allclose(found.function, expected, rtol=0, atol=1e-13)
    assert found.time == pytest.approx(expected[: found.window + 1].sum() - 0.5, rel=1e-12)


@pytest.mark.parametrize("value", [2.5, 0.1])
def test_a_series_that_never_changes_has_no_error(value: float) -> None:
    found = autocorrelation([value] * 1000)
    assert found.value == pytest.approx(value, rel=1e-15)
    assert (found.error, found.time, found.window) == (0.0, 0.5, 0)


def test_members_that_alternate_do_not_claim_to_be_certain() -> None:
    found = autocorrelation([1.0, -1.0] * 50)
    assert (found.value, found.window) == (0.0, 0) and found.error == pytest.approx(0.1, rel=0.02)


def test_the_error_goes_with_the_unit_of_the_series() -> None:
    values = series(2.0, 200, 3)
    ordinary, tiny = autocorrelation(values), autocorrelation(1e-200 * values)
    assert tiny.error == pytest.approx(1e-200 * ordinary.error, rel=1e-12)
    assert tiny.time == pytest.approx(ordinary.time, rel=1e-12)


@pytest.mark.parametrize("given", [[1.0, 2.0, 3.0], [1.0, 2.0, np.nan, 4.0], np.ones((4, 4)), []])
def test_what_is_no_series_is_refused_in_a_sentence(given: object) -> None:
    with pytest.raises(ValueError) as refused:
        autocorrelation(given)
    says(str(refused.value), "at least 4 finite numbers", str(np.shape(given)))

"""Medians and intervals of samples, lines through times, and where another line begins."""

from __future__ import annotations

import numpy as np
import pytest

from phasewise.machines.statistics import (
    estimate,
    find_bends,
    fit_line,
    interpolation_errors,
)
from tests.sentences import refused

SIZES = np.array([0.0, *(2.0**k for k in range(4, 23))])


def test_the_interval_of_the_median_is_that_of_order_statistics() -> None:
    # Of ten samples the median lies between the 2nd and the 9th with 1 - 2 (1 + 10) / 2^10, which
    # is 97.9 %, and between the 3rd and the 8th with only 89.1 %.
    found = estimate([np.arange(1.0, 11.0)])
    assert (found.low, found.median, found.high) == (2.0, 5.5, 9.0)


def test_the_interval_holds_the_true_median_as_often_as_it_says() -> None:
    random = np.random.default_rng(3)
    # Exponential samples have the median log 2. Of 1000 intervals 95 % or more hold it; 3 standard
    # deviations of that count are 3 sqrt(1000 0.95 0.05) = 21.
    found = [estimate([random.exponential(size=31)]) for _ in range(1000)]
    assert sum(entry.low <= np.log(2) <= entry.high for entry in found) >= 950 - 21


def test_outliers_move_neither_the_median_nor_its_interval() -> None:
    calm = np.linspace(1.0, 1.1, 41)
    wild = calm.copy()
    wild[-3:] = 1000.0
    assert estimate([wild]) == estimate([calm])


def test_the_interval_holds_the_median_of_every_launch() -> None:
    found = estimate([np.full(50, 1.0), np.full(50, 1.0), np.full(50, 1.3)])
    assert (found.low, found.median, found.high) == (1.0, 1.0, 1.3)
    assert found.wide


def test_one_sample_is_its_own_interval() -> None:
    found = estimate([np.array([2.0])])
    assert (found.low, found.median, found.high) == (2.0, 2.0, 2.0)
    assert not found.wide


def test_no_samples_are_refused() -> None:
    with refused("no samples", by=ValueError):
        estimate([np.array([])])


def test_a_line_is_found_again() -> None:
    latency, bandwidth, residual = fit_line(SIZES, 5e-6 + SIZES / 2e9)
    # Conditioning of columns scaled to length 1: some digits of 16.
    assert latency == pytest.approx(5e-6, rel=1e-9)
    assert bandwidth == pytest.approx(2e9, rel=1e-9)
    assert residual < 1e-9


def test_latency_and_bandwidth_are_never_negative() -> None:
    sizes = SIZES[10:]
    latency, bandwidth, _ = fit_line(sizes, sizes**1.5 * 1e-12)
    assert latency == 0.0
    # Least squares of x s/t - 1 with s/t = 1e12 / sqrt(s) alone: 1/x = Σ (s/t)² / Σ s/t.
    assert bandwidth == pytest.approx(1e12 * np.sum(1 / sizes) / np.sum(sizes**-0.5), rel=1e-9)
    _, bandwidth, _ = fit_line(SIZES, np.full(len(SIZES), 1e-6))
    assert bandwidth > 1e18


def test_a_straight_line_has_no_bend() -> None:
    assert find_bends(SIZES, 5e-6 + SIZES / 2e9) == []


def test_protocol_changes_are_found_where_they_are() -> None:
    seconds = 5e-6 + SIZES / 2e9
    middle = (SIZES >= 4096) & (SIZES < 131072)
    seconds[middle] = 1e-5 + SIZES[middle] / 1.5e9
    assert [SIZES[i] for i in find_bends(SIZES, seconds)] == [4096, 131072]


def test_noise_is_not_taken_for_protocol_changes() -> None:
    random = np.random.default_rng(5)
    seconds = (5e-6 + SIZES / 2e9) * random.normal(1.0, 0.03, len(SIZES))
    assert find_bends(SIZES, seconds, noise=0.03) == []


def test_the_interpolation_error_is_that_of_leaving_a_size_out() -> None:
    errors = interpolation_errors(np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.0, 3.0]))
    assert errors.tolist() == [0.0, 1.0, 0.0]

"""Convective adjustment of columns: what it keeps, what it leaves, and equal bits."""

import numpy as np
import pytest

from phasewise.errors import RunError
from phasewise.workloads.atmosphere import radiation

# core/atmosphere/constants.hpp
CP, R, LATENT = 1004.64, 287.04, 2.501e6
KAPPA = R / CP
SATURATED_FROM, STABLE_WITHIN = 0.9, 1e-2
RNG = np.random.default_rng(44)
LEVELS = 26
SIGMA = (np.arange(LEVELS) + 0.5) / LEVELS


def saturation(temperature):
    """Specific humidity over water (Bolton), and its slope times L/cp."""
    below = temperature - 29.65
    pressure = 611.2 * np.exp(17.67 * (temperature - 273.15) / below)
    humidity = np.minimum(0.622 * pressure / (1e5 * SIGMA), 0.622)
    return humidity, LATENT / CP * humidity * 17.67 * 243.5 / below**2


def rising(temperature, vapour):
    """The temperature of the air of each level but the top one that rises to the level above."""
    humidity, slope = saturation(temperature)
    dry = (SIGMA[:-1] / SIGMA[1:]) ** KAPPA
    lower = temperature[:, 1:]
    half = 0.5 * KAPPA * np.log(SIGMA[1:] / SIGMA[:-1])
    steep = half * (lower + LATENT / R * humidity[:, 1:])
    whole = lower * (1.0 + slope[:, 1:])
    moist = np.maximum((whole - steep) / (whole + steep), dry)
    return lower * np.where(vapour[:, 1:] >= SATURATED_FROM * humidity[:, 1:], moist, dry)


def weather(columns):
    """Columns from stable to wildly unstable ones, dry and wet."""
    surface = RNG.uniform(240.0, 312.0, (columns, 1))
    lapse = RNG.uniform(0.1, 0.45, (columns, 1))
    temperature = surface * SIGMA**lapse + RNG.uniform(-6.0, 6.0, (columns, LEVELS))
    temperature = np.clip(temperature, 150.0, 320.0)
    vapour = RNG.uniform(0.0, 1.3, (columns, LEVELS)) * saturation(temperature)[0]
    return temperature, vapour, 1e-4 * RNG.random((columns, LEVELS))


def test_it_leaves_no_unstable_layer():
    temperature, vapour, cloud = weather(2000)
    assert (rising(temperature, vapour) - temperature[:, :-1] > STABLE_WITHIN).any()
    found = radiation.adjust(temperature, vapour, cloud)
    # The core's exponential and NumPy's differ in the last place: 1e-9 K of 300 K are far more.
    excess = rising(found.temperature, found.vapour) - found.temperature[:, :-1]
    assert excess.max() <= STABLE_WITHIN + 1e-9
    assert (found.vapour <= (1.0 + 2e-9) * saturation(found.temperature)[0]).all()
    assert found.sweeps.min() >= 1 and found.sweeps.max() < 200


def test_it_keeps_enthalpy_and_water():
    temperature, vapour, cloud = weather(2000)
    found = radiation.adjust(temperature, vapour, cloud)
    before = (CP * temperature + LATENT * vapour).sum(axis=1)
    after = (CP * found.temperature + LATENT * found.vapour).sum(axis=1)
    # A sweep rounds the sum of 26 levels a few times; most of the columns have fewer than 30.
    assert after == pytest.approx(before, rel=1e-13)
    assert (found.vapour + found.cloud).sum(axis=1) == pytest.approx(
        (vapour + cloud).sum(axis=1), rel=1e-13
    )
    assert (found.cloud >= cloud).all() and (found.vapour >= 0.0).all()


def test_what_is_stable_stays_as_it_is():
    temperature, vapour, cloud = weather(300)
    once = radiation.adjust(temperature, vapour, cloud)
    again = radiation.adjust(once.temperature, once.vapour, once.cloud)
    assert (again.sweeps == 1).all()
    for name in ("temperature", "vapour", "cloud"):
        assert (getattr(again, name) == getattr(once, name)).all()


def test_dry_air_that_is_unstable_everywhere_gets_one_potential_temperature():
    temperature = 300.0 * SIGMA**0.5
    found = radiation.adjust(temperature, 0.0)
    potential = found.temperature / SIGMA**KAPPA
    # One enthalpy, and one potential temperature: that of the mean of both.
    assert potential == pytest.approx(temperature.mean() / (SIGMA**KAPPA).mean(), rel=1e-13)
    assert found.sweeps == 2 and (found.vapour == 0.0).all()


def test_dry_blocks_mix_their_vapour():
    vapour = np.linspace(0.0, 1e-14, LEVELS)  # the top level, of 120 K, is not saturated
    mixed = radiation.adjust(400.0 * SIGMA**0.3, vapour).vapour
    assert mixed == pytest.approx(vapour.mean(), rel=1e-13, abs=0.0)


def test_moist_blocks_keep_a_uniform_share_of_saturation():
    temperature = np.full((1, LEVELS), 300.0)
    for level in range(LEVELS - 1, 0, -1):
        temperature[0, level - 1] = rising(temperature, np.ones((1, LEVELS)))[0, level - 1]
    temperature[0, -1] += 0.5
    share = np.linspace(0.92, 0.98, LEVELS)
    found = radiation.adjust(temperature, share * saturation(temperature)[0])
    # The lowest level warms all others. It was mixed with the saturation that it had before it
    # cooled: 7 % a kelvin, of half a kelvin. The others warmed by some hundredths.
    relative = (found.vapour / saturation(found.temperature)[0])[0]
    assert np.ptp(relative[:-1]) < 5e-3 < np.ptp(share)
    assert relative[-1] == pytest.approx(relative[-2], rel=0.04) and relative.max() < 1.0
    assert (found.temperature[0, :-1] > temperature[0, :-1]).all()
    assert found.temperature[0, -1] < temperature[0, -1] and (found.cloud == 0.0).all()


def test_both_kernels_leave_the_same_bits_beside_any_other_columns():
    temperature, vapour, cloud = weather(41)
    plain = radiation.adjust(temperature, vapour, cloud, kernel="plain")
    for first, last, threads in ((0, 41, 1), (0, 41, 2), (7, 8, 1), (2, 30, 1)):
        some = slice(first, last)
        fast = radiation.adjust(temperature[some], vapour[some], cloud[some], threads=threads)
        for name in ("temperature", "vapour", "cloud", "sweeps"):
            assert (getattr(fast, name) == getattr(plain, name)[some]).all()


def test_an_adjustment_that_does_not_end_names_the_column():
    temperature = np.tile(280.0 * SIGMA**0.1, (3, 1))
    temperature[2] = 300.0 * SIGMA**0.5
    with pytest.raises(
        RunError, match=r"the column \(2,\) is still unstable after the most sweeps, 1"
    ):
        radiation.adjust(temperature, 0.0, most_sweeps=1)

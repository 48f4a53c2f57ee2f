"""Random numbers, Sobol points, elementary functions and the Faddeeva function."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import elliprd, erfcx, wofz
from scipy.stats import kstest, qmc

import phasewise._core as core
from tests.sentences import refused

Floats = NDArray[np.float64]
EPSILON = np.finfo(float).eps

# kat_vectors of Random123 (Salmon et al., SC11): counter, key, result of Philox 4x32-10.
KNOWN_ANSWERS = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    (
        [0xFFFFFFFF] * 4,
        [0xFFFFFFFF] * 2,
        [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD],
    ),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


def ids(count: int, first: int = 0) -> NDArray[np.uint32]:
    return np.arange(first, first + count, dtype=np.uint32)


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_philox_gives_the_published_known_answers(
    counter: list[int], key: list[int], answer: list[int]
) -> None:
    assert core.philox(counter, key) == answer


def test_normal_deviates_are_normal() -> None:
    g = core.normals(1, ids(200_000), 0, 3).ravel()
    # Kolmogorov-Smirnov: a p-value below 1e-4 occurs for one seed in 10^4.
    assert kstest(g, "norm").pvalue > 1e-4
    # The two of a pair are independent: correlation 0 within 4 rms of N^-1/2.
    a, b = g.reshape(2, -1)
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(a.size)


def test_a_normal_deviate_depends_on_its_particle_only_and_not_on_its_neighbours() -> None:
    whole = core.normals(5, ids(101), 7, 3)
    assert np.array_equal(whole[:, 60:], core.normals(5, ids(41, 60), 7, 3))


@pytest.mark.parametrize(
    "other", [(6, 7, 3), (5, 8, 3), (5, 7, 4), (5 + 2**32, 7, 3), (5, 7 + 2**32, 3)]
)
def test_seed_turn_and_purpose_each_change_the_deviates(other: tuple[int, int, int]) -> None:
    seed, turn, purpose = other
    a = core.normals(5, ids(10_000), 7, 3)[0]
    b = core.normals(seed, ids(10_000), turn, purpose)[0]
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(a.size)


def test_sobol_points_are_those_of_joe_and_kuo() -> None:
    reference = qmc.Sobol(6, scramble=False, bits=32).random(2048)
    assert np.array_equal(core.sobol(0, 2048), reference)
    assert np.array_equal(core.sobol(1000, 24), reference[1000:1024])


def test_a_scrambled_sobol_sequence_stays_stratified() -> None:
    points = core.sobol(0, 1024, 3, True)
    # A (t, m, 6)-net has one point in each of the 1024 intervals of every coordinate.
    for axis in range(6):
        assert np.array_equal(np.sort(np.floor(points[:, axis] * 1024)), np.arange(1024))
    # Sobol's first two coordinates are a (0, 10, 2)-net: also one in each of 32 × 32 squares.
    cells = np.floor(points[:, 0] * 32) * 32 + np.floor(points[:, 1] * 32)
    assert np.array_equal(np.sort(cells), np.arange(1024))


def test_another_seed_scrambles_otherwise() -> None:
    assert not np.any(core.sobol(0, 64, 3, True) == core.sobol(0, 64, 4, True))


def error_in_ulp(value: Floats, exact: Floats) -> float:
    return float(np.max(np.abs(value - exact) / np.spacing(np.abs(exact).astype(float))))


def test_sine_and_cosine_of_turns_are_good_to_two_units_in_the_last_place() -> None:
    quarters = np.random.default_rng(1).integers(-4000, 4000, 100_000)
    rest = np.random.default_rng(2).integers(-(2**40), 2**40, 100_000) * 2.0**-43  # ±1/8, exact
    sine, cosine, *_ = core.elementary(quarters / 4 + rest)
    angle = 2 * np.longdouble("3.14159265358979323846") * rest.astype(np.longdouble)
    s, c = np.sin(angle), np.cos(angle)
    exact_sine = np.choose(quarters % 4, [s, c, -s, -c])
    exact_cosine = np.choose(quarters % 4, [c, -s, -c, s])
    assert error_in_ulp(sine, exact_sine) < 2
    assert error_in_ulp(cosine, exact_cosine) < 2


def test_quarter_turns_are_exact() -> None:
    sine, cosine, *_ = core.elementary(np.array([0.0, 0.25, 0.5, 0.75, 1e6, -0.25]))
    assert np.array_equal(sine, [0, 1, 0, -1, 0, -1])
    assert np.array_equal(cosine, [1, 0, -1, 0, 1, 0])


def test_the_logarithm_is_good_to_two_units_in_the_last_place() -> None:
    random = np.random.default_rng(3)
    x = np.concatenate([10 ** random.uniform(-307, 308, 100_000), random.uniform(0.5, 2, 100_000)])
    assert error_in_ulp(core.elementary(x)[3], np.log(x.astype(np.longdouble))) < 2


def test_the_exponential_is_good_to_two_units_in_the_last_place_and_ends_at_zero() -> None:
    x = np.random.default_rng(4).uniform(-700, 709, 100_000)
    assert error_in_ulp(core.elementary(x)[2], np.exp(x.astype(np.longdouble))) < 2
    assert np.array_equal(core.elementary(np.array([-750.0, -1e300, 0.0]))[2], [0, 0, 1])


def test_arcsine_errs_by_less_than_three_units_in_the_last_place() -> None:
    # Both halves of its range, small values, and what lies beside the joint at 1/2 and the ends.
    x = np.concatenate(
        [
            np.linspace(-1, 1, 100_001),
            np.geomspace(1e-300, 1, 2001),
            0.5 + EPSILON * np.arange(-8, 9),
            1 - EPSILON * np.arange(9),
        ]
    )
    found = core.elementary(x)[4]
    assert error_in_ulp(found, np.arcsin(x.astype(np.longdouble))) < 3
    assert np.array_equal(core.elementary(-x)[4], -found)
    ends = core.elementary(np.array([0.0, 1.0, -1.0]))[4]
    assert np.array_equal(ends, [0.0, np.pi / 2, -np.pi / 2])
    assert np.all(np.isnan(core.elementary(np.array([1 + EPSILON, -2.0, np.nan]))[4]))


def test_carlsons_integral_agrees_with_another_code() -> None:
    rng = np.random.default_rng(1)
    for x, y, z in 10 ** rng.uniform(-6, 6, (200, 3)):
        assert core.carlson_rd(x, y, z) == pytest.approx(elliprd(x, y, z), rel=1e-14)
    assert core.carlson_rd(0.0, 2.0, 1.0) == pytest.approx(1.7972103521033883, rel=1e-15)
    # R_D(x, x, x) = x^(-3/2).
    assert core.carlson_rd(4.0, 4.0, 4.0) == pytest.approx(1 / 8, rel=1e-15)
    with refused("carlson_rd", "x, y", "z", by=ValueError):
        core.carlson_rd(0.0, 0.0, 1.0)


def test_a_lost_particles_nan_stays_nan_in_every_function() -> None:
    assert np.all(np.isnan(core.elementary(np.array([np.nan]))[:3]))


def faddeeva(z: NDArray[np.complex128]) -> NDArray[np.complex128]:
    re, im = core.faddeeva(np.ascontiguousarray(z.real), np.ascontiguousarray(z.imag))
    return np.asarray(re + 1j * im)


def test_the_faddeeva_function_agrees_with_scipy_over_the_upper_half_plane() -> None:
    random = np.random.default_rng(5)
    core_region = random.uniform(-8, 8, 100_000) + 1j * random.uniform(0, 8, 100_000)
    radius = 10 ** random.uniform(-8, 8, 100_000)
    wide = radius * np.exp(1j * random.uniform(0, np.pi, 100_000))
    for z in (core_region, wide.real + 1j * np.abs(wide.imag)):
        exact = wofz(z)
        # scipy promises 1e-13 of |w|; ours measures below 1e-15 against 60-digit arithmetic.
        assert np.max(np.abs(faddeeva(z) - exact) / np.abs(exact)) < 1e-13


def test_the_faddeeva_function_is_exp_of_minus_x_squared_on_the_real_axis() -> None:
    x = np.linspace(-5, 5, 1001)
    # |w| < 1, of which the real part may lose a few units in the last place.
    assert np.max(np.abs(faddeeva(x + 0j).real - np.exp(-(x**2)))) < 8 * EPSILON


def test_the_faddeeva_function_is_erfcx_on_the_imaginary_axis() -> None:
    y = np.concatenate([np.linspace(0, 20, 2001), 10.0 ** np.arange(2, 70, 7)])
    assert np.allclose(faddeeva(1j * y), erfcx(y), rtol=16 * EPSILON, atol=0)

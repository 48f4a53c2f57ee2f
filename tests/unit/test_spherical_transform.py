"""Spherical harmonics from Python: against closed forms, their own inverse and adjoint, and
ducc0.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.workloads.sphere import SphericalTransform
from tests.sentences import refused

Complexes = NDArray[np.complex128]


def coefficients_for(transform: SphericalTransform, seed: int = 1) -> Complexes:
    """Random coefficients of a real field: those with m = 0 are real."""
    shape = (2, transform.levels, len(transform.degrees))
    re, im = np.random.default_rng(seed).normal(size=shape)
    return np.asarray(re + 1j * np.where(transform.orders > 0, im, 0.0))


def points(transform: SphericalTransform) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sines of the latitudes and longitudes [rad], (latitudes, 1) and (1, longitudes)."""
    count = transform.shape[-1]
    return transform.sines[:, None], (2 * np.pi * np.arange(count) / count)[None, :]


def unit(transform: SphericalTransform, degree: int, order: int) -> Complexes:
    """The coefficients of one harmonic."""
    found = (transform.degrees == degree) & (transform.orders == order)
    return found.astype(np.complex128)


def closed_form(degree: int, order: int, sine: NDArray[np.float64]) -> NDArray[np.float64]:
    """Orthonormal functions of the latitude with the phase (-1)^m."""
    cosine = np.sqrt(1 - sine**2)
    return {
        (0, 0): math.sqrt(1 / (4 * math.pi)) + 0 * sine,
        (1, 0): math.sqrt(3 / (4 * math.pi)) * sine,
        (1, 1): -math.sqrt(3 / (8 * math.pi)) * cosine,
        (2, 0): math.sqrt(5 / (16 * math.pi)) * (3 * sine**2 - 1),
        (2, 1): -math.sqrt(15 / (8 * math.pi)) * sine * cosine,
        (2, 2): math.sqrt(15 / (32 * math.pi)) * cosine**2,
        (3, 3): -math.sqrt(35 / (64 * math.pi)) * cosine**3,
    }[degree, order]


@pytest.mark.parametrize(
    ("degree", "order"), [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 3)]
)
def test_harmonics_are_the_closed_forms(degree: int, order: int) -> None:
    t = SphericalTransform(10)
    sine, longitude = points(t)
    field = t.synthesise(unit(t, degree, order))
    times = 1 if order == 0 else 2  # the harmonic of -m has the conjugate coefficient
    wanted = times * closed_form(degree, order, sine) * np.cos(order * longitude)
    np.testing.assert_allclose(field, wanted, atol=1e-14)


def test_normalisation_and_phase_are_options() -> None:
    plain = SphericalTransform(6, condon_shortley=False, normalisation="4pi")
    t = SphericalTransform(6)
    for degree, order in ((3, 1), (4, 2)):
        ours, usual = (one.synthesise(unit(one, degree, order)) for one in (plain, t))
        np.testing.assert_allclose(ours, (-1) ** order * math.sqrt(4 * math.pi) * usual, atol=1e-13)


@pytest.mark.parametrize(("truncation", "levels"), [(5, 1), (21, 3), (85, 2), (680, 1)])
def test_a_round_trip_is_exact(truncation: int, levels: int) -> None:
    """Errors of rounding grow as the root of the degree: 1e-13 at T85, ten times that at T680. The
    functions of T680 near the poles leave the range of doubles.
    """
    t = SphericalTransform(truncation, levels, functions="panels")
    given = coefficients_for(t)
    found = t.analyse(t.synthesise(given))
    error = np.linalg.norm(found - given) / np.linalg.norm(given)
    assert error < (1e-13 if truncation < 100 else 1e-12)


@pytest.mark.parametrize("longitudes", [32, 34, 36, 42, 44, 50, 54, 60, 62, 98, 128, 514])
@pytest.mark.parametrize("levels", [1, 2, 3, 5])
def test_any_number_of_longitudes_has_the_same_harmonics(longitudes: int, levels: int) -> None:
    """numpy's transforms along the latitudes give the same spectra as a usual grid, to the rounding
    of values up to 10.
    """
    usual = SphericalTransform(10, levels, latitudes=18)
    t = SphericalTransform(10, levels, latitudes=18, longitudes=longitudes)
    given = coefficients_for(t, longitudes)
    field = t.synthesise(given)
    spectra = np.fft.rfft(field) / longitudes
    wanted = np.fft.rfft(usual.synthesise(given)) / usual.shape[-1]
    np.testing.assert_allclose(spectra[..., :11], wanted[..., :11], atol=5e-15)
    np.testing.assert_allclose(spectra[..., 11:], 0.0, atol=5e-15)
    np.testing.assert_allclose(t.analyse(field), given.reshape(t.analyse(field).shape), atol=1e-13)


def test_functions_of_a_table_are_those_of_panels() -> None:
    table, panels = (SphericalTransform(42, 2, functions=how) for how in ("table", "panels"))
    given = coefficients_for(table)
    np.testing.assert_array_equal(table.synthesise(given), panels.synthesise(given))


@pytest.mark.parametrize("levels", [1, 2, 5, 7, 20])
def test_levels_do_not_change_each_other(levels: int) -> None:
    """Each level has the bits that it has alone, whatever the shapes of the products are."""
    together, alone = SphericalTransform(21, levels), SphericalTransform(21)
    given = coefficients_for(together)
    fields = together.synthesise(given).reshape(levels, *alone.shape)
    back = together.analyse(fields).reshape(levels, -1)
    for level in range(levels):
        np.testing.assert_array_equal(fields[level], alone.synthesise(given[level]))
        np.testing.assert_array_equal(back[level], alone.analyse(fields[level]))


def test_threads_change_no_bit() -> None:
    one, three = SphericalTransform(42, 3), SphericalTransform(42, 3, threads=3)
    given = coefficients_for(one)
    np.testing.assert_array_equal(one.synthesise(given), three.synthesise(given))
    field = one.synthesise(given)
    np.testing.assert_array_equal(one.analyse(field), three.analyse(field))


def test_the_adjoint_is_that_of_the_synthesis() -> None:
    t = SphericalTransform(31, 2)
    x, y = coefficients_for(t), np.random.default_rng(2).normal(size=t.shape)
    adjoint = t.adjoint_synthesis(y)
    twice = np.where(t.orders > 0, 2, 1)
    inner = (twice * (x.conj() * adjoint).real).sum()
    assert np.vdot(t.synthesise(x), y) == pytest.approx(inner, rel=1e-13)


def test_winds_of_solid_rotation() -> None:
    """u = U cos φ has the vorticity 2 U sin φ / a and no divergence."""
    t = SphericalTransform(10)
    sine, longitude = points(t)
    u = 20.0 * np.sqrt(1 - sine**2) + 0 * longitude
    vorticity, divergence = t.vorticity_divergence(u, np.zeros_like(u))
    np.testing.assert_allclose(
        t.synthesise(vorticity), 40.0 * sine / t.radius + 0 * longitude, atol=1e-18
    )
    np.testing.assert_allclose(divergence, 0, atol=1e-18)
    back = t.winds(vorticity, divergence)
    np.testing.assert_allclose(back[0], u, atol=1e-12)
    np.testing.assert_allclose(back[1], 0, atol=1e-12)


def test_winds_there_and_back() -> None:
    t = SphericalTransform(42, 2)
    vorticity, divergence = coefficients_for(t, 1), coefficients_for(t, 2)
    vorticity[:, 0] = divergence[:, 0] = 0  # no wind has a mean of them
    found = t.vorticity_divergence(*t.winds(vorticity, divergence))
    for one, other in zip(found, (vorticity, divergence), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_the_gradient_is_the_derivative() -> None:
    """f = cos φ cos λ, whose gradient is (-sin λ, -sin φ cos λ) / a."""
    t = SphericalTransform(10)
    sine, longitude = points(t)
    east, north = t.gradient(t.analyse(np.sqrt(1 - sine**2) * np.cos(longitude)))
    np.testing.assert_allclose(east, -np.sin(longitude) / t.radius + 0 * sine, atol=1e-20)
    np.testing.assert_allclose(north, -sine * np.cos(longitude) / t.radius, atol=1e-20)


def test_the_laplacian_has_an_inverse_but_for_the_mean() -> None:
    t = SphericalTransform(10)
    given = coefficients_for(t)[0]
    again = t.inverse_laplacian(t.laplacian(given))
    np.testing.assert_allclose(again[1:], given[1:], rtol=1e-14)
    assert again[0] == 0


def test_weights_are_those_of_gauss() -> None:
    t = SphericalTransform(42)
    sine, weight = np.polynomial.legendre.leggauss(64)
    np.testing.assert_allclose(t.sines, sine[::-1], atol=1e-15)
    np.testing.assert_allclose(t.weights, weight[::-1], atol=1e-14)


def test_one_level_may_have_its_axis() -> None:
    t = SphericalTransform(5)
    field = np.random.default_rng(3).normal(size=(1, *t.shape))
    assert t.analyse(field).shape == (1, len(t.degrees))
    assert t.analyse(field[0]).shape == (len(t.degrees),)


def test_bad_arguments_are_one_sentence() -> None:
    t = SphericalTransform(10, 2)
    with refused("(2, 3)", "(2, 16, 32)"):
        t.analyse(np.zeros((2, 3)))
    with refused("(5,)", "(2, 66)"):
        t.synthesise(np.zeros(5))
    with refused("orthnormal", nearest="orthonormal"):
        SphericalTransform(10, normalisation="orthnormal")
    with refused("32", "42"):
        SphericalTransform(42, latitudes=32)
    with refused("bruk", nearest="bruck"):
        SphericalTransform(10, transpose="bruk")


@pytest.mark.parametrize("truncation", [10, 85])
def test_coefficients_are_those_of_ducc0(truncation: int) -> None:
    ducc0 = pytest.importorskip("ducc0")
    t = SphericalTransform(truncation)
    given = coefficients_for(t)[0]
    latitudes, longitudes = t.shape
    theirs = ducc0.sht.synthesis_2d(
        alm=given[None], lmax=truncation, spin=0, ntheta=latitudes, nphi=longitudes, geometry="GL"
    )
    np.testing.assert_allclose(t.synthesise(given), theirs[0], atol=1e-11)
    np.testing.assert_allclose(t.analyse(theirs[0]), given, atol=1e-12)

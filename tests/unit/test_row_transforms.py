"""Transforms of rows in the lanes of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

Complex = NDArray[np.complex128]
SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18, 20, 22, 24, 28, 30, 32, 40, 42, 48]
SIZES += [49, 50, 56, 60, 64, 70, 80, 96, 98, 100, 112, 120, 126, 128, 144, 160, 162, 168, 180, 192]
SIZES += [200, 210, 216, 224, 240, 243, 250, 256, 280, 300, 320, 343, 360, 384, 400, 448, 480, 500]
SIZES += [512, 576, 600, 625, 640, 720, 768, 800, 896, 1000, 1024, 1200, 1280, 1536, 2048, 4096]
ROUNDING = 1e-15
"""Of a value, relative to the rms of all. A transform of n values adds up log2(n) times, each time
with an error of 2^-53 or so, and errors add as in a random walk: 1.1e-16 √log2(n), 4e-16 for 4096.
"""


def random_rows(count: int, n: int, seed: int = 0) -> Complex:
    random = np.random.default_rng(seed)
    return random.normal(size=(count, n)) + 1j * random.normal(size=(count, n))


def pairs(values: Complex) -> NDArray[np.float64]:
    return np.ascontiguousarray(values).view(np.float64).reshape(*values.shape, 2)


def complex_of(values: NDArray[np.float64]) -> Complex:
    return np.ascontiguousarray(values).view(np.complex128)[..., 0]


def rms(values: Complex | NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(np.abs(values) ** 2)))


def by_fftw(rows: Complex, n: int) -> Complex:
    return complex_of(core.transform_by_fftw(pairs(rows), n))


@pytest.mark.parametrize("radices", ["fours", "eights"])
def test_transforms_of_any_length_agree_with_fftw_and_lead_back(radices: str) -> None:
    for n in SIZES:
        rows = random_rows(3, n, n)
        transformed = complex_of(core.transform_rows(pairs(rows), n, radices))
        assert rms(transformed - by_fftw(rows, n)) < ROUNDING * np.sqrt(n), n
        back = complex_of(core.transform_back(pairs(transformed), n, radices))
        assert rms(back / n - rows) < 2 * ROUNDING, n


def test_values_that_are_zero_or_not_wanted_are_left_out() -> None:
    for n in SIZES:
        for given in {1, n // 3, (n - 1) // 2, n // 2, (n + 1) // 2, n - 1} - {0}:
            rows = random_rows(2, given, given)
            transformed = complex_of(core.transform_rows(pairs(rows), n, "eights"))
            expected = by_fftw(rows, n)
            assert rms(transformed - expected) < ROUNDING * rms(expected), (n, given)
            back = complex_of(core.transform_back(pairs(transformed), given, "eights"))
            # The frequencies have n/given times the squares of the values, which their errors add.
            assert rms(back / n - rows) < 2 * ROUNDING, (n, given)


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_a_convolution_is_the_product_of_transforms(kind: str) -> None:
    for n in SIZES:
        given = (n + 1) // 2
        rows, factors = random_rows(2, given, n), random_rows(1, n, 1)[0]
        if kind == "real":
            factors = factors.real + 0j
        shown = pairs(factors)[:, :1] if kind == "real" else pairs(factors)
        found = complex_of(core.convolve_rows(pairs(rows), np.ascontiguousarray(shown)))
        expected = np.fft.ifft(by_fftw(rows, n) * factors)[:, :given] * n
        assert rms(found - expected) < 2 * ROUNDING * rms(factors) * np.sqrt(n) * n**0.5, n


def test_real_rows_are_transformed_as_half_as_many_complex_values() -> None:
    for n in (size for size in SIZES if size % 2 == 0):
        random = np.random.default_rng(n)
        for given in {2, 2 * (n // 4), n} - {0}:
            rows = random.normal(size=(3, given))
            spectra = complex_of(core.transform_real_rows(rows, n)) / 2
            expected = by_fftw(rows + 0j, n)[:, : n // 2 + 1]
            assert rms(spectra - expected) < ROUNDING * rms(expected), (n, given)
            back = core.transform_real_back(pairs(spectra), given) / n
            assert rms(back - rows) < 2 * ROUNDING, (n, given)


def test_a_row_has_the_same_bits_whichever_rows_are_beside_it() -> None:
    for n in (24, 70, 128, 200, 256):
        rows, given = random_rows(19, n // 2, n), n // 2
        together = core.transform_rows(pairs(rows), n, "eights")
        real = (
            core.transform_real_rows(np.ascontiguousarray(rows.real), n) if given % 2 == 0 else None
        )
        factors = random_rows(1, n, 2)[0]
        convolved = core.convolve_rows(pairs(rows), pairs(factors))
        for row in range(19):
            alone = slice(row, row + 1)
            assert together[alone].tobytes() == (
                core.transform_rows(pairs(rows[alone]), n, "eights").tobytes()
            )
            assert convolved[alone].tobytes() == (
                core.convolve_rows(pairs(rows[alone]), pairs(factors)).tobytes()
            )
            if real is not None:
                one = core.transform_real_rows(np.ascontiguousarray(rows[alone].real), n)
                assert real[alone].tobytes() == one.tobytes()

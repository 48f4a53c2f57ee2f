"""Legendre functions and the products that they take part in: however they are computed, the bits
are the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import load_core
from phasewise.study import Study
from phasewise.workloads.sphere import SphericalTransform

NEGLIGIBLE = 2.0**-100


def zonal(transform: SphericalTransform, degree: int, order: int) -> NDArray[np.float64]:
    """The function of one harmonic at all latitudes, with ∫ P² dμ = 1 and no phase."""
    found = (transform.degrees == degree) & (transform.orders == order)
    field = transform.synthesise(found.astype(np.complex128))
    times = 1 if order == 0 else 2
    factor = math.sqrt(2 * math.pi) / times * (-1) ** order
    return np.asarray(factor * field[:, 0])


def first_function(order: int, sines: NDArray[np.float64]) -> NDArray[np.float64]:
    """P_mm by its closed form, sqrt((2m + 1)!! / (2m)!! / 2) cos^m φ, by logarithms: its relative
    error is that of the rounded exponent, at most 1e-12 where it is not negligible.
    """
    k = np.arange(1, order + 1)
    factor = 0.5 * (np.log(0.5) + np.log1p(0.5 / k).sum())
    return np.asarray(np.exp(factor + 0.5 * order * np.log((1 - sines) * (1 + sines))))


@pytest.mark.parametrize("order", [0, 1, 20, 84, 140, 169])
def test_the_functions_of_the_lowest_degrees_are_closed_forms(order: int) -> None:
    """P(m+1) = sqrt(2m + 3) μ P(m). Near the poles the first one is 0 where it is below 2^-100, and
    so is the second one, which follows from it.
    """
    t = SphericalTransform(170)
    first = first_function(order, t.sines)
    for degree, wanted in ((order, first), (order + 1, math.sqrt(2 * order + 3) * t.sines * first)):
        found = zonal(t, degree, order)
        most = NEGLIGIBLE * math.sqrt(2 * order + 3)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=most)


def test_negligible_functions_near_the_poles_are_left_out() -> None:
    """The function of the highest order is 0 at the latitudes where it is below 2^-100."""
    t = SphericalTransform(170)
    found, true = zonal(t, 170, 170), first_function(170, t.sines)
    np.testing.assert_array_equal(found == 0, true < NEGLIGIBLE)
    assert 0.3 < (found == 0).mean() < 0.6


@pytest.mark.parametrize(
    ("truncation", "order"),
    [(42, 0), (42, 17), (85, 1), (85, 42), (170, 0), (170, 1), (170, 17), (680, 0), (680, 340)],
)
def test_functions_are_orthonormal(truncation: int, order: int) -> None:
    """Those of even and odd degrees alike, by Gauss's quadrature. Errors of rounding grow with the
    degree; the bound is 10 M 2^-53.
    """
    t = SphericalTransform(truncation, functions="panels")
    degrees = range(order, truncation + 1, max(1, truncation // 11))
    values = np.array([zonal(t, degree, order) for degree in degrees])
    gram = (values * t.weights) @ values.T
    np.testing.assert_allclose(gram, np.eye(len(degrees)), atol=10 * truncation * 2**-53)


@pytest.mark.parametrize(
    ("truncation", "latitudes"), [(5, 10), (10, 16), (42, 66), (85, 130), (85, 128)]
)
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_panels_and_single_levels_change_no_bit(
    truncation: int, latitudes: int, levels: int
) -> None:
    """With even and odd numbers of pairs, whose products end within vectors."""
    size: Any = {"latitudes": latitudes, "longitudes": 2 * latitudes}
    table = SphericalTransform(truncation, levels, functions="table", **size)
    panels = SphericalTransform(truncation, levels, functions="panels", **size)
    alone = SphericalTransform(truncation, functions="table", **size)
    re, im = np.random.default_rng(1).normal(size=(2, levels, len(table.degrees)))
    given = re + 1j * np.where(table.orders > 0, im, 0.0)
    fields = table.synthesise(given)
    back = table.analyse(fields)
    np.testing.assert_array_equal(fields, panels.synthesise(given))
    np.testing.assert_array_equal(back, panels.analyse(fields))
    for level, field in enumerate(fields.reshape(levels, *alone.shape)):
        np.testing.assert_array_equal(field, alone.synthesise(given[level]))
        np.testing.assert_array_equal(back.reshape(levels, -1)[level], alone.analyse(field))


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize(("sums", "latitudes"), [("order-free", 130), ("plain", 128)])
def test_kernels_change_no_bit_where_functions_are_left_out(
    levels: int, sums: str, latitudes: int
) -> None:
    def state(kernel: str, functions: str) -> list[Any]:
        own = {"case": "williamson-5", "truncation": 85, "timestep": 600.0, "levels": levels,
               "functions": functions, "latitudes": latitudes, "longitudes": 256}  # fmt: skip
        of = Study.from_dict(
            {
                "workload": "sphere",
                "timesteps": 1,
                "sphere": own,
                "communication": {"kernel": kernel, "sums": sums},
            }
        )
        run: Any = load_core().start(of.parameters(), 1)
        run.step()
        rows = run.state()["coefficients"]
        return [np.asarray(rows[name]) for name in sorted(rows)]

    fast = state("fast", "table")
    for ways in (("plain", "table"), ("fast", "panels")):
        assert all(np.array_equal(a, b) for a, b in zip(fast, state(*ways), strict=True))

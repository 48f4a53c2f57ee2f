"""core/linear: products of dense and sparse matrices against NumPy and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import random_array

from tests.sentences import refused

core = pytest.importorskip("phasewise._core", reason="the core is not built")
RANDOM = np.random.default_rng(1)


def allowed(k: int) -> float:
    """Error of a sum of k products of numbers below 1, by rounding."""
    return (k + 1) * 2.0**-52 * k


@pytest.mark.parametrize(
    ("m", "n", "k"),
    [(1, 1, 1), (7, 23, 5), (8, 24, 64), (33, 25, 300), (300, 50, 9), (5, 1600, 3), (64, 64, 0)],
)
@pytest.mark.parametrize("order", ["CC", "FC", "CF", "FF"])
def test_products_of_any_shape_and_order(m: int, n: int, k: int, order: str) -> None:
    a = np.asarray(RANDOM.random((m, k)), order=order[0])  # type: ignore[call-overload]
    b = np.asarray(RANDOM.random((k, n)), order=order[1])  # type: ignore[call-overload]
    for c in (np.full((m, n), np.nan), np.full((m, n), np.nan, order="F")):
        core.multiply(a, b, c)
        np.testing.assert_allclose(c, a @ b, rtol=0, atol=allowed(k))
        core.multiply(a, b, c, add=True)
        np.testing.assert_allclose(c, 2 * (a @ b), rtol=0, atol=3 * allowed(k))


def test_matrices_with_strides_leave_what_is_between_their_elements() -> None:
    a, b, around = RANDOM.random((20, 30)), RANDOM.random((30, 40)), np.full((20, 40), 7.0)
    core.multiply(a[::2, ::3], b[::3, ::2], around[::2, ::2])
    expected = np.full((20, 40), 7.0)
    expected[::2, ::2] = a[::2, ::3] @ b[::3, ::2]
    np.testing.assert_allclose(around, expected, rtol=0, atol=allowed(10))


def test_an_element_does_not_depend_on_the_matrices_around_it() -> None:
    a, b, c, d = RANDOM.random((100, 400)), RANDOM.random((400, 90)), *np.empty((2, 100, 90))
    core.multiply(a, b, c)
    core.multiply(a[13:50], b[:, 5:29], d[13:50, 5:29])
    assert np.array_equal(c[13:50, 5:29], d[13:50, 5:29])


def test_shapes_that_do_not_fit_are_refused() -> None:
    with refused("shapes", by=ValueError):
        core.multiply(np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3)))


@pytest.mark.parametrize("window", [0, 1, 8, 32])
@pytest.mark.parametrize("rows", [1, 7, 8, 100])
def test_sparse_products(rows: int, window: int) -> None:
    matrix = random_array((rows, rows), density=0.2, random_state=2).tocsr()
    x: NDArray[np.float64] = RANDOM.random(rows)
    found = core.sparse_product(
        matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist(), x.tolist(), window
    )
    np.testing.assert_allclose(found, matrix @ x, rtol=0, atol=allowed(rows))


@pytest.mark.parametrize("columns", [1, 2, 3, 5, 10, 12])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [3, 5, 39])
def test_few_columns_have_the_bits_of_many(columns: int, order: Any, rows: int) -> None:
    """Products of few columns read A where it lies; 1100 terms are more than one part of a sum.
    There are too few rows for a vector, and rows that do not fill the last one.
    """
    rng = np.random.default_rng(5)
    a = np.asarray(rng.normal(size=(rows, 1100)), order=order)
    b = rng.normal(size=(1100, 40))
    many, few = np.zeros((rows, 40)), np.zeros((rows, columns))
    core.multiply(a, b, many)
    core.multiply(a, np.ascontiguousarray(b[:, :columns]), few)
    np.testing.assert_array_equal(few, many[:, :columns])
    core.multiply(a, np.ascontiguousarray(b[:, :columns]), few, add=True)
    core.multiply(a, b, many, add=True)
    np.testing.assert_array_equal(few, many[:, :columns])

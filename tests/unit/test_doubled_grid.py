"""The doubled grid: its sizes, its strides, and what the solver's kernels cost on it."""

from __future__ import annotations

import math
from typing import Any

import pytest

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

COMPLEX = 16
"""Bytes of a complex value."""


def is_fast(size: int) -> bool:
    """Whether FFTW transforms this length fast: only the factors 2, 3, 5 and 7, and even."""
    for factor in (2, 3, 5, 7):
        while size % factor == 0:
            size //= factor
    return size == 1


@pytest.mark.parametrize("n", [2, 3, 11, 16, 44, 64, 100, 127, 128, 300])
def test_the_doubled_grid_is_the_smallest_fast_one_that_keeps_both_ends_apart(n: int) -> None:
    grid = core.doubled_grid(n, 16)
    # Displacements -(n-1) ... n-1 have places of their own.
    assert grid["mx"] == next(m for m in range(2 * n - 1, 4 * n) if m % 2 == 0 and is_fast(m))
    assert core.doubled_grid(16, n)["my"] == grid["mx"]


@pytest.mark.parametrize(("nx", "ny"), [(16, 16), (33, 20), (64, 128)])
def test_rows_and_columns_begin_on_cache_lines(nx: int, ny: int) -> None:
    grid = core.doubled_grid(nx, ny)
    assert grid["columns"] == grid["my"] // 2 + 1
    for stride, used in (("row_stride", grid["columns"]), ("column_stride", grid["mx"])):
        assert grid[stride] * COMPLEX % 64 == 0
        assert 0 <= grid[stride] - used < 64 // COMPLEX


def test_a_solve_costs_its_transforms_and_products() -> None:
    # A complex transform of 2^k values takes 5 k 2^k flops, a real one half as many, a complex
    # product 6. Along y 64 real ones of 128 there and back, along x two of 256 on each of 65
    # columns.
    grid = core.doubled_grid(128, 64)
    rows, columns = 128 * 0.5 * 5 * 7 * 128, 65 * (2 * 5 * 8 * 256 + 6 * 256)
    assert grid["rows"]["flops"] == rows
    assert grid["transformed_columns"]["flops"] == columns
    assert grid["solve"]["flops"] == 2 * rows + columns


def test_a_solve_moves_each_array_once_for_each_kernel_that_needs_it() -> None:
    grid = core.doubled_grid(128, 64)
    mesh, half_transformed, green = 8 * 128 * 64, COMPLEX * 128 * 65, COMPLEX * 256 * 65
    assert grid["rows"]["bytes"] == mesh + half_transformed
    assert grid["transformed_columns"]["bytes"] == 2 * half_transformed + green
    assert grid["solve"]["bytes"] == 2 * mesh + 4 * half_transformed + green


@pytest.mark.parametrize("parts", [2, 4, 8])
def test_several_processes_compute_most_distances_of_a_green_function_twice(parts: int) -> None:
    alone, divided = (core.doubled_grid(128, 64, p)["green"] for p in (1, parts))
    # The columns' transforms are not doubled.
    columns = 65 * (5 * 8 * 256 + 2 * 256)
    repeated = (divided["flops"] - columns) / (alone["flops"] - columns)
    # 2·128 - 1 distances for 128, and a further line of corners in each part.
    assert (2 * 128 - 1) / 128 < repeated <= (2 * 128 - 1 + parts) / 128
    assert math.isclose(alone["flops"] - columns, 128 * (70 * 64 + 0.5 * 5 * 7 * 128 + 4 * 64))


@pytest.mark.parametrize("kernel", ["solve", "rows", "transformed_columns", "green"])
def test_a_card_has_the_name_under_which_the_kernel_is_timed(kernel: str) -> None:
    name = "green" if kernel == "green" else "solve"
    assert core.doubled_grid(16, 16)[kernel]["name"] == name

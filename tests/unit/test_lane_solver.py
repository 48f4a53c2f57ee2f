"""The Poisson solver with transforms of several rows at once, beside FFTW's row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

Floats = NDArray[np.float64]
HX, HY = 1.1e-5, 0.7e-6
SHAPES = [
    (1, 1),
    (1, 9),
    (2, 3),
    (5, 4),
    (16, 16),
    (17, 16),
    (16, 19),
    (23, 40),
    (32, 32),
    (33, 35),
    (48, 80),
    (60, 61),
    (64, 64),
]
SHAPES += [(96, 96), (100, 90), (127, 129), (128, 128), (130, 65), (160, 96), (256, 64), (64, 256)]
SHIFTS = [(0, 0), (5, 0), (0, -3), (-7, 70), (300, -41)]


def solved(charge: Floats, shift: tuple[int, int], transforms: str) -> Floats:
    found: Floats = core.solve_poisson(charge, HX, HY, *shift, transforms)
    return found


def by_parts(charges: Floats, shifts: list[tuple[int, int]], parts: int) -> Floats:
    along_x, along_y = ([shift[axis] for shift in shifts] for axis in (0, 1))
    found: Floats = core.poisson_by_parts(charges, HX, HY, along_x, along_y, parts, "lanes")
    return found


@pytest.mark.parametrize("shift", SHIFTS)
def test_the_potential_is_that_of_fftw_to_rounding(shift: tuple[int, int]) -> None:
    for shape in SHAPES:
        charge = np.random.default_rng(sum(shape)).uniform(size=shape)
        expected, found = (solved(charge, shift, by) for by in ("fftw", "lanes"))
        rms = np.sqrt(np.mean(expected**2))
        # Two transforms along two axes and two of the Green function: errors of 2e-16 each.
        assert np.sqrt(np.mean((found - expected) ** 2)) < 1e-15 * rms, shape


@pytest.mark.parametrize("shift", SHIFTS)
def test_the_potential_has_the_same_bits_however_the_mesh_is_divided(
    shift: tuple[int, int],
) -> None:
    for shape in [(16, 17), (33, 30), (64, 64), (96, 40)]:
        charge = np.random.default_rng(8).uniform(size=shape)
        whole = solved(charge, shift, "lanes")
        for parts in (1, 2, 3, 4, 5, 7, 16, 40):
            divided = by_parts(charge[np.newaxis], [shift], parts)
            assert divided.tobytes() == whole.tobytes(), (shape, parts)


def test_meshes_that_are_solved_together_have_the_bits_of_each_alone() -> None:
    # Lanes are filled with columns of several meshes, whose Green functions are real or complex. A
    # mesh without charge has a potential of +0 throughout.
    shifts = [(0, 0), (0, 0), (5, -2), (0, 0), (5, -2), (-9, 0)]
    charges = np.random.default_rng(12).uniform(size=(len(shifts), 33, 30))
    charges[3] = 0.0
    expected = [solved(c, s, "lanes").tobytes() for c, s in zip(charges, shifts, strict=True)]
    for parts in (1, 3, 7, 16, 31, 40):
        found = by_parts(charges, shifts, parts)
        assert [mesh.tobytes() for mesh in found] == expected, parts


def test_charge_that_does_not_fill_the_mesh_leaves_no_trace_elsewhere() -> None:
    # The potential of a charge moved by whole cells is the potential moved.
    charge = np.zeros((40, 40))
    charge[3, 5] = 1.0
    moved = np.roll(charge, (20, 11), axis=(0, 1))
    first, second = (solved(c, (0, 0), "lanes") for c in (charge, moved))
    assert np.abs(first[:20, :29] - second[20:, 11:]).max() < 1e-14 * np.abs(first).max()


def test_transforms_in_lanes_cost_fewer_operations_and_bytes() -> None:
    # Half of the first additions of each transform, 2 n, are left out; a product with a real factor
    # takes 2 flops, and the factor 8 bytes.
    fftw, lanes = (core.doubled_grid(128, 64, transforms=by) for by in ("fftw", "lanes"))
    assert fftw["rows"]["flops"] - lanes["rows"]["flops"] == 128 * 0.5 * 2 * 128
    columns = "transformed_columns"
    assert fftw[columns]["flops"] - lanes[columns]["flops"] == 65 * (2 * 2 * 256 + 4 * 256)
    for card in (columns, "solve"):
        assert fftw[card]["bytes"] - lanes[card]["bytes"] == 8 * 65 * 256
    assert lanes["rows"]["bytes"] == fftw["rows"]["bytes"]
    for size in ("mx", "my", "columns", "row_stride", "column_stride"):
        assert lanes[size] == fftw[size]


def test_a_solver_of_one_mesh_solves_as_often_as_it_is_asked() -> None:
    charge = np.random.default_rng(4).uniform(size=(32, 48))
    solver = core.MeshSolver(32, 48, HX, HY, transforms="lanes")
    for times in (1, 3):
        solver.solve(times * charge, times)
        expected = solved(times * charge, (0, 0), "lanes")
        assert solver.potential().tobytes() == expected.tobytes()

"""Blocks of a grid on ranks, and the bits that do not depend on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.ocean_surface import depths, operator, right_side, sparse
from tests.sentences import refused

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")
from phasewise.errors import RunError, StudyError  # noqa: E402
from phasewise.workloads.ocean import NinePoint  # noqa: E402

ALL_SEA = np.ones((384, 320), np.uint8)


def test_a_halo_of_x1_on_sixteen_by_eight_ranks_is_two_messages_and_two_with_corners() -> None:
    found = core.ocean_layout(ALL_SEA, 128, process_grid=[16, 8])
    assert {block[2:4] for block in found["blocks"]} == {(20, 48)}
    for rank, sent in enumerate(found["messages"]):
        x, y = rank % 16, rank // 16
        # Two columns of 48 rows, to both sides of a ring; two rows of 20 + 4 columns.
        assert sorted(sent[:2]) == sorted([(0, (x + s) % 16 + 16 * y, 768) for s in (-1, 1)])
        to = [y + s for s in (-1, 1) if 0 <= y + s < 8]
        assert sorted(sent[2:]) == sorted([(1, x + 16 * row, 384) for row in to])


@pytest.mark.parametrize("distribution", ["cartesian", "balanced", "curve"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 24])
def test_every_cell_of_the_sea_is_in_one_block(distribution: str, ranks: int) -> None:
    sea = (depths(320, 384) > 0).astype(np.uint8)
    found = core.ocean_layout(sea, ranks, distribution, blocks=[20, 24])
    covered = np.zeros_like(sea, dtype=int)
    shares = np.zeros(ranks)
    for x, y, nx, ny, owner, cells in found["blocks"]:
        own = sea[y : y + ny, x : x + nx]
        assert cells == own.sum()
        assert (owner < 0) == (cells == 0)
        if owner >= 0:
            covered[y : y + ny, x : x + nx] += 1
            shares[owner] += cells
    assert (covered[sea > 0] == 1).all()
    if distribution != "cartesian":
        assert (shares > 0).all()
        # A share differs from the mean by less than the largest block at each of two cuts.
        assert shares.max() - sea.sum() / ranks <= 2 * 20 * 24


def test_shares_of_a_grid_differ_by_a_row_at_most() -> None:
    found = core.ocean_layout(ALL_SEA, 7)
    widths, heights = ({block[k] for block in found["blocks"]} for k in (2, 3))
    assert max(widths) - min(widths) <= 1
    assert max(heights) - min(heights) <= 1


def test_blocks_are_cut_between_tiles() -> None:
    found = core.ocean_layout(ALL_SEA, 7, tile=[12, 12])
    # 320 = 32 * 10 and 384 = 32 * 12.
    assert all(x % 10 == 0 and y % 12 == 0 for x, y, *_ in found["blocks"])


@pytest.mark.parametrize("distribution", ["cartesian", "balanced", "curve"])
def test_more_ranks_than_blocks_are_refused(distribution: str) -> None:
    sea = np.zeros((48, 40), np.uint8)
    sea[:24, :20] = 1
    with refused("ranks", "blocks", "largest number of ranks", by=ValueError):
        core.ocean_layout(sea, 24, distribution, blocks=[10, 12], process_grid=[24, 1])


WAYS = [
    {"blocks": (20, 12)},
    {"blocks": (10, 12), "distribution": "balanced"},
    {"blocks": (30, 24), "distribution": "curve"},
    {"threads": 3},
]


@pytest.mark.parametrize("preconditioner", ["none", "diagonal", "evp"])
def test_blocks_and_threads_leave_the_bits(preconditioner: str) -> None:
    coefficients, sea = operator(depths(60, 48), 3000.0)
    b = right_side(sea)
    one, *others = (
        [
            NinePoint(coefficients, sea, periodic_x=True, **way).solve(
                b, solver=method, preconditioner=preconditioner
            )
            for method in ("pcg", "chrongear", "pipelined", "pcsi")
        ]
        for way in ({}, *WAYS)
    )
    for other in others:
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine.solution, theirs.solution)
            np.testing.assert_array_equal(mine.residuals, theirs.residuals)
            assert mine.bounds == theirs.bounds


@pytest.mark.parametrize("preconditioner", ["none", "diagonal"])
def test_two_iterations_an_exchange_have_the_bits_of_one(preconditioner: str) -> None:
    coefficients, sea = operator(depths(60, 48), 3000.0)
    b = right_side(sea)
    for blocks in ((60, 48), (12, 8)):
        surface = NinePoint(coefficients, sea, periodic_x=True, blocks=blocks)
        one, two = (
            surface.solve(b, preconditioner=preconditioner, iterations_per_exchange=count)
            for count in (1, 2)
        )
        np.testing.assert_array_equal(one.solution, two.solution)


def test_any_positive_operator_is_solved_on_any_mask() -> None:
    from scipy.sparse.linalg import spsolve

    random = np.random.default_rng(3)
    ny, nx = 30, 37
    names = ("east", "north", "north_east", "north_west")
    coefficients = {name: random.normal(size=(ny, nx)) for name in names}
    sea = random.random((ny, nx)) < 0.8
    # The sum of eight magnitudes is below the centre.
    coefficients["centre"] = np.full(
        (ny, nx), 8.5 * max(abs(c).max() for c in coefficients.values())
    )
    b = np.where(sea, random.normal(size=(ny, nx)), 0.0)
    matrix = sparse(coefficients)
    wet = np.flatnonzero(sea)
    exact = spsolve(matrix[wet][:, wet].tocsc(), b.ravel()[wet])
    surface = NinePoint(coefficients, sea, periodic_x=True, blocks=(9, 10))
    for preconditioner in ("none", "diagonal", "evp"):
        for method in ("pcg", "chrongear", "pipelined", "pcsi"):
            found = surface.solve(b, solver=method, preconditioner=preconditioner, evp_block=(6, 5))
            assert np.abs(found.solution.ravel()[wet] - exact).max() < 1e-11 * np.abs(exact).max()


def test_what_cannot_be_solved_is_said_in_a_sentence() -> None:
    coefficients, sea = operator(depths(60, 48), 3000.0)
    b = right_side(sea)
    surface = NinePoint(coefficients, sea, periodic_x=True)
    with refused("does not converge", "3 iterations", "condition number", by=RunError):
        surface.solve(b, solver="pcg", preconditioner="diagonal", most_iterations=3)
    with refused("evp_block = 40 x 48", "too large", "largest that hold have", by=StudyError):
        surface.solve(b, evp_block=(40, 48))
    with refused("solver", '"pgc"', nearest="pcg"):
        surface.solve(b, solver="pgc")
    with refused("derived", "cannot add", "irecv-isend", by=StudyError):
        surface.solve(b, solver_sum_protocol="derived")
    with refused("b has the shape", by=StudyError):
        surface.solve(b[1:])
    with refused("land alone", by=StudyError):
        NinePoint(coefficients, np.zeros_like(sea))
    with refused("not positive", "cell", by=StudyError):
        NinePoint(coefficients | {"centre": -coefficients["centre"]}, sea)
    indefinite = coefficients | {"north_east": 10 * coefficients["north_east"]}
    with refused("not positive", "iterations", by=RunError):
        NinePoint(indefinite, sea, periodic_x=True).solve(
            b, solver="pcg", preconditioner="diagonal"
        )

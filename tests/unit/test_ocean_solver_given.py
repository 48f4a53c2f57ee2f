"""What the elliptic solver of an ocean is given: arguments that cannot be used, and land that does
not count.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.ocean_surface import depths, operator, right_side
from tests.sentences import refused

pytest.importorskip("phasewise._core", reason="the core is not built")
from phasewise.workloads.ocean import NinePoint

COEFFICIENTS, SEA = operator(depths(40, 36), 20000.0)
B = right_side(SEA)
SHARED = {"solver": "pcsi", "preconditioner": "diagonal", "iterations_per_exchange": 2}


def surface(**own: Any) -> NinePoint:
    return NinePoint(COEFFICIENTS, SEA, periodic_x=True, **own)


@pytest.mark.parametrize(
    ("own", "facts"),
    [
        ({"evp_block": 12}, ["evp_block", "a list of 2 integers", 12]),
        ({"evp_block": (12,)}, ["evp_block", "a list of 2 integers", "[12]"]),
        ({"evp_block": (12, 1)}, ["evp_block = 1", "at least 2"]),
        ({"most_iterations": "100"}, ["most_iterations", "integer", '"100"']),
        ({"most_iterations": 0}, ["most_iterations = 0", "at least 1"]),
        ({"check_every": 2.5}, ["check_every", "integer", 2.5]),
        ({"iterations": 0}, ["iterations = 0", "at least 1"]),
        ({"iterations": -3}, ["iterations = -3", "at least 1"]),
        ({"tolerance": "x"}, ["tolerance", "a number", '"x"']),
        ({"tolerance": float("nan")}, ["tolerance", "a finite number", "nan"]),
        ({"tolerance": -1}, ["tolerance = -1", "at least 1e-16"]),
        ({"tolerance": -1, "iterations": 5}, ["tolerance = -1", "at least 1e-16"]),
        ({"iterations_per_exchange": 3}, ["iterations_per_exchange = 3", "at most 2"]),
        ({"iterations_per_exchange": 2}, ["iterations_per_exchange = 2", "'diagonal'"]),
        (SHARED | {"iterations": 5}, ["iterations = 5", "even", "share each exchange"]),
        (SHARED | {"check_every": 5}, ["check_every = 5", "even", "share each exchange"]),
        (SHARED | {"most_iterations": 5}, ["most_iterations = 5", "even", "share each exchange"]),
    ],
)  # fmt: skip
def test_a_solve_refuses_what_it_cannot_use(own: dict[str, Any], facts: list[object]) -> None:
    with refused(*facts, by=ValueError):
        surface().solve(B, **own)


@pytest.mark.parametrize(
    ("own", "facts"),
    [
        ({"blocks": 20}, ["blocks", "a list of 2 integers", 20]),
        ({"blocks": (20, 1)}, ["blocks = 1", "at least 2"]),
        ({"process_grid": "1x1"}, ["process_grid", "a list of 2 integers", '"1x1"']),
        ({"process_grid": (2, 1)}, ["process grid 2x1", "2 ranks"]),
        ({"threads": "2"}, ["threads", "integer", '"2"']),
        ({"threads": 0}, ["threads = 0", "at least 1"]),
        ({"periodic_y": "no"}, ["periodic_y", "true or false", '"no"']),
    ],
)
def test_an_operator_refuses_what_it_cannot_use(own: dict[str, Any], facts: list[object]) -> None:
    with refused(*facts, by=ValueError):
        surface(**own).solve(B)


def test_names_are_offered() -> None:
    with refused("distribution", '"ballanced"', nearest="balanced"):
        surface(distribution="ballanced")
    with refused("preconditioner", '"evb"', nearest="evp"):
        surface().precondition(B, "evb")
    with refused("the coefficient", '"nort_east"', nearest="north_east"):
        NinePoint(COEFFICIENTS | {"nort_east": B}, SEA)


def test_arrays_that_cannot_be_used_are_named() -> None:
    with refused("b must be an array of real numbers"):
        surface().solve([[1.0], [1.0, 2.0]])
    with refused("mask must be an array of real numbers"):
        NinePoint(COEFFICIENTS, [[True], [True, False]])
    with refused("mask has the shape (35, 40)", "(36, 40)"):
        NinePoint(COEFFICIENTS, SEA[1:])
    j, i = np.argwhere(SEA)[7]
    wrong = B.copy()
    wrong[j, i] = np.nan
    with refused(f"b is nan at cell ({j}, {i})", "finite"):
        surface().solve(wrong)
    wrong = COEFFICIENTS["centre"].copy()
    wrong[j, i] = np.inf
    with refused(f"centre is inf at cell ({j}, {i})", "finite"):
        NinePoint(COEFFICIENTS | {"centre": wrong}, SEA)


def lacking(array: Any) -> Any:
    """An array that has no numbers on land."""
    return np.where(SEA, array, np.nan)


@pytest.mark.parametrize("preconditioner", ["none", "diagonal", "evp"])
def test_land_may_have_no_numbers(preconditioner: str) -> None:
    assert not SEA.all()
    own = {"solver": "pcsi", "preconditioner": preconditioner}
    given = {name: lacking(array) for name, array in COEFFICIENTS.items()}
    land = NinePoint(given, SEA, periodic_x=True)
    mine, theirs = land.solve(lacking(B), lacking(B), **own), surface().solve(B, B, **own)
    np.testing.assert_array_equal(mine.solution, theirs.solution)
    np.testing.assert_array_equal(mine.residuals, theirs.residuals)
    np.testing.assert_array_equal(
        land.precondition(lacking(B), preconditioner), surface().precondition(B, preconditioner)
    )


def test_couplings_that_lead_nowhere_may_have_no_numbers() -> None:
    random = np.random.default_rng(5)
    names = ("east", "north", "north_east", "north_west")
    finite = {name: random.normal(size=SEA.shape) for name in names}
    # The sum of eight magnitudes is below the centre.
    finite["centre"] = np.full(SEA.shape, 8.5 * max(abs(c).max() for c in finite.values()))
    given = {name: array.copy() for name, array in finite.items()}
    ashore = SEA & ~np.roll(SEA, -1, axis=1)
    given["east"][ashore] = given["east"][:, -1] = np.nan
    given["north"][-1] = given["north_east"][-1] = given["north_west"][:, -1] = np.inf
    mine, theirs = (NinePoint(one, SEA).solve(B).solution for one in (given, finite))
    np.testing.assert_array_equal(mine, theirs)
    # Around a periodic axis the last column is coupled with the first one.
    with refused("east is nan at cell"):
        NinePoint(given | {"north_west": finite["north_west"]}, np.ones_like(SEA), periodic_x=True)

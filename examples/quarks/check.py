"""The notebook's cells run in order, and what they leave behind is physics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tests.notebooks import cells_of, names_left

NOTEBOOK = Path(__file__).with_name("quarks.ipynb")

pytest.importorskip("phasewise._core", reason="the core is not built")


@pytest.fixture(scope="module")
def left() -> Iterator[dict[str, Any]]:
    """The names that the notebook leaves behind."""
    with names_left(NOTEBOOK) as names:
        yield names
        names["folder"].cleanup()


def test_the_notebook_holds_no_outputs() -> None:
    assert all(not cell.get("outputs") for cell in cells_of(NOTEBOOK))


def test_the_operator_and_its_solution_hold_to_rounding(left: dict[str, Any]) -> None:
    # Sums of 9216 products of size 1.
    assert abs(left["adjoint"]) < 1e-10
    assert left["left"] == pytest.approx(left["solution"].residual, rel=0.01)
    assert left["solution"].residual < 1e-11


def test_the_pion_is_the_square_of_the_propagator(left: dict[str, Any]) -> None:
    squares = (np.abs(left["point"].array) ** 2).sum(axis=(1, 2, 3, 4, 5, 6, 7))
    assert np.allclose(left["pion"][0], np.roll(squares, -2), rtol=1e-12, atol=0)
    assert np.array_equal(left["again"].array, left["point"].array)


def test_energies_rise_with_momentum(left: dict[str, Any]) -> None:
    rest, one, two = left["energies"]
    assert 0 < rest < one < two
    # A wider source has less of the states above the lowest one.
    assert left["widened"][1] < left["energies"][0] + 1.0


def test_errors_are_those_of_four_configurations(left: dict[str, Any]) -> None:
    samples = left["samples"]
    assert samples.shape == (4, 12)
    assert np.allclose(left["correlator_error"], samples.std(axis=0, ddof=1) / 2)
    assert (left["mass_error"] < 0.2 * left["mass"]).all()


@pytest.mark.usefixtures("left")
def test_the_picture_is_drawn() -> None:
    (figure,) = (plt.figure(number) for number in plt.get_fignums())
    assert [len(axes.lines) for axes in figure.axes] == [3]

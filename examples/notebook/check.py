"""The notebook's cells run in order, and what they leave behind agrees with the study."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tests.notebooks import cells_of, names_left

NOTEBOOK = Path(__file__).with_name("python.ipynb")

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")


@pytest.fixture(scope="module")
def left() -> Iterator[dict[str, Any]]:
    """The names that the notebook leaves behind."""
    with names_left(NOTEBOOK) as names:
        yield names


def test_the_notebook_holds_no_outputs() -> None:
    assert all(not cell.get("outputs") for cell in cells_of(NOTEBOOK))


def test_the_ranks_ran_the_study_as_it_was_changed(left: dict[str, Any]) -> None:
    results = left["results"]
    assert results.attributes["ranks"] == 2
    assert len(results) == left["study"].turns == 100
    assert results.study == left["study"].resolved()


def test_the_luminosity_is_that_of_gaussian_bunches(left: dict[str, Any]) -> None:
    nominal = left["study"].derived()["ips"][0]["luminosity_per_second"]
    # N = 2000 samples of each bunch: sizes are known to 1/√(2N) = 1.6 %, in two planes and two
    # beams; 5 % is three times that of a luminosity. Two slices see less of the crossing angle.
    assert np.mean(left["results"].luminosity_rate) == pytest.approx(nominal, rel=0.05)


@pytest.mark.usefixtures("left")
def test_every_picture_is_drawn() -> None:
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert [len(figure.axes) for figure in figures] == [2, 2]
    assert all(axes.lines for figure in figures for axes in figure.axes)

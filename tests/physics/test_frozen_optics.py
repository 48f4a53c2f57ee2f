"""A frozen field whose sizes follow from the lattice's optics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.workloads.spacecharge.model import model_of
from phasewise.workloads.spacecharge.optics import optics_of
from tests.sentences import refused
from tests.unit.spacecharge_study import study

pytest.importorskip("phasewise._core", reason="the core is not built")

CELL: list[dict[str, Any]] = [
    {"kind": "quadrupole", "length": 0.2, "k1": 1.5},
    {"kind": "bend", "length": 1.0, "angle": 0.2},
    {"kind": "quadrupole", "length": 0.2, "k1": -1.5},
    {"kind": "bend", "length": 1.0, "angle": 0.2},
]
"""Its middle, where the only kick is, lies between two elements."""
BUNCH: dict[str, Any] = {
    "kinetic_energy": 8e8,
    "bunch_population": 1e11,
    "macroparticles": 2000,
    "geometric_emittance": [3e-6, 1e-6],
    "momentum_spread": 2e-3,
    "bunch_length": 0.5,
    "beta": None,
    "alpha": None,
    "cut": 0.0,
}


def made(sizes: Any, elements: list[dict[str, Any]] | None = None, **bunch: Any) -> Any:
    """A study of one kick in the middle of the cell."""
    tables = {name: value for name, value in (BUNCH | bunch).items() if value is not None}
    return phasewise.Study.from_dict(
        {
            "workload": "spacecharge",
            "turns": 1,
            "bunch": tables,
            "lattice": {"element": elements or CELL},
            "solver": {"kicks": 1, "kind": "frozen"} | ({"sizes": sizes} if sizes else {}),
        }
    )


def after_a_turn(given: Any) -> Any:
    """(6, n) coordinates by number."""
    simulation = phasewise.Simulation(given)
    simulation.step()
    found = simulation.driver.particles()
    order = np.argsort(found["id"])
    names = ("x", "px", "y", "py", "z", "delta")
    return np.array([np.asarray(found[name])[order] for name in names])


def sizes_at_the_middle(given: Any) -> list[float]:
    """σ at the kick by the columns of `twiss`."""
    model = model_of(given)
    middle = optics_of(model).along[len(CELL) // 2]
    bx, dx, by = middle[1], middle[4], middle[6]
    ex, ey = BUNCH["geometric_emittance"]
    x = np.hypot(np.sqrt(ex * bx), BUNCH["momentum_spread"] * dx)
    return [float(x), float(np.sqrt(ey * by)), BUNCH["bunch_length"]]


def test_the_sizes_are_those_of_twiss_with_dispersion() -> None:
    optics = made("optics")
    found, expected = after_a_turn(optics), after_a_turn(made(sizes_at_the_middle(optics)))
    free = after_a_turn(made([1e3, 1e3, 1e3]))
    kick = np.abs(expected - free).max(axis=1)[[1, 3]]
    assert np.all(kick > 0)
    # Two ways to the same β and D.
    assert np.all(np.abs(found - expected).max(axis=1)[[1, 3]] < 1e-8 * kick)


def test_a_bunch_meets_on_average_the_sizes_that_it_has() -> None:
    found, measured = after_a_turn(made("optics", quiet=True)), after_a_turn(made(None, quiet=True))
    free = after_a_turn(made([1e3, 1e3, 1e3], quiet=True))
    for row in (1, 3):
        # Variances of a quiet start of 2000 are good to some thousandths.
        assert (found - free)[row].std() == pytest.approx((measured - free)[row].std(), rel=0.02)


def test_the_field_stands_on_the_closed_orbit(tmp_path: Path) -> None:
    corrector = {"kind": "multipole", "normal": [-1e-3], "skew": [5e-4]}
    elements = [*CELL[:1], corrector, *CELL[1:]]
    orbit = optics_of(model_of(made("optics", elements))).closed_orbit
    assert abs(orbit[0]) > 1e-3
    path = tmp_path / "orbit.npy"
    np.save(path, np.tile(orbit, (BUNCH["macroparticles"], 1)))

    def moved(sizes: Any) -> float:
        after = after_a_turn(made(sizes, elements, particles=str(path)))
        return float(np.abs(after[[1, 3]] - np.array(orbit)[[1, 3], None]).max())

    # Newton's method closes to 1e-14; a field about the reference orbit kicks.
    assert moved("optics") < 1e-12
    assert moved([5e-3, 2e-3, 0.5]) > 1e-9


@pytest.mark.parametrize(
    ("sizes", "more", "facts"),
    [
        ("optic", {}, ("solver.sizes", '"optic"', '"optics"')),
        ([1e-3, 1e-3], {}, ("solver.sizes", 3)),
        ("optics", {"matched": "with-charge"}, ("solver.sizes", "with-charge", '"lattice"')),
    ],
)
def test_sizes_that_no_optics_give_are_refused(
    sizes: Any, more: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        made(sizes, **more)


def test_only_a_frozen_field_takes_sizes() -> None:
    with refused("solver.sizes", '"frozen"'):
        study("solver.sizes=optics")

"""Bunches of a collision in a ring whose correctors move the orbit."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.workloads.spacecharge.optics import closed_orbit_of
from tests.unit.ring_study import TABLES, study

pytest.importorskip("phasewise._core", reason="the core is not built")

KICK = 5e-5


def bumped(*overrides: str, **more: Any) -> phasewise.Study:
    """The ring with a corrector, without kicks of other bunches."""
    lattice = copy.deepcopy(TABLES["lattice"])
    lattice["element"] = [one for one in lattice["element"] if one["kind"] != "aperture"]
    lattice["element"].insert(1, {"kind": "multipole", "normal": [-KICK], "skew": [KICK / 2]})
    quiet = ("ip.1.model=none", "solver.kicks=0", "beam.1.distribution=quiet")
    return study(*quiet, *overrides, lattice=lattice, **more)


def lattice_orbit(ring: phasewise.Study, number: int = 1) -> np.ndarray:
    """The closed orbit of a beam's bunch."""
    model = ring.model.parts["spacecharge"]
    (bunch,) = (one for one in model.bunches if one.number == number)
    return np.array(closed_orbit_of(model, bunch))


def means(ring: phasewise.Study, turns: int) -> np.ndarray:
    """The mean of beam 1 on arrival at the point in each turn (turns, 6)."""
    simulation = phasewise.Simulation(ring)
    found = []
    for _ in range(turns):
        simulation.step()
        found.append(np.asarray(simulation.record()["collision/beam1/mean"]))
    return np.array(found)


def test_bunches_start_and_stay_on_the_closed_orbit() -> None:
    ring = bumped("turns=5")
    orbit = lattice_orbit(ring)
    assert np.all(np.abs(orbit[:4]) > 1e-6)
    reference = means(bumped("turns=5", "beam.1.orbit=reference"), 5)
    found = means(ring, 5)
    # The means of a quiet start of 1501 particles, the same for both, and not matched.
    for row in found:
        assert np.abs(row[:4] - orbit[:4]).max() < 0.05 * np.abs(orbit[:4]).max()
    assert np.abs(reference[:, 0] - orbit[0]).max() > 0.5 * abs(orbit[0])


def test_the_offset_is_counted_from_the_orbit() -> None:
    ring = bumped("beam.1.offset=[1e-4, 0, 0, 0, 0, 0]")
    rows = dict(line.split(" = ") for line in ring.parameters().splitlines() if " = " in line)
    assert [float(v) for v in rows["beam.1.orbit"].split()] == pytest.approx(
        lattice_orbit(ring), abs=1e-15
    )
    assert rows["beam.2.orbit"] == rows["beam.1.orbit"]
    assert float(rows["beam.1.offset"].split()[0]) == 1e-4


def test_each_beam_starts_on_the_orbit_of_its_own_energy() -> None:
    cavity = {"kind": "cavity", "voltage": 1e6, "frequency": 1.0001e6, "phase": 0.5}
    ring = bumped()
    tables = ring.resolved()
    tables["lattice"]["element"].append(cavity)
    tables["beam"]["2"]["energy"] *= 0.5
    both = phasewise.Study.from_dict(tables)
    rows = dict(line.split(" = ") for line in both.parameters().splitlines() if " = " in line)
    for number in (1, 2):
        found = [float(v) for v in rows[f"beam.{number}.orbit"].split()]
        assert found == pytest.approx(lattice_orbit(both, number), abs=1e-15)
    assert rows["beam.1.orbit"] != rows["beam.2.orbit"]


def test_a_lattice_without_correctors_asks_for_no_orbit() -> None:
    assert "orbit" not in study().parameters()


@pytest.mark.parametrize(
    "arc",
    [
        {"tune": [0.31, 0.32]},
        {"matrix": np.eye(6).tolist(), "damping_turns": [100.0, 100.0, 50.0]},
        {"matrix": np.eye(6).tolist(), "feedback": {"gain": [0.1, 0.1]}},
    ],
)
def test_where_the_arc_moves_the_bunch_the_orbit_is_not_the_lattices(arc: dict[str, Any]) -> None:
    assert "orbit" not in bumped(arc=arc).parameters()

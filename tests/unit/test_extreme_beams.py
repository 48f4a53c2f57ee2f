"""Beams of one particle, and beams that hardly move: what is said of them, and what is not."""

from __future__ import annotations

import numpy as np
import pytest

import phasewise
from phasewise.constants import ELECTRON_MASS
from phasewise.study import Study
from tests.sentences import refused
from tests.unit.study_tables import tables


def warnings(**changes: object) -> list[str]:
    return list(Study.from_dict(tables(**changes)).derived()["warnings"])


WEAK = {
    "beam__1__macroparticles": 1,
    "ip__1__model": "weak-strong",
    "ip__1__strong_beam": 2,
    "ip__1__slices": 15,
    "ip__1__grid": None,
    "turns": 2,
}


def test_one_tracked_particle_meets_the_slices_of_a_strong_beam() -> None:
    assert not [text for text in warnings(**WEAK) if "macroparticle" in text]
    pytest.importorskip("phasewise._core", reason="the core is not built")
    kicks = []
    for slices in (15, [1, 15]):
        run = phasewise.Simulation(Study.from_dict(tables(**WEAK | {"ip__1__slices": slices})))
        run.step()
        kicks.append(run.record()["beam1/mean"])
    # The particle meets each strong slice where it is, however its own beam is cut.
    np.testing.assert_array_equal(kicks[0], kicks[1])


def test_few_particles_are_said_in_the_singular_and_in_one_slice() -> None:
    few = {"beam__1__macroparticles": 1, "ip__1__slices": 1}
    (one, other) = (text for text in warnings(**few) if "macroparticle" in text)
    assert one.startswith("beam 1 has 1 macroparticle at ip.1, fewer than 100")
    assert other.startswith("beam 2 has 1 macroparticle at")
    several = warnings(beam__1__macroparticles=150, ip__1__slices=2)
    assert any("fewer than 100 of the 150 macroparticles of beam 1" in text for text in several)


def test_an_energy_that_is_hardly_more_than_the_mass_is_said_and_ends_in_a_sentence() -> None:
    slow = {
        "beam__1__particle": "electron",
        "beam__2__particle": "positron",
        "beam__1__energy": 511e3,
        "beam__1__normalized_emittance": None,
        "beam__1__size": [1e-5, 1e-5],
        "ip__1__half_crossing_angle": 0.0,
        "ip__1__slices": 1,
        "turns": 3,
    }
    (first, _) = (text for text in warnings(**slow) if "rest energy" in text)
    assert "beam.1.energy = 511000" in first and f"{ELECTRON_MASS:g}" in first
    pytest.importorskip("phasewise._core", reason="the core is not built")
    with refused("turn", "beam 1", "axis", "px", by=phasewise.RunError):
        phasewise.run(Study.from_dict(tables(**slow)))

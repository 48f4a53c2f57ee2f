"""What a summary says of a beam whose population changes by a ramp."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from phasewise.workloads.collision.lifetimes import lifetimes_of
from phasewise.workloads.collision.populations import per_macroparticle
from phasewise.workloads.collision.radiation import bhabha_of

TURNS = 4
POPULATION = np.array([1.0, 1.0, 2.0, 3.0]) * 1e10
"""By a ramp of the turns 1 to 3."""


def results() -> Any:
    """A run of 1000 macroparticles, of which every turn takes as large a share."""
    beam = {
        "bunch_population": 1e10,
        "macroparticles": 1000,
        "population_ramp": {"turns": [1, 3], "particles": [1e10, 3e10]},
    }
    study = {
        "beam": {"1": beam},
        "arc": {"1": {"momentum_aperture": [0.01, 0.01]}},
        "ip": {"1": {"bhabha": {"scale": 10.0}}},
    }
    counts = np.full((TURNS, 1), 20)
    records = SimpleNamespace(
        particles=np.full(TURNS, 1000),
        losses=np.zeros(TURNS, dtype=int),
        lost_by_energy=0 * counts,
        bhabha_lost=0 * counts,
        bhabha_events=counts,
        bhabha_expected=2e-3 * POPULATION[:, None],
        bhabha_losses_expected=1e-3 * POPULATION[:, None],
    )
    return SimpleNamespace(
        study=study,
        derived={"beams": [{"revolution_frequency": None}]},
        beam=lambda _number: records,
    )


def test_a_macroparticle_stands_for_as_many_as_the_ramp_says() -> None:
    study = results().study
    assert per_macroparticle(study, 1, np.arange(float(TURNS))) == pytest.approx(POPULATION / 1000)
    assert per_macroparticle(study, 1, 2) == pytest.approx(2e7)
    del study["beam"]["1"]["population_ramp"]
    assert per_macroparticle(study, 1, np.arange(float(TURNS))) == pytest.approx([1e7] * TURNS)


def test_the_lifetime_is_that_of_the_losses_over_the_population_of_their_turn() -> None:
    assert lifetimes_of(results(), 1)["lifetime"]["bhabha"]["turns"] == pytest.approx(1000)


def test_events_that_are_drawn_stand_for_the_particles_of_their_turn() -> None:
    found = bhabha_of(results(), 1)["bhabha"]
    # 20 of 1000 macroparticles, and 10 drawn for one: 2e-3 of the population.
    assert found["events"] == pytest.approx(found["expected"])
    each = POPULATION / 1000
    assert found["error"] == pytest.approx(np.sqrt((each**2 * 20 / 100).sum()) / TURNS)

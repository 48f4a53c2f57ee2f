"""How many particles a macroparticle stands for in a run whose population changes by a ramp."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from phasewise.workloads.collision.populations import per_macroparticle

TURNS = np.arange(4.0)
POPULATION = np.array([1.0, 1.0, 2.0, 3.0]) * 1e10


def test_a_macroparticle_stands_for_as_many_as_the_ramp_says() -> None:
    beam: dict[str, Any] = {
        "bunch_population": 1e10,
        "macroparticles": 1000,
        "population_ramp": {"turns": [1, 3], "particles": [1e10, 3e10]},
    }
    study = {"beam": {"1": beam}}
    assert per_macroparticle(study, 1, TURNS) == pytest.approx(POPULATION / 1000)
    assert per_macroparticle(study, 1, 2) == pytest.approx(2e7)
    del beam["population_ramp"]
    assert per_macroparticle(study, 1, TURNS) == pytest.approx([1e7] * len(TURNS))

"""A Hasenbusch mass takes force from the light quarks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import phasewise
from phasewise.runs.summary import summarise

STUDY = Path(__file__).parent / "study.toml"
SMALL = [
    "lattice.size=[4,4,4,4]", "quarks.kappa=0.125", "gauge.start=cold", "trajectories=3",
    "measure.every=3", "measure.flow.until=0.2", "measure.thermalisation=1", "update.length=0.5",
]  # fmt: skip


def ran(*changes: str) -> tuple[dict[str, Any], float]:
    """The monomials of the summary, and the largest change of energy."""
    with phasewise.run(phasewise.load(STUDY, [*SMALL, *changes])) as results:
        return summarise(results)["monomials"], float(np.abs(results.rows("delta_h")).max())


def test_a_mass_makes_the_force_of_the_light_quarks_small() -> None:
    split, change = ran()
    whole, other = ran("update.hasenbusch=[]", "update.steps=[8,3]")
    assert set(split) == {"gauge", "quarks", "hasenbusch_1"}
    assert split["quarks"]["force"] < 0.5 * whole["quarks"]["force"]
    # The heavy factor has most of the force, and its solves take fewer iterations.
    assert split["hasenbusch_1"]["force"] > split["quarks"]["force"]
    solves = {"quarks": 2 * 5 + 3 + 1, "hasenbusch_1": 2 * 5 * 2 * 3 + 3}
    mean = {name: split[name]["iterations"] / solves[name] for name in solves}
    assert mean["hasenbusch_1"] < mean["quarks"]
    # Both integrate well: an acceptance of erfc(½ √⟨ΔH⟩) above a half.
    assert change < 1.5 and other < 1.5

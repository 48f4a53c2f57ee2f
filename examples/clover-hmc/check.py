"""Trajectories of clover quarks: ΔH against the step, the same bits on threads, and the pion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.runs.summary import summarise

STUDY = Path(__file__).parent / "study.toml"
SMALL = [
    "lattice.size=[4,4,4,4]", "quarks.kappa=0.12", "measure.every=2", "measure.flow.until=0.2",
    "solver.tolerance=1e-8",
]  # fmt: skip


def ran(*changes: str, threads: int = 1) -> Any:
    return phasewise.run(phasewise.load(STUDY, [*SMALL, *changes]), threads=threads)


def test_half_the_step_has_a_quarter_of_the_change_of_energy() -> None:
    # Both start from the same links, momenta and pseudofermions. What is left of the fourth power
    # of the step is a tenth of the second one at these steps.
    def change(steps: int) -> float:
        with ran(f"update.steps=[{steps},2]", "trajectories=1", "measure.every=1") as results:
            return float(results.rows("delta_h")[0])

    changes = [change(steps) for steps in (8, 16)]
    assert changes[0] / changes[1] == pytest.approx(4, rel=0.3)


def test_trajectories_have_the_same_bits_on_two_threads() -> None:
    keys = ("trajectories=1", "measure.every=1")
    with ran(*keys) as one, ran(*keys, threads=2) as two:
        for name in ("delta_h", "plaquette_time", "action_quarks", "force_gauge", "pion"):
            assert one.rows(name).tobytes() == two.rows(name).tobytes()
        assert one.rows("accepted").tolist() == two.rows("accepted").tolist()
        summary = summarise(one)
    assert set(summary["monomials"]) == {"gauge", "quarks"}
    assert summary["monomials"]["quarks"]["iterations"] > 0
    pion = np.array(summary["correlators"]["pion"])
    assert (pion > 0).all() and summary["solver"]["residual"] < 1e-4

"""Runs of which nothing is left to compute end at once, with one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.driver import load_core
from phasewise.errors import RunError
from phasewise.study import Study
from tests.sentences import refused
from tests.unit.fake_core import FakeSimulation, World, tables

pytest.importorskip("phasewise._core", reason="the core is not built")


def study(**changes: Any) -> Study:
    plan = tables()
    for name, change in changes.items():
        plan[name] |= change
    return Study.from_dict(plan)


@pytest.mark.parametrize("model", ["strong-strong", "soft-gaussian", "weak-strong"])
def test_a_beam_that_is_wholly_lost_ends_the_run(tmp_path: Path, model: str) -> None:
    plan = study(arc={"aperture_sigma": [1e-9, 1e-9]}, beam={})
    plan = Study.from_dict(
        plan.resolved() | {"ip": {"1": plan.resolved()["ip"]["1"] | {"model": model}}}
    )
    with refused("turn 1", "beam 1", "lost", by=RunError):
        phasewise.run(plan, tmp_path)
    with phasewise.open_results(tmp_path) as results:
        assert results.turn.tolist() == [0, 1]
        assert not results.complete


def test_every_rank_knows_of_it_and_one_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = FakeSimulation.record
    nothing = {"luminosity": np.array([np.nan])}
    monkeypatch.setattr(FakeSimulation, "record", lambda self: record(self) | nothing)

    def body(rank: Any) -> str:
        with refused("turn 0", "luminosity", "finite", by=RunError) as caught:
            phasewise.run(study(), tmp_path, core=rank)
        return str(caught.value)

    assert len(set(World(3).run(body))) == 1


def test_a_longitudinal_beta_function_without_bound_is_refused_before_the_run() -> None:
    plan = tables()
    plan["beam"]["1"]["momentum_spread"] = 1e-320
    with refused("bunch_length", "momentum_spread", "inf m"):
        Study.from_dict(plan)


def test_slices_too_far_apart_for_their_size_are_refused_in_one_sentence() -> None:
    plan = tables()
    for number in ("1", "2"):
        plan["beam"][number] = plan["beam"]["1"] | {"normalized_emittance": [1e-25, 1e-25]}
    # Sizes are known to some 1e-8 of the offset, so that it takes many cells in a size.
    plan["ip"]["1"]["grid"] = [4096, 16]
    plan["beam"]["1"]["offset"] = [0.5, 0, 0, 0, 0, 0]
    plan["beam"]["2"]["offset"] = [-0.5, 0, 0, 0, 0, 0]
    simulation = phasewise.Simulation(Study.from_dict(plan), core=load_core())
    with refused("slices", "apart", "x", by=RunError) as caught:
        simulation.step()
    assert str(caught.value).isprintable()

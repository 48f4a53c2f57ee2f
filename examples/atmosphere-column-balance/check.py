"""Loads of every scheme on the solstice, and runs whose results do not depend on the scheme."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

import phasewise
from phasewise.workloads.atmosphere.driver import Schedule, schedule_of

STUDY = Path(__file__).parent / "study.toml"
RANKS = 16


def at(scheme: str, timestep: int = 0, ranks: int = RANKS) -> Schedule:
    """The schedule of a scheme."""
    study = phasewise.load(STUDY, [f"communication.balance={scheme}"])
    return schedule_of(study, ranks, timestep)


def test_half_of_the_columns_are_lit_at_every_hour() -> None:
    for timestep in (0, 7, 23):
        assert at("none", timestep).lit.mean() == 0.5


def test_the_load_is_that_of_ranks_that_are_lit_all_day() -> None:
    found = at("none")
    night, day = np.unique(found.cost)
    # A rank around the pole has lit columns alone, and the mean rank has half of them.
    assert found.before.max() == pytest.approx(2 * day / (night + day), rel=1e-12)


def test_every_scheme_but_none_evens_out_the_load() -> None:
    moved = {}
    for scheme in ("twin", "pairs", "all"):
        found = at(scheme)
        assert found.after.max() == pytest.approx(1.0, abs=1e-12)
        moved[scheme] = found.moved
    assert moved["all"] == moved["pairs"]
    # Half of the columns have their twins on another rank, with bands of latitude all of them.
    assert moved["twin"] == len(at("twin").owner) // 2


def test_all_moves_no_column_that_could_stay() -> None:
    found = at("all")
    lit = np.bincount(found.owner[found.lit], minlength=RANKS)
    surplus = int((lit - lit.mean()).clip(min=0).sum())
    # As many dark columns come back for the lit ones that go.
    assert found.moved == 2 * surplus
    assert np.bincount(found.holder).tolist() == np.bincount(found.owner).tolist()


def test_results_do_not_depend_on_the_scheme() -> None:
    rows = []
    for scheme in ("none", "all"):
        changes = [f"communication.balance={scheme}", "atmosphere.grid=[8,16]",
                   "atmosphere.levels=6", "records.snapshots_every=0", "timesteps=6"]  # fmt: skip
        with phasewise.run(phasewise.load(STUDY, changes)) as results:
            rows.append(np.asarray(results.rows("surface_temperature")))
            assert np.max(results.rows("energy_residual")) < 1e-9
    np.testing.assert_array_equal(*rows)

"""Loads of a table of costs beside those that NumPy adds up, and where the best scheme changes."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

import phasewise
from phasewise.machines import load_machine
from phasewise.study import Study
from phasewise.tuning.automatic import settle
from phasewise.workloads.atmosphere.crossover import cross_over
from phasewise.workloads.atmosphere.driver import schedule_of

FOLDER = Path(__file__).parent
seconds = runpy.run_path(str(FOLDER / "costs.py"))["seconds"]
RANKS, GRID = 32, "8x4"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The study beside its table."""
    folder = tmp_path_factory.mktemp("own-costs")
    shutil.copy(FOLDER / "study.toml", folder)
    np.savetxt(folder / "costs.csv", seconds(), delimiter=",", fmt="%.6e")
    changes = [f"communication.process_grid={GRID}", "communication.node_size=4"]
    return phasewise.load(folder / "study.toml", changes)


def with_scheme(study: Study, name: str) -> Study:
    return study.replace(**{"communication.balance": name})


def test_the_load_of_blocks_is_what_numpy_adds_up(study: Study) -> None:
    blocks = seconds().reshape(8, 6, 4, 24).sum(axis=(1, 3)).ravel()
    found = schedule_of(with_scheme(study, "none"), RANKS, 0)
    # The table has seven digits.
    np.testing.assert_allclose(found.before, blocks / blocks.mean(), rtol=1e-6)


def test_all_evens_out_what_pairs_and_nodes_cannot(study: Study) -> None:
    loads = {
        name: float(schedule_of(with_scheme(study, name), RANKS, 0).after.max())
        for name in ("none", "node", "pairs", "all")
    }
    assert loads["all"] < 1.02 < loads["pairs"] < loads["none"]
    assert loads["all"] < loads["node"] < loads["none"]


def test_the_best_scheme_depends_on_the_machine(study: Study) -> None:
    free = with_scheme(study.replace(**{"communication.process_grid": "auto"}), "auto")
    best = {
        machine: settle(free, 64, load_machine(machine)).study.communication.balance
        for machine in ("phoenix", "seaborg")
    }
    assert best == {"phoenix": "all", "seaborg": "none"}


def test_with_slow_messages_nothing_pays_and_with_fast_ones_all_does(study: Study) -> None:
    found = cross_over(study, load_machine("phoenix"), RANKS, (1e-3, 1e-2, 1.0))
    assert (found.best[0], found.best[-1]) == ("none", "all")
    assert 1e7 < found.changes[-1][0] < 3e9

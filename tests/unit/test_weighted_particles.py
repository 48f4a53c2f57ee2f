"""Particles that are drawn from a file by its weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.constants import PROTON_MASS
from phasewise.study import Study
from phasewise.workload.bunches import SharedBunch
from phasewise.workloads.collision.particle_files import check_files
from phasewise.workloads.common.particle_files import ParticleFile
from tests.sentences import refused
from tests.unit.study_tables import tables

COUNT = 400
RMS = (1e-5, 2e-5, 1e-5, 2e-5, 0.05, 1e-4)


def rows(count: int) -> Any:
    return np.random.default_rng(5).standard_normal((count, 6)) * RMS


def file_of(path: Path, resample: int = 3) -> ParticleFile:
    bunch = SharedBunch(1, PROTON_MASS, 1.0, 7e12, 1.15e11, COUNT)
    return ParticleFile(path, "beam.1", bunch, RMS, resample)


def written(folder: Path, weights: Any) -> Path:
    path = folder / "bunch.npy"
    np.save(path, np.column_stack([rows(len(weights)), weights]))
    return path


def test_rows_are_drawn_as_often_as_their_weights_say_up_to_one(tmp_path: Path) -> None:
    weights = np.random.default_rng(6).uniform(0, 3, 150)
    weights[7] = 0
    given, found = rows(150), file_of(written(tmp_path, weights)).read()
    assert found.rows.shape == (COUNT, 6)
    counts = np.array([(found.rows == row).all(axis=1).sum() for row in given])
    assert np.abs(counts - COUNT * weights / weights.sum()).max() < 1
    assert counts.sum() == COUNT
    (sentence,) = (s for s in file_of(written(tmp_path, weights)).remarks(found) if "rows" in s)
    assert "150 rows" in sentence


def test_the_seed_decides_which_rows_are_drawn(tmp_path: Path) -> None:
    path = written(tmp_path, np.random.default_rng(6).uniform(0, 3, 5000))
    one, same, other = (file_of(path, seed).read().rows for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("weights", [np.zeros(10), -np.ones(10), np.full(10, np.nan)])
def test_weights_that_are_none_are_refused(tmp_path: Path, weights: Any) -> None:
    with refused("beam.1.particles", "bunch.npy", "weight"):
        file_of(written(tmp_path, weights)).read()


def test_unequal_weights_are_refused_without_resampling(tmp_path: Path) -> None:
    written(tmp_path, np.arange(1.0, COUNT + 1))
    study = Study.from_dict(tables(beam__1__particles="bunch.npy"), tmp_path)
    with refused("beam.1.particles", "unequally", "give beam.1.resample = true"):
        check_files(study)


def test_a_run_starts_with_the_rows_that_are_drawn(tmp_path: Path) -> None:
    written(tmp_path, np.random.default_rng(6).uniform(0, 3, 3000))
    changes = {"beam__1__particles": "bunch.npy", "beam__1__resample": True, "turns": 1}
    study = Study.from_dict(tables(**changes), tmp_path)
    found = phasewise.Simulation(study).beam(1)
    assert set(found.x) <= set(rows(3000)[:, 0])
    assert len(found.x) == study.beam(1).macroparticles

"""Runs and simulations from Python, and particles that come from another run's dump."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import phasewise
from phasewise.runs.results import Results
from tests.mpi.whole_run import STUDY, WIDE, ran
from tests.sentences import refused
from tests.unit.fake_core import tables

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(STUDY)
    return path


def test_a_run_in_python_gives_arrays_and_calls_back_every_turn(study):
    seen = []
    plan = phasewise.load(study)
    with phasewise.run(plan, callback=lambda simulation: seen.append(simulation.turn)) as results:
        folder = results.folder
        assert results.luminosity.shape == (12, 1)
        assert results.complete
        assert results.seconds_per_turn > 0
    assert seen == list(range(1, 13))
    del results
    assert not folder.exists()


def test_particles_are_seen_and_moved_without_a_copy():
    plan = tables()
    simulation = phasewise.Simulation(phasewise.Study.from_dict(plan))
    before = simulation.beam(1).x.mean()
    simulation.beam(1).x[:] += 1e-4
    # The mean moves by what each particle moves by, to rounding.
    assert simulation.beam(1).x.mean() - before == pytest.approx(1e-4, rel=1e-12)
    simulation.step()
    assert simulation.turn == 1
    assert simulation.record()["1/particles"] == 101


def test_particles_from_a_dump_start_a_run_where_the_dump_was_taken(study, tmp_path):
    ran(study, "--out", tmp_path / "first", "--set", "records.particles_every=6", *WIDE)
    dump = tmp_path / "first" / "particles" / "turn-000000006.h5"
    words = [*WIDE, "--set", "turns=2"]
    for beam in (1, 2):
        words += ["--set", f'beam.{beam}.particles="{dump}"']
        words += ["--set", f"beam.{beam}.offset_sigma=[0, 0, 0, 0, 0, 0]"]
    ran(study, "--ranks", 2, "--out", tmp_path / "second", *words)
    first, second = Results(tmp_path / "first"), Results(tmp_path / "second")
    # The dump keeps delta to 1e-16, and the means of some 1e-6 m to its effect on momenta.
    np.testing.assert_allclose(second.beam(1).mean[0], first.beam(1).mean[6], atol=1e-14, rtol=0)
    np.testing.assert_allclose(second.luminosity[0], first.luminosity[6], rtol=1e-9)


def test_ranks_started_from_python_give_the_bits_of_one_process(study, tmp_path, capfd):
    plan = phasewise.load(study).replace(turns=4)
    alone = phasewise.run(plan, progress=True)
    assert "turn 4 of 4" in capfd.readouterr().err
    with phasewise.run(plan, ranks=2, progress=True) as results:
        said = capfd.readouterr()
        assert "turn 4 of 4" in said.err and said.out == ""
        assert results.attributes["ranks"] == 2
        assert results.study == plan.resolved()
        np.testing.assert_array_equal(results.luminosity, alone.luminosity)
        folder = results.folder
    del results
    assert not folder.exists()
    kept = phasewise.run(plan, tmp_path / "out", ranks=2)
    assert kept.folder == tmp_path / "out" and capfd.readouterr().err == ""


def test_what_ends_ranks_started_from_python_is_raised(study, tmp_path, capfd):
    plan = phasewise.load(study)
    blocked = tmp_path / "file"
    blocked.touch()
    with refused(blocked, by=phasewise.RunError):
        phasewise.run(plan, blocked / "out", ranks=2)
    assert "phasewise:" not in capfd.readouterr().err
    with refused("callback", "ranks"):
        phasewise.run(plan, ranks=2, callback=print)

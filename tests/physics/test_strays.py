"""Particles far from the others, slices with hardly any, and beams written to or used up: nothing
of it may spread.
"""

from __future__ import annotations

import numpy as np
import pytest

import phasewise
from tests.physics.machines import collide, coordinates, put, study
from tests.sentences import refused

SIGMA = 1.6627e-5  # m, of the study's bunches


def test_tracked_particles_are_recorded_in_the_beams_own_frame() -> None:
    machine = study(
        ip={
            "half_crossing_angle": 1e-3,
            "separation": [1e-4, 0],
            "slices": 3,
            "crab": {"strength": 1.0, "frequency": 4e8},
        },
        records={"tracked": 50},
    )
    simulation = phasewise.Simulation(machine)
    before = coordinates(simulation)[:, :50]
    simulation.step()
    assert np.array_equal(simulation.record()["1/tracked"].T, before)


@pytest.mark.parametrize("model", ["strong-strong", "soft-gaussian"])
def test_a_particle_that_blows_up_is_lost_and_takes_nobody_along(model: str) -> None:
    simulation = phasewise.Simulation(study(ip={"model": model, "slices": 3}))
    stray = np.zeros((6, 1))
    stray[4] = np.inf
    put(simulation, 1, stray)
    simulation.step()
    simulation.step()
    record = simulation.record()
    assert (record["1/losses"], record["2/losses"]) == (1, 0)
    assert np.isfinite(record["luminosity"]).all()


def test_one_particle_far_away_in_z_leaves_the_slices_of_the_others_alone() -> None:
    counts = []
    for far in (0.0, 3000.0):
        machine = study(ip={"slices": 8}, records={"slices_every": 1})
        simulation = phasewise.Simulation(machine)
        stray = np.zeros((6, 1))
        stray[4] = far
        put(simulation, 1, stray)
        simulation.step()
        counts.append(simulation.driver.slices(1)[1]["count"])
    # one particle more at the head moves each cut by a fraction of a particle; shot noise within
    # the bin of a cut is below 3 in 10⁴ (test_slices)
    assert np.abs(counts[1] - counts[0]).max() <= 7


@pytest.mark.parametrize("extent", [4.5, 6.0])
def test_slices_with_hardly_a_particle_kick_like_the_others(extent: float) -> None:
    machine = study(
        ip={
            "model": "soft-gaussian",
            "slices": 15,
            "slicing": "equal-width",
            "slice_extent": extent,
        }
    )
    simulation = phasewise.Simulation(machine)
    simulation.step()
    simulation.step()
    record = simulation.record()
    assert record["1/losses"] == record["2/losses"] == 0
    # as equal charges: the sum over slices does not depend on the cuts but to second order
    other = phasewise.Simulation(study(ip={"model": "soft-gaussian", "slices": 15}))
    other.step()
    other.step()
    assert record["luminosity"][0] == pytest.approx(other.record()["luminosity"][0], rel=2e-3)


def test_the_kick_of_a_particle_outside_its_mesh_stays_below_the_gaussians() -> None:
    # the mesh of beam 1 lies 12 σ from beam 2, and the particle in the middle of beam 2
    machine = study(ip={"separation": [12 * SIGMA, 0], "interpolation": "none"})
    strays = np.zeros((6, 5))
    strays[0] = -12 * SIGMA + np.array([0.0, 1e-9, 1e-7, 1e-6, SIGMA])
    before, _, after, _ = collide(machine, strays)
    kicks = np.abs(after[1, :5] - before[1, :5])
    field = 2 * 1.15e11 * 1.5347e-18 / 7460.5  # 2 N r/γ: times the largest (1 - exp(-r²/2σ²))/r
    assert (kicks <= 1.05 * field * 0.4513 / SIGMA).all()
    # at the very centre: no more than the offset of a few nm leaves, σ/1000
    assert kicks[0] < 1e-3 * field / SIGMA


def test_writing_to_the_particles_moves_the_slices_with_them() -> None:
    machine = study(ip={"slices": 8}, records={"slices_every": 1})
    simulation = phasewise.Simulation(machine)
    simulation.step()
    simulation.beam(1).z[:] *= 10
    simulation.step()
    counts = simulation.driver.slices(1)[1]["count"]
    assert np.abs(counts - 1250).max() <= 7


@pytest.mark.parametrize("model", ["strong-strong", "soft-gaussian"])
def test_a_beam_that_has_lost_its_last_particle_meets_nobody(model: str) -> None:
    aperture = {"1": {"aperture": [1e-12, 1e-12]}, "2": {}}
    arc = {"matrix": np.eye(6).tolist()}
    machine = study(arc=arc | aperture, ip={"model": model, "slices": 3})
    simulation = phasewise.Simulation(machine)
    for _ in range(3):
        simulation.step()
    record = simulation.record()
    assert record["1/losses"] == 10_000
    assert record["2/losses"] == 0
    assert record["luminosity"][0] == 0.0


def test_threads_and_slices_out_of_range_are_refused_in_a_sentence() -> None:
    machine = study()
    with refused("threads", 0, 1, by=ValueError):
        phasewise.Simulation(machine, threads=0)
    simulation = phasewise.Simulation(machine)
    simulation.step()
    with refused("slice 2", 1, by=ValueError):
        simulation.driver.slice_field(1, 1, 2)


def test_particles_that_do_not_belong_here_change_nothing() -> None:
    simulation = phasewise.Simulation(study())
    before = coordinates(simulation)
    ids = np.zeros(3, dtype=np.uint32)
    with refused("twice", by=ValueError):
        simulation.driver.replace_particles(1, ids, *np.ones((6, 3)))
    assert np.array_equal(coordinates(simulation), before)

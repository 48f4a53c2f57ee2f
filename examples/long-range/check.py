"""Kick, closed orbits and coherent modes of a long-range encounter, with fewer particles."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import phasewise
from phasewise.constants import classical_radius
from phasewise.runs.results import Results
from phasewise.workloads.collision.analysis import centroid_phasors
from phasewise.workloads.collision.analysis.coherent import pair_modes

STUDY = Path(__file__).parent / "study.toml"
TURNS = 1024
SMALL = [f"turns={TURNS}", "beam.1.macroparticles=4000"]
DISTANCE = 9.5


@pytest.fixture(scope="module")
def results() -> Results:
    """A run of about three seconds."""
    return phasewise.run(phasewise.load(STUDY, SMALL))


def kick() -> tuple[float, float]:
    """Theory's kick of a particle at rest, and d [m]."""
    beam = phasewise.load(STUDY).beam(1)
    d = DISTANCE * beam.size(0)[0]
    strength = 2 * beam.bunch_population * classical_radius(beam.mass) / beam.gamma
    return strength / d * -math.expm1(-(DISTANCE**2) / 2), d


def test_the_first_encounter_kicks_by_the_long_range_formula() -> None:
    study = phasewise.load(STUDY, [*SMALL, "beam.1.offset_sigma=[0, 0, 0, 0, 0, 0]"])
    simulation = phasewise.Simulation(study)
    before = np.array([simulation.beam(1).x.mean(), simulation.beam(1).px.mean()])
    simulation.step()
    beam = simulation.beam(1)
    after = np.array([beam.x.mean(), beam.px.mean()])
    mu, beta = 2 * math.pi * 0.31, 0.55
    arc = np.array([[math.cos(mu), beta * math.sin(mu)], [-math.sin(mu) / beta, math.cos(mu)]])
    found = (np.linalg.solve(arc, after) - before)[1]
    # A harmonic field: its mean over the round bunch is its value at the centre. The quiet bunches'
    # centres are known to σ/√N = 0.016 σ, 0.17 % of d, or better.
    assert found == pytest.approx(kick()[0], rel=0.0017)


def test_the_closed_orbits_part_by_the_kick(results: Results) -> None:
    theta, d = kick()
    orbit = 0.5 * 0.55 * theta / math.tan(math.pi * 0.31)
    # The orbits widen the distance, and weaken the kick by as much.
    orbit /= 1 + 2 * orbit / d
    # Over a Hann window, the oscillation of 0.1 σ averages to (πT·0.31)⁻³ of itself, 1e-9; the mesh
    # errs by 2e-4 of the largest field, 4.3 times this one: 1e-3.
    window = np.hanning(TURNS) / np.hanning(TURNS).sum()
    for beam, sign in ((1, 1), (2, -1)):
        mean = window @ results.beam(beam).mean
        assert mean[0] == pytest.approx(sign * orbit, rel=1e-3)
        assert abs(mean[2]) < 1e-3 * orbit


def test_the_pi_modes_shift_by_twice_the_incoherent_tune_shift(results: Results) -> None:
    theta, d = kick()
    shift = 0.55 * theta / d / (4 * math.pi)
    first, second = centroid_phasors(results)
    for number, (tune, sign) in enumerate(((0.31, 1), (0.32, -1))):
        # Too close for the summary of a run, T·ξ < 3; with no other line nearby, sum and difference
        # still show one each.
        plane = pair_modes(first[number], second[number], tune, shift)
        assert plane.sigma is not None
        assert plane.shift is not None
        # A lone line is found to 1e-3 of a bin 1/T, 1.2 % of the shift at worst; second order in
        # the shift and in 0.1 σ/d is below 1e-3.
        assert plane.sigma.frequency == pytest.approx(tune, abs=1e-3 / TURNS)
        assert plane.shift == pytest.approx(2 * sign * shift, abs=2e-3 / TURNS + 1e-3 * shift)


def test_separated_beams_have_no_luminosity(results: Results) -> None:
    # exp(-d²/4σ²) = 2e-10 of the head-on one, less than a pair of macroparticles in a cell.
    assert results.luminosity.max() < 1e-6 * results.derived["ips"][0]["luminosity_head_on"]

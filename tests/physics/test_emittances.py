"""Emittances: radiation damping and excitation, losses, and the noise of macroparticles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.analysis.growth_rate import growth_rate
from phasewise.workloads.collision.analysis.noise_floor import noise_floor
from tests.physics.machines import Floats, coordinates, study

N = 20_000
TAU = [40.0, 80.0, 20.0]
TURNS = 60
RING: dict[str, Any] = {"tune": [0.31, 0.32], "synchrotron_tune": 0.02}
ALONE: dict[str, Any] = {
    "model": "none",
    "alpha": [0.5, -0.3],
    "dispersion": [0.2, 0.01, 0.0, 0.0],
}


def emittances(beam: dict[str, Any], arc: dict[str, Any], turns: int = TURNS) -> Floats:
    """(T, 3) emittances of beam 1 in x, y and z [m], without a collision."""
    machine = study(beam={"macroparticles": N} | beam, arc=RING | arc, ip=ALONE, turns=turns)
    return phasewise.run(machine).beam(1).emittance


def test_damping_alone_takes_two_damping_times_from_the_emittances() -> None:
    found = emittances({}, {"damping_turns": TAU, "excitation": False})
    turn = np.arange(TURNS)[:, None]
    expected = found[0] * np.exp(-2 * turn / np.array(TAU))
    # The map shrinks every particle alike: rounding of 10⁴ products, and of 60 turns.
    assert found == pytest.approx(expected, rel=1e-9)


def test_damping_and_excitation_lead_to_the_equilibrium_at_twice_the_rate() -> None:
    factor = 2.0
    found = emittances({"mismatch": [factor] * 6}, {"damping_turns": TAU})
    design = study(ip=ALONE).beam(1)
    equilibrium = np.array(
        [*design.geometric_emittance, design.bunch_length * design.momentum_spread]
    )
    turn = np.arange(TURNS)[:, None]
    decay = np.exp(-2 * turn / np.array(TAU))
    expected = equilibrium * (1 + (factor**2 - 1) * decay)
    # Each emittance of N particles, excited by random numbers of their own, is known to 1/√N:
    # its variance is that of two squares' mean. Four of these for 180 values.
    assert found == pytest.approx(expected, rel=4 / math.sqrt(N))
    # The last ones are nearer to the equilibrium than to where they started.
    assert np.all(found[-1] < 1.7 * equilibrium)


def test_excitation_alone_grows_the_emittance_linearly() -> None:
    tau = 5000.0
    found = emittances({"mismatch": [0.01] * 6}, {"damping_turns": [tau] * 3})
    design = study(ip=ALONE).beam(1)
    per_turn = 2 / tau * np.array(design.geometric_emittance)
    turn = np.arange(1, TURNS)
    for plane in (0, 1):
        growth = found[1:, plane] - found[0, plane]
        # A random walk of N particles: 1/√N of itself, and 1 - exp(-2n/τ) bends by n/τ = 1.2 %.
        error = 4 / math.sqrt(N) + TURNS / tau
        assert growth == pytest.approx(per_turn[plane] * turn, rel=error)


def test_without_collision_or_damping_the_emittances_stay() -> None:
    found = emittances({}, {})
    # Linear symplectic maps: rounding only.
    assert found == pytest.approx(np.broadcast_to(found[0], found.shape), rel=1e-10)


@pytest.mark.parametrize("shape", ["ellipse", "rectangle"])
def test_an_aperture_takes_the_particles_beyond_it_and_counts_them(shape: str) -> None:
    machine = study(
        arc=RING | {"aperture_sigma": [2.0, 1.5], "aperture_shape": shape},
        ip={"model": "none"},
        turns=2,
    )
    simulation = phasewise.Simulation(machine)
    start = coordinates(simulation)
    simulation.run(2)
    # Seen after the arc, where a particle is the rotation of what it was.
    sx, sy = machine.beam(1).size(0)
    mu = 2 * np.pi * np.array(RING["tune"])
    x, y = (start[2 * k] * np.cos(mu[k]) + 0.55 * start[2 * k + 1] * np.sin(mu[k]) for k in (0, 1))
    u, v = x / (2 * sx), y / (1.5 * sy)
    inside = u**2 + v**2 <= 1 if shape == "ellipse" else np.maximum(abs(u), abs(v)) <= 1
    record = simulation.record()
    assert record["1/losses"] == len(u) - inside.sum()
    assert record["1/particles"] == inside.sum()


TURNS_OF_NOISE, EVERY = 1000, 10


def noisy_machine(particles: int, seed: int) -> phasewise.Study:
    """Two short bunches of random particles at ξ = 0.02, so that noise is the largest cause."""
    return study(
        beam={
            "distribution": "gaussian",
            "bunch_length": 1e-3,
            "momentum_spread": 1e-9,
            "bunch_population": 1.15e11 * 0.02 / 0.003745,
            "macroparticles": particles,
        },
        arc={"tune": [0.31, 0.32]},
        ip={"interpolation": "none", "luminosity": False},
        turns=TURNS_OF_NOISE,
        seed=seed,
    )


def noise_growth(particles: int, seed: int) -> float:
    """Mean growth per turn of the four emittances of two bunches of so many random particles."""
    run = phasewise.Simulation(noisy_machine(particles, seed)).driver
    rows = []
    for _ in range(TURNS_OF_NOISE // EVERY):
        for _ in range(EVERY):
            run.step()
        record = run.record()
        rows.append([record[f"{beam}/emittance"][plane] for beam in (1, 2) for plane in (0, 1)])
    turn = EVERY * np.arange(len(rows), dtype=float)
    fits = [growth_rate(turn, history, transient=0.2) for history in np.array(rows).T]
    return float(np.mean([fit.per_turn for fit in fits if fit is not None]))


def test_the_growth_from_macroparticle_noise_falls_as_their_number() -> None:
    # The scatter of the seeds gives the errors.
    few, many = 500, 4000
    rates = {n: np.array([noise_growth(n, seed) for seed in range(1, 6)]) for n in (few, many)}
    mean = {n: float(rate.mean()) for n, rate in rates.items()}
    error = {n: float(rate.std(ddof=1)) / math.sqrt(len(rate)) for n, rate in rates.items()}
    power = math.log(mean[few] / mean[many]) / math.log(many / few)
    spread = math.hypot(*(error[n] / mean[n] for n in (few, many))) / math.log(many / few)
    assert mean[few] > 4 * error[few]
    # The test must be able to tell 1/N from 1/√N.
    assert spread < 0.12
    assert power == pytest.approx(1.0, abs=3 * spread)
    machine = noisy_machine(few, 1)
    floor = noise_floor(machine.resolved(), machine.derived(), machine.turns)
    assert floor.growth is not None
    # The floor is good to a factor of two.
    assert 0.5 < mean[few] / np.mean(floor.growth) < 2

"""Tune shifts and orbits of the whole ring: several interaction points, long range, ramps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.constants import classical_radius
from tests.physics.machines import (
    Floats,
    beam_beam_parameter,
    collide,
    coordinates,
    put,
    study,
)

WEAK: dict[str, Any] = {"model": "weak-strong"}
POINT_LIKE: dict[str, Any] = {"bunch_length": 1e-6, "momentum_spread": 1e-9}
TUNE = [0.31, 0.32]


def one_turn_trace(machine: phasewise.Study, plane: int = 0) -> float:
    """Trace of a plane's one-turn matrix about the axis, by differences over ±1e-3 rms."""
    rms = np.array(machine.beam(1).rms(0))
    u = 2 * plane
    step = 1e-3
    probes = np.zeros((6, 4))
    probes[u, 0], probes[u, 1] = step * rms[u], -step * rms[u]
    probes[u + 1, 2], probes[u + 1, 3] = step * rms[u + 1], -step * rms[u + 1]
    _, _, after, _ = collide(machine, probes)
    xx = (after[u, 0] - after[u, 1]) / (2 * step * rms[u])
    pp = (after[u + 1, 2] - after[u + 1, 3]) / (2 * step * rms[u + 1])
    return float(xx + pp)


def rotation(turns: float, beta: float = 0.55) -> Floats:
    mu = 2 * math.pi * turns
    return np.array([[math.cos(mu), beta * math.sin(mu)], [-math.sin(mu) / beta, math.cos(mu)]])


def lens(xi: float, beta: float = 0.55) -> Floats:
    """Thin lens of a beam-beam parameter; like charges defocus."""
    return np.array([[1.0, 0.0], [4 * math.pi * xi / beta, 1.0]])


@pytest.mark.parametrize("plane", [0, 1])
@pytest.mark.parametrize("particle", ["proton", "antiproton"])
def test_one_collision_shifts_the_tune_as_a_thin_lens(plane: int, particle: str) -> None:
    machine = study(beam=POINT_LIKE, other={"particle": particle}, arc={"tune": TUNE}, ip=WEAK)
    xi = beam_beam_parameter(machine)[plane] * (1 if particle == "proton" else -1)
    expected = np.trace(rotation(TUNE[plane]) @ lens(xi))
    # Differences err by the field's curvature, (1e-3)²; the strong bunch is exact.
    assert one_turn_trace(machine, plane) == pytest.approx(expected, abs=1e-6)
    # The tune goes down between like charges and up between opposite ones.
    tune = math.acos(one_turn_trace(machine, plane) / 2) / (2 * math.pi)
    shift = tune - TUNE[plane]
    # ΔQ = ∓ξ to first order; the second is πξ² cot 2πQ, half a per cent.
    assert shift == pytest.approx(-xi, rel=0.01)


def test_two_interaction_points_double_the_tune_shift() -> None:
    machine = study(beam=POINT_LIKE, arc={"tune": TUNE}, ip=WEAK, points=[WEAK])
    xi = beam_beam_parameter(machine)[0]
    half = rotation(TUNE[0] / 2) @ lens(xi)
    assert one_turn_trace(machine) == pytest.approx(np.trace(half @ half), abs=1e-6)
    tune = math.acos(one_turn_trace(machine) / 2) / (2 * math.pi)
    assert tune - TUNE[0] == pytest.approx(-2 * xi, rel=0.02)


def test_interaction_points_stand_at_their_own_optics_and_phases() -> None:
    machine = study(
        beam=POINT_LIKE,
        arc={"tune": TUNE},
        ip=WEAK | {"phase_advance": [0.13, 0.07]},
        points=[WEAK | {"beta": [0.8, 0.4], "phase_advance": [0.05, 0.11]}, WEAK],
    )
    xi = [beam_beam_parameter(machine, ip)[0] for ip in range(3)]
    beta = [0.55, 0.8, 0.55]
    phase = [0.13, 0.05, TUNE[0] - 0.18]

    def segment(k: int) -> Floats:
        here, there = beta[k], beta[(k + 1) % 3]
        scale = np.diag([math.sqrt(there), 1 / math.sqrt(there)])
        back = np.diag([1 / math.sqrt(here), math.sqrt(here)])
        return scale @ rotation(phase[k], 1.0) @ back @ lens(xi[k], here)

    expected = np.trace(segment(2) @ segment(1) @ segment(0))
    assert one_turn_trace(machine) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("model", ["strong-strong", "soft-gaussian", "weak-strong"])
def test_separated_beams_kick_each_other_by_the_long_range_formula(model: str) -> None:
    distance = 8.0
    machine = study(
        beam=POINT_LIKE,
        ip={"model": model, "separation_sigma": [distance, 0.0], "grid": [128, 128]},
    )
    sigma = machine.beam(1).size(0)[0]
    before, before_two, after, after_two = collide(machine, np.zeros((6, 1)))
    d = distance * sigma
    gamma, population = machine.beam(1).gamma, machine.beam(1).bunch_population
    kick = 2 * population * classical_radius(machine.beam(1).mass) / (gamma * d)
    kick *= 1 - math.exp(-(distance**2) / 2)
    # Beam 1 stands at +d/2 and is pushed outwards; its particle on the axis sees the whole charge.
    # The separated field is good to 2e-4 of the largest field, which is 3.6 times this one; the
    # other bunch's centre is known to 1/√N of σ, 1e-3 of d.
    assert after[1, 0] == pytest.approx(kick, rel=2e-3)
    # Outside of a charge the field is harmonic, so that its mean over a round bunch is that at the
    # centre; both centres are known to 1e-3.
    assert (after - before)[1].mean() == pytest.approx(kick, rel=2e-3)
    if model != "weak-strong":
        assert (after_two - before_two)[1].mean() == pytest.approx(-kick, rel=2e-3)


def test_a_separation_ramp_brings_the_beams_together_linearly() -> None:
    sigma = study().beam(1).size(0)[0]
    start, end = 10 * sigma, 4 * sigma
    machine = study(
        beam=POINT_LIKE | {"macroparticles": 2000},
        turns=12,
        ip=WEAK | {"ramp": {"from": [start, 0.0], "to": [end, 0.0], "turns": [3, 9]}},
    )
    simulation = phasewise.Simulation(machine)
    centre = np.zeros((6, 1))
    momenta = [0.0]
    put(simulation, 1, centre)
    for _ in range(12):
        simulation.step()
        momenta.append(coordinates(simulation)[1, 0])
    found = np.diff(momenta)
    d = np.interp(np.arange(12), [3, 9], [start, end])
    gamma, population = machine.beam(1).gamma, machine.beam(1).bunch_population
    kick = 2 * population * classical_radius(machine.beam(1).mass) / (gamma * d)
    # Exactly the design bunch; positions stay, as the arc does nothing and nobody drifts, but for
    # the collision's own drift over σz.
    assert found == pytest.approx(kick * -np.expm1(-((d / sigma) ** 2) / 2), rel=1e-5)


@pytest.mark.parametrize("plane", [0, 1])
def test_long_range_tune_shifts_are_opposite_in_the_two_planes(plane: int) -> None:
    distance = 10.0
    machine = study(
        beam=POINT_LIKE, arc={"tune": TUNE}, ip=WEAK | {"separation_sigma": [distance, 0.0]}
    )
    gamma = machine.beam(1).gamma
    d = distance * machine.beam(1).size(0)[0]
    strength = 2 * machine.beam(2).bunch_population * classical_radius(machine.beam(1).mass) / gamma
    # 1/r falls off in the plane of separation and turns in the other: d(Δpx)/dx = -k/d², +k/d²,
    # but for exp(-d²/2σ²) = e⁻⁵⁰.
    gradient = strength / d**2 * (-1 if plane == 0 else 1)
    expected = np.trace(rotation(TUNE[plane]) @ np.array([[1.0, 0.0], [gradient, 1.0]]))
    assert one_turn_trace(machine, plane) == pytest.approx(expected, abs=1e-9)

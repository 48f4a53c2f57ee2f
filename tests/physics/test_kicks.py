"""What one collision does to the particles: signs, sizes, momentum and energy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.constants import classical_radius
from tests.physics.machines import Floats, beam_beam_parameter, collide, study

MODELS = ["strong-strong", "soft-gaussian", "weak-strong"]
# Bunches so short that all particles meet at the interaction point itself.
SHORT: dict[str, Any] = {"bunch_length": 1e-6}
# Whatever the particle and its energy.
SAME_SIZE: dict[str, Any] = {"geometric_emittance": [5e-10, 5e-10], "normalized_emittance": None}
FINE: dict[str, Any] = {"grid": [128, 128]}


def standing(x: Floats, y: Floats) -> Floats:
    """(6, n) particles at rest at x, y [m]."""
    zeros = np.zeros_like(x)
    return np.array([x, zeros, y, zeros, zeros, zeros])


def round_kick(n: float, gamma: float, r: Floats, sigma: float, radius: float) -> Floats:
    """2 N r0/(γ r) (1 - exp(-r²/2σ²)): the kick of a round Gaussian bunch at β = 1."""
    return 2 * n * radius / (gamma * r) * -np.expm1(-(r**2) / (2 * sigma**2))


@pytest.mark.parametrize("model", MODELS)
def test_the_kick_of_a_round_bunch_is_that_of_its_charge_within_the_radius(model: str) -> None:
    machine = study(beam=SHORT | {"macroparticles": 100_000}, ip=FINE | {"model": model})
    sigma = machine.beam(1).size(0)[0]
    r = sigma * np.linspace(0.25, 5, 20)
    _, _, after, _ = collide(machine, standing(r * math.cos(1), r * math.sin(1)))
    kick = np.hypot(after[1, :20], after[3, :20])
    gamma, population = machine.beam(1).gamma, machine.beam(2).bunch_population
    expected = round_kick(population, gamma, r, sigma, classical_radius(machine.beam(1).mass))
    # The mesh errs by 4e-3 of the largest field at 128² on ±6σ; of 1e5 particles of a quiet start
    # the charge within r is known to better than the random 1/√N = 3e-3. 20 probes displace the
    # sums by 2e-4. A Gaussian's field is taken from its moments, known to 1/√(2N) = 2e-3.
    assert np.abs(kick - expected).max() < 7e-3 * expected.max()
    # Like charges repel, along the line between them.
    assert np.all(after[1, :20] > 0)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("first", "second", "sign"),
    [
        ("proton", "proton", 1),
        ("proton", "antiproton", -1),
        ("electron", "positron", -1),
        ("positron", "positron", 1),
        ("antiproton", "electron", 1),
    ],
)
def test_opposite_charges_attract_and_like_charges_repel(
    model: str, first: str, second: str, sign: int
) -> None:
    machine = study(
        beam=SHORT | SAME_SIZE | {"particle": first},
        other={"particle": second},
        ip={"model": model},
    )
    sigma = machine.beam(1).size(0)[0]
    _, _, after, _ = collide(machine, standing(np.array([2 * sigma]), np.array([0.0])))
    assert np.sign(after[1, 0]) == sign


@pytest.mark.parametrize("model", MODELS)
def test_the_kick_scales_with_both_charges_and_with_the_inverse_momentum(model: str) -> None:
    ion_mass, charge, energy = 193.687e9, 82.0, 5.74e14
    ion = {"particle": "ion", "mass": ion_mass, "charge": charge, "energy": energy}
    protons = study(beam=SHORT | SAME_SIZE, ip={"model": model})
    mixed = study(
        beam=SHORT | SAME_SIZE | ion,
        other={"particle": "proton", "energy": 7e12},
        ip={"model": model},
    )
    probe = standing(np.array([2 * protons.beam(1).size(0)[0]]), np.array([0.0]))
    of_proton, of_ion = (collide(m, probe)[2][1, 0] for m in (protons, mixed))
    momenta = [m.beam(1).gamma * m.beam(1).beta * m.beam(1).mass for m in (protons, mixed)]
    # Same bunch, same place: the force is that of Z = 82, the momentum that of the ion. v/c
    # of both differs from 1 by less than 1e-7.
    assert of_ion / of_proton == pytest.approx(charge * momenta[0] / momenta[1], rel=1e-6)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("ratio", [1.0, 0.1])
def test_small_amplitudes_are_defocused_by_four_pi_xi_over_beta(model: str, ratio: float) -> None:
    machine = study(
        beam=SHORT
        | {"macroparticles": 100_000, "normalized_emittance": [3.75e-6, 3.75e-6 * ratio**2]},
        ip=FINE | {"model": model},
    )
    sx, sy = machine.beam(1).size(0)
    small = 0.2
    probe = standing(np.array([small * sx, 0.0]), np.array([0.0, small * sy]))
    probe = np.hstack([probe, -probe])
    _, _, after, _ = collide(machine, probe)
    slope = np.array(
        [
            (after[1, 0] - after[1, 2]) / (2 * small * sx),
            (after[3, 1] - after[3, 3]) / (2 * small * sy),
        ]
    )
    found = slope * 0.55 / (4 * math.pi)
    # At 0.2σ a Gaussian's slope has fallen by at most (3/2)(0.2)²/2·½ = 1.5 % (flat, narrow: ¼
    # round); mesh smearing of 0.75 h² in σ² (h = 0.1σ) takes 0.8 %; sampling 2/√N = 0.6 %.
    assert found == pytest.approx(beam_beam_parameter(machine), rel=0.03)


def momentum_left(machine: phasewise.Study) -> float:
    """Change of both beams' momentum in x and y over the larger change of one of them; px·P0 add
    up, in eV/c.
    """
    one, two, after_one, after_two = collide(machine)
    total = np.zeros(2)
    largest = 0.0
    for beam, before, after in ((1, one, after_one), (2, two, after_two)):
        own = machine.beam(beam)
        momentum = own.bunch_population * own.gamma * own.beta * own.mass
        change = momentum * (after - before)[[1, 3]].mean(axis=1)
        total += change
        largest = max(largest, float(np.abs(change).max()))
    return float(np.abs(total).max()) / largest


@pytest.mark.parametrize(
    ("given", "bound"),
    # One plane for charge and field: rounding alone. Between planes: of the order of the
    # change of size from plane to plane, σz/7 apart, (σz/14β*)² = 1e-4. Gaussian slices: a
    # sample of 1000 differs from a Gaussian by 1/√1000 in each moment that the field depends on,
    # which enters by its square and by the third and fourth, a tenth of the second.
    [({"interpolation": "none"}, 1e-12), ({}, 2e-4), ({"model": "soft-gaussian"}, 5e-3)],
)
def test_slices_keep_the_momentum_as_well_as_the_model_says(
    given: dict[str, Any], bound: float
) -> None:
    unlike = {
        "energy": 3e12,
        "bunch_population": 6e10,
        "macroparticles": 7000,
        "normalized_emittance": [2e-6, 3e-6],
        "offset_sigma": [0, 0, 0, 0, 0, 0],
    }
    displaced = {"offset_sigma": [0.4, 0, 0.3, 0, 0, 0]}
    machine = study(beam=displaced, other=unlike, ip={"grid": [96, 96], "slices": 7} | given)
    assert momentum_left(machine) < bound


def test_both_beams_together_keep_their_transverse_momentum() -> None:
    # Unequal in everything, and displaced.
    machine = study(
        beam=SHORT | {"offset_sigma": [0.4, 0, 0.3, 0, 0, 0]},
        other={
            "particle": "antiproton",
            "energy": 3e12,
            "bunch_population": 6e10,
            "macroparticles": 7000,
            "normalized_emittance": [2e-6, 3e-6],
            "offset_sigma": [0, 0, 0, 0, 0, 0],
        },
        ip=FINE,
    )
    # One mesh, one rule for charge and for field, and a Green function that is even: action is
    # reaction but for the few particles beyond the mesh at 6σ, 1e-8 of them, and for the rounding
    # of charges to 2⁻⁵² of the bunch.
    assert momentum_left(machine) < 1e-6


@pytest.mark.parametrize("model", MODELS)
def test_the_energy_kick_is_that_of_the_transverse_kick_on_an_inclined_path(model: str) -> None:
    # At the waist the other bunch's size does not change along s, and a particle gains
    # ½ [px Δpx + Δpx²/2 + …y] (Hirata, Moshammer, Ruggiero, Part. Accel. 40 (1993) 205).
    machine = study(
        beam=SHORT | {"bunch_population": 1e13, "macroparticles": 40_000}, ip={"model": model}
    )
    rms = np.array(machine.beam(1).rms(0))[:, None]
    probe = np.random.default_rng(2).uniform(-2, 2, (6, 30)) * rms
    before, _, after, _ = collide(machine, probe)
    px, py = before[1, :30], before[3, :30]
    kx, ky = after[1, :30] - px, after[3, :30] - py
    expected = 0.5 * (px * kx + py * ky) + 0.25 * (kx**2 + ky**2)
    gain = (after - before)[5, :30]
    # N particles are drawn with a convergence ⟨x px⟩/(σx σpx) of about 1/√N instead of 0, which
    # moves the size, and with it the potential, as they pass; a design bunch has none.
    error = 2e-6 if model == "weak-strong" else 1 / math.sqrt(40_000)
    assert np.abs(gain - expected).max() < error * np.abs(expected).max()

"""Gaussian slices with a roll: kick, luminosity and symplecticity, also at an oblique crossing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.constants import classical_radius
from tests.physics.gaussian import Floats, gaussian_field, rolled
from tests.physics.machines import collide, coordinates, put, study

# Flat bunches of aspect 100 that are hardly kicked, and so short that all meet at the same place.
FLAT: dict[str, Any] = {
    "bunch_length": 1e-6,
    "macroparticles": 20_000,
    "bunch_population": 1e6,
    "geometric_emittance": [5e-10, 5e-14],
    "normalized_emittance": None,
}
SOFT: dict[str, Any] = {"model": "soft-gaussian"}


def rolled_bunch(machine: phasewise.Study, beam: int, roll: float) -> Floats:
    return rolled(coordinates(phasewise.Simulation(machine), beam), roll)


@pytest.mark.parametrize("roll", [0.0, 5e-3, 20e-3])
def test_a_rolled_flat_bunch_kicks_as_its_field_by_quadrature(roll: float) -> None:
    machine = study(beam=FLAT, ip=SOFT)
    sizes = np.array(machine.beam(1).size(0))[:, None]
    bunch = rolled_bunch(machine, 2, roll)
    probes = np.zeros((6, 60))
    probes[[0, 2]] = np.random.default_rng(4).uniform(-4, 4, (2, 60)) * sizes
    before, source, after, _ = collide(machine, probes, bunch)
    kick = (after - before)[[1, 3], :60]
    position = source[[0, 2]]
    covariance = np.cov(position, bias=True)
    field = gaussian_field(probes[[0, 2]] - position.mean(axis=1)[:, None], covariance)
    gamma, population = machine.beam(1).gamma, machine.beam(2).bunch_population
    expected = 2 * population * classical_radius(machine.beam(1).mass) / gamma * field
    # γ for βγ: 1e-8; all particles meet within σz/β* = 2e-6 of the size.
    assert np.abs(kick - expected).max() < 1e-5 * np.abs(expected).max()


@pytest.mark.parametrize("rolls", [(0.0, 5e-3), (0.0, 20e-3), (20e-3, 20e-3)])
def test_rolled_bunches_have_the_luminosity_of_two_bivariate_gaussians(
    rolls: tuple[float, float],
) -> None:
    machine = study(beam=FLAT, ip=SOFT)
    simulation = phasewise.Simulation(machine)
    bunches = [rolled_bunch(machine, beam, roll) for beam, roll in enumerate(rolls, 1)]
    for beam, bunch in enumerate(bunches, 1):
        put(simulation, beam, bunch)
    simulation.step()
    positions = [bunch[[0, 2]] for bunch in bunches]
    total = sum(np.cov(position, bias=True) for position in positions)
    apart = positions[0].mean(axis=1) - positions[1].mean(axis=1)
    overlap = math.exp(-0.5 * apart @ np.linalg.solve(total, apart))
    overlap /= 2 * math.pi * math.sqrt(np.linalg.det(total))
    # Rounding of a determinant that cancels to 1e-3 of its terms, and σz/β* = 2e-6 squared.
    assert simulation.record()["luminosity"][0] == pytest.approx(1e12 * overlap, rel=1e-9)
    # By the design, to the sampling of variances, 1/√N, and of the correlation.
    sx, sy = machine.beam(1).size(0)
    upright = 1e12 / (4 * math.pi * sx * sy)
    loss = 1 / math.sqrt(1 + (0.5 * sx / sy * (rolls[0] - rolls[1])) ** 2)
    assert upright * loss == pytest.approx(1e12 * overlap, rel=2 / math.sqrt(20_000))


@pytest.mark.parametrize("model", ["weak-strong", "soft-gaussian"])
@pytest.mark.parametrize("angle", [np.pi / 4, 1.1])
def test_turning_round_beams_and_their_crossing_plane_turns_the_result(
    model: str, angle: float
) -> None:
    # Few long slices: each is tilted by the crossing, and wider along its plane by σx/2.
    long: dict[str, Any] = {"bunch_length": 0.1, "macroparticles": 2000}
    point: dict[str, Any] = {"half_crossing_angle": 4e-4, "slices": 3, "model": model}
    machine = study(beam=long, ip=point)
    turned = study(beam=long, ip=point | {"crossing_plane": angle})
    one = coordinates(phasewise.Simulation(machine))
    two = None if model == "weak-strong" else coordinates(phasewise.Simulation(machine), 2)
    _, _, after, _ = collide(machine, one, two)
    other = None if two is None else rolled(two, angle)
    _, _, image, _ = collide(turned, rolled(one, angle), other)
    expected = rolled(after, angle) - rolled(one, angle)
    found = image - rolled(one, angle)
    scale = np.abs(expected).max(axis=1)
    rows = [0, 1, 2, 3, 5]
    # Rounding of coordinates up to 1e5 times the changes.
    assert np.all(np.abs(found - expected).max(axis=1)[rows] < 1e-8 * scale[rows])

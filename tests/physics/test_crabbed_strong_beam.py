"""A strong beam that its crab cavities' wave bends, against the sum of its charge's fields."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.constants import classical_radius
from tests.physics.machines import Floats, collide, study

SIGMA, PHI, LENGTH = 1e-4, 12.5e-3, 0.06
WAVE = 2 * math.pi * 197e6 / 299792458.0
# Round bunches much shorter than β*: their size is the same all along.
BEAM: dict[str, Any] = {
    "bunch_length": LENGTH,
    "geometric_emittance": [1e-10, 1e-10],
    "normalized_emittance": None,
    "bunch_population": 1e6,
    "macroparticles": 200,
}


def crabbed(slices: int) -> phasewise.Study:
    crab = {"strength": 1.0, "frequency": 197e6}
    point = {"beta": [100.0, 100.0], "half_crossing_angle": PHI, "slices": slices, "crab": crab}
    return study(beam=BEAM, ip=point | {"model": "weak-strong"})


def tilt(z: Floats) -> Floats:
    """x in the collision's frame of what is at z and x = 0 in the beam's own."""
    return np.asarray((z - np.sin(WAVE * z) / WAVE) * math.tan(PHI))


def direct(x: Floats, z: Floats) -> Floats:
    """Field at x, z in the own frame: the strong beam's charge, at 2001 places along z."""
    along = np.linspace(-7, 7, 2001)
    weight = np.exp(-0.5 * along**2)
    apart = (x + tilt(z))[:, None] - tilt(along * LENGTH)
    round_field = -np.expm1(-0.5 * (apart / SIGMA) ** 2) / apart
    return np.asarray(round_field @ weight / weight.sum())


@pytest.mark.parametrize("slices", [9, 15, 25, 51])
def test_a_strong_beam_stands_where_its_crab_cavities_put_it(slices: int) -> None:
    machine = crabbed(slices)
    x = np.linspace(-4, 4, 32) * SIGMA
    z = np.array([-1.5, -0.5, 0.0, 1.0, 2.0]) * LENGTH
    probes = np.zeros((6, x.size * z.size))
    probes[0], probes[4] = (grid.ravel() for grid in np.meshgrid(x, z))
    before, _, after, _ = collide(machine, probes)
    kick = (after - before)[1, : probes.shape[1]]
    gamma, radius = machine.beam(1).gamma, classical_radius(machine.beam(1).mass)
    expected = 2 * BEAM["bunch_population"] * radius / gamma * direct(probes[0], probes[4])
    # The tails of z bend most, by σ at 2.5 rms, and lie in the two end slices, each of 1/N of the
    # charge. A Gaussian has mean and variance of a slice right and its skewness, of order 1, not:
    # the sixth of it, times the third derivative, leaves a third of their 2/N at most; half of the
    # bend, on average, is below σ/2, which leaves an eighth of that.
    assert np.abs(kick - expected).max() < 0.1 / slices * np.abs(expected).max()

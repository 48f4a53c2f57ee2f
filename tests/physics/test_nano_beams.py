"""Nano-beams: β*y far below the bunches' length and a large angle, on a mesh that is finer in y at
the waist.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import phasewise
from tests.physics.machines import Floats, coordinates, study

BETA, LENGTH, SIZE, ASPECT, PIWINSKI = 3e-3, 0.0375, 2e-5, 100, 10
SLICES, GRID = 63, [64, 128]


def nano(**ip: Any) -> phasewise.Study:
    """Faint flat bunches 12 β*y long. One mesh for all of the collision would have 128/(12·25) =
    0.4 cells to σy at the waist.
    """
    sizes = {"half_crossing_angle": PIWINSKI * SIZE / LENGTH, "slices": SLICES, "grid": GRID}
    return study(
        beam={
            "macroparticles": 40_000,
            "bunch_length": LENGTH,
            "bunch_population": 1e5,
            "geometric_emittance": [SIZE**2 / 0.5, (SIZE / ASPECT) ** 2 / BETA],
            "normalized_emittance": None,
        },
        ip={"beta": [0.5, BETA]} | sizes | ip,
    )


@functools.cache
def crossing(key: str, value: str) -> tuple[phasewise.Simulation, float, Floats]:
    """The first crossing with one key of the interaction point changed: its luminosity, and the
    (2, n) kicks of beam 1.
    """
    simulation = phasewise.Simulation(nano(**{key: value}))
    before = coordinates(simulation)
    simulation.step()
    luminosity = float(simulation.record()["luminosity"][0])
    return simulation, luminosity, (coordinates(simulation) - before)[[1, 3]]


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
def test_nano_beams_on_a_mesh_are_those_of_gaussian_slices(weighting: str) -> None:
    _, luminosity, kicks = crossing("weighting", weighting)
    _, expected, gaussian = crossing("model", "soft-gaussian")
    resolution = nano().derived()["resolution"]
    cells = resolution["ips"][0]["cells_per_sigma"]
    assert min(cells) > 3.5
    # Left of smearing: 1.75 (h²/4σ²)² in each plane. Pairs of slices that overlap hold 630
    # particles each, whose moments have biases of 1/630; the pairs in one cell add noise of
    # 1.4 √(4π σxσy/hxhy · S/overlapping slices)/N, less.
    left = 1.75 * sum((1 / (4 * c**2)) ** 2 for c in cells) + 2 * SLICES / 40_000
    assert luminosity == pytest.approx(expected, rel=left)
    # The kick per offset: smeared by 3/4 h²/2σ² of a flat beam. A level holds 6 to 12 σ on each
    # side, so that y has at least 60/12 = 5 cells. Between planes L/2 apart in s the kick, 1/σ(s),
    # is interpolated, (L/4β*)²/2, and a slice's particles meet a plane over L/2, (L/2β*)²/24. Noise
    # of 1/√630 of a slice over some ten of them.
    length = resolution["slice_over_beta"]
    along = (length / 4) ** 2 / 2 + (length / 2) ** 2 / 24
    for kick, reference, c in zip(kicks, gaussian, (cells[0], 5), strict=True):
        slope = np.polyfit(reference, kick, 1)[0]
        assert slope == pytest.approx(1, abs=0.75 / (2 * c**2) + along + 0.01)


def test_the_mesh_at_the_waist_is_as_fine_as_the_derived_quantities_say() -> None:
    simulation, *_ = crossing("weighting", "cic")
    middle = SLICES // 2
    y = simulation.driver.slice_field(1, 1, middle)["y"]
    (ip,) = nano().derived()["resolution"]["ips"]
    size = nano().beam(1).size(0)[1]
    # The common mesh is rounded up by at most 2^(1/16), the bunch's ends are those of 40 000
    # particles, and a level is a factor of two.
    octaves = np.log2(size / (y[1] - y[0]) / ip["cells_per_sigma"][1])
    assert abs(octaves) < 0.1


def test_the_kick_at_a_large_piwinski_angle_is_that_of_a_strong_beam_of_many_slices() -> None:
    *_, kicks = crossing("weighting", "cic")
    simulation = phasewise.Simulation(nano(model="weak-strong", slices=255))
    before = coordinates(simulation)
    simulation.step()
    reference = (coordinates(simulation) - before)[[1, 3]]
    # The end slices are 6 σx wide. On the mesh that they need the kick in y was 0.9 of this one,
    # since cells of 1.4 σx make the bunches meet over more than the waist.
    for kick, expected in zip(kicks, reference, strict=True):
        assert np.polyfit(expected, kick, 1)[0] == pytest.approx(1, abs=0.01)

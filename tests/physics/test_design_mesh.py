"""The mesh that `check` estimates from the design is the one on which the first turn runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
from tests.physics.machines import study

SIZE, LENGTH = 2e-5, 0.0375
FLAT = {
    "bunch_length": LENGTH,
    "bunch_population": 1e5,
    "geometric_emittance": [SIZE**2 / 0.5, 1e-13],
    "normalized_emittance": None,
}
AT_AN_ANGLE: dict[str, Any] = {
    # Piwinski angles of 10, 2.5 without an hourglass, 3 in the vertical plane, 0.5, and 0.
    "nano-beams": {"beta": [0.5, 3e-3], "piwinski": 10, "slices": 31, "grid": [32, 64]},
    "few slices": {"beta": [0.5, 50.0], "piwinski": 2.5, "slices": 9, "interpolation": "none"},
    "an even number": {"beta": [0.5, 3e-3], "piwinski": 10, "slices": [32, 16], "grid": [32, 64]},
    "of equal width": {"beta": [0.5, 3e-3], "piwinski": 10, "slices": 15, "slicing": "equal-width"},
    "quadratic weights": {"beta": [0.5, 3e-3], "piwinski": 10, "slices": 15, "weighting": "tsc"},
    "vertical": {"beta": [0.5, 0.5], "piwinski": 0.05, "slices": 15, "crossing_plane": math.pi / 2},
    "small": {"beta": [0.5, 0.02], "piwinski": 0.5, "slices": 15},
    "crabbed": {"beta": [0.5, 0.02], "piwinski": 10, "slices": 15, "crab": {"strength": 0.5}},
    "crabbed off the wave's zero": {
        "beta": [0.5, 0.02],
        "piwinski": 10,
        "slices": 15,
        "crab_cavities": [{"frequency": 4e8, "strength": 0.5, "phase": 0.05}],
    },
    "apart": {"beta": [0.5, 0.02], "piwinski": 0, "slices": 5, "separation_sigma": [12.0, 0.0]},
}


@pytest.mark.parametrize("name", AT_AN_ANGLE)
def test_check_estimates_the_cells_of_the_mesh_that_runs(name: str) -> None:
    ip = dict(AT_AN_ANGLE[name])
    angle = ip.pop("piwinski") * SIZE / LENGTH
    machine = study(beam=FLAT, ip={"grid": [48, 48], "half_crossing_angle": angle} | ip)
    (expected,) = machine.derived()["resolution"]["ips"]
    slices = np.atleast_1d(ip["slices"])[0]
    simulation = phasewise.Simulation(machine)
    simulation.step()
    field = simulation.driver.slice_field(1, 1, int(slices + 1) // 2)
    sizes = machine.beam(1).size(0)
    found = [
        size / (field[axis][1] - field[axis][0]) for size, axis in zip(sizes, "xy", strict=True)
    ]
    # Cells are powers of 2^(1/16), and the ends of a sample of 10 000 differ by a few per cent: one
    # power more or less, and as much again where the finest level is fitted.
    assert np.log2(np.divide(found, expected["cells_per_sigma"])) == pytest.approx([0, 0], abs=0.13)

"""The flow of a constant field with two flux quanta, smooth and with noise."""

from __future__ import annotations

import math
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise

HERE = Path(__file__).parent
PHASE = 2 * math.pi / 16
# tr diag(1, -1, 0)² sin φ sin φ over (2π)² a site, with a flux quantum of φ = 2π/16 in each plane.
CHARGE = 2 * (math.sin(PHASE) / PHASE) ** 2
# Two planes with F = diag(sin φ, -sin φ, 0).
ENERGY = 4 * math.sin(PHASE) ** 2


def flowed(noise: float, folder: Path) -> dict[str, Any]:
    """The flow of the study, on links with this noise."""
    path = folder / "flux.ildg"
    runpy.run_path(str(HERE / "links.py"))["flux_links"](noise).write(path)
    with phasewise.run(phasewise.load(HERE / "study.toml", [f"gauge.file='{path}'"])) as results:
        names = ("energy_space", "energy_time", "charge", "plaquette")
        return {name: results.rows(f"flow_{name}")[0] for name in names}


def test_the_flow_keeps_a_solution_of_the_equations_of_motion(tmp_path: Path) -> None:
    found = flowed(0.0, tmp_path)
    energy = found["energy_space"] + found["energy_time"]
    # Rounding of 80 steps; the field is self-dual, so that it is no saddle from which rounding
    # would grow.
    assert found["charge"] == pytest.approx(np.full(81, CHARGE), rel=1e-11)
    assert energy == pytest.approx(np.full(81, ENERGY), rel=1e-11)


def test_the_flow_smooths_noise_and_finds_the_charge_again(tmp_path: Path) -> None:
    found = flowed(0.1, tmp_path)
    energy = found["energy_space"] + found["energy_time"]
    assert found["plaquette"][0] < 0.85 and abs(found["charge"][0] - CHARGE) > 0.3
    assert (np.diff(found["plaquette"][:41]) > 0).all()
    # Noise that the flow does not lift turns the field among those of one charge; on this lattice
    # they differ by its corrections in φ, which are 5 % of the charge.
    assert found["charge"][-1] == pytest.approx(CHARGE, rel=0.02)
    assert energy[-1] == pytest.approx(ENERGY, rel=0.02)

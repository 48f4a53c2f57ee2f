"""The gyre beside Stommel's solution, on finer and finer grids."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

import phasewise

STUDY = Path(__file__).parent / "study.toml"
L, DEPTH, DENSITY = 1e6, 1000.0, 1026.0
WIND, DRAG, BETA, DT = 1e-5, 2.5e-3, 2e-11, 9000.0


def northward(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """v = ∂ψ/∂x of R ∇²ψ + β ∂ψ/∂x = -(π τ / (ρ H L)) sin(π y/L), with ψ = 0 on the coast and
    R = drag/H (Stommel, Trans. Am. Geophys. Union 29 (1948) 202).
    """
    rate = DRAG / DEPTH
    # Half of Coriolis' force is implicit, and the drag comes after it, which makes β larger.
    beta = BETA * (1.0 + 0.5 * rate * DT)
    strength = WIND * L / (DENSITY * DEPTH * rate * math.pi)
    half, root = beta / (2 * rate), math.hypot(beta / (2 * rate), math.pi / L)
    a, b = -half + root, -half - root
    ends = np.exp([a * L, b * L])
    p = (1 - ends[1]) / (ends[0] - ends[1])
    slope = -(p * a * np.exp(a * x) + (1 - p) * b * np.exp(b * x))
    return strength * np.sin(math.pi * y / L) * slope


def error(cells: int) -> float:
    """The largest error of v at corners over the largest v, on cells² cells."""
    side = L * cells / (cells - 1)
    changes = [f"ocean.grid=[{cells},{cells},1]", f"ocean.extent=[{side},{side}]"]
    study = phasewise.load(STUDY, changes)
    simulation = phasewise.Simulation(study)
    for _ in range(study.count):
        simulation.step()
    field = simulation.field("v")
    assert field is not None
    at = (np.arange(cells - 1) + 0.5) * L / (cells - 1)
    expected = northward(at[None, :], at[:, None])
    return float(np.abs(field[0, :-1, :-1] - expected).max() / np.abs(expected).max())


def test_the_gyre_converges_to_stommels_with_the_second_order() -> None:
    coarse, fine = error(17), error(33)
    # The current in the west is 125 km wide: two cells of the coarse grid, four of the fine one.
    assert fine < 0.02
    assert math.log2(coarse / fine) == pytest.approx(2.0, abs=0.3)

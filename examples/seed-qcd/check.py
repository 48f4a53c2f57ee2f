"""The seed's solver: its residuals against conjugate gradients in NumPy, and its plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.driver import load_core
from phasewise.models.plan import plan

STUDY = Path(__file__).parent / "study.toml"
SIZE, KAPPA = (8, 8, 8, 16), 0.13
COMPARED = 40
"""Iterations compared: rounding, 1e-16 at first, grows by the loss of conjugacy later."""


def gammas() -> Any:
    """Euclidean γ matrices of DeGrand and Rossi (4, 4, 4), along x, y, z, t."""
    pauli = np.array([[[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]])
    space = [
        np.block([[np.zeros((2, 2)), sign * 1j * s], [-sign * 1j * s, np.zeros((2, 2))]])
        for s, sign in zip(pauli, (1, -1, 1), strict=True)
    ]
    return np.array([*space, np.kron([[0, 1], [1, 0]], np.eye(2))])


GAMMAS = gammas()
GAMMA_5 = np.diagonal(GAMMAS[0] @ GAMMAS[1] @ GAMMAS[2] @ GAMMAS[3]).real
A = 1 / (2 * KAPPA)


def hop(field: Any) -> Any:
    """Σ_µ (1-γ_µ) ψ(x+µ̂) + (1+γ_µ) ψ(x-µ̂), antiperiodic in t; axes x, y, z, t, spin."""
    found = np.zeros_like(field)
    for axis, gamma in enumerate(GAMMAS):
        ahead, behind = np.roll(field, -1, axis), np.roll(field, 1, axis)
        if axis == 3:
            ahead[..., -1, :] *= -1
            behind[..., 0, :] *= -1
        found += (ahead - ahead @ gamma.T) + (behind + behind @ gamma.T)
    return found


def even_matrix(field: Any) -> Any:
    """D̂ = a - H H/(4a), on the even sites."""
    return A * field - hop(hop(field)) / (4 * A)


def normal(field: Any) -> Any:
    """D̂†D̂, as D̂† = γ₅ D̂ γ₅."""
    return GAMMA_5 * even_matrix(GAMMA_5 * even_matrix(field))


def expected() -> list[float]:
    """Residuals over that of the start, for a unit spinor at the origin."""
    source = np.zeros((*SIZE, 4), dtype=complex)
    source[0, 0, 0, 0, 0] = 1
    residual = GAMMA_5 * even_matrix(GAMMA_5 * source)
    direction, square = residual, np.vdot(residual, residual).real
    start, found = square, []
    for _ in range(COMPARED):
        turned = normal(direction)
        step = square / np.vdot(direction, turned).real
        residual = residual - step * turned
        last, square = square, np.vdot(residual, residual).real
        direction = residual + square / last * direction
        found.append(float(np.sqrt(square / start)))
    return found


@pytest.fixture(scope="module")
def record() -> Any:
    run: Any = load_core().start(phasewise.load(STUDY, [f"lattice.size={list(SIZE)}"]).parameters())
    run.step()
    return run.record()


def test_the_residuals_are_those_of_conjugate_gradients(record: Any) -> None:
    assert record["iterations"] == 100
    assert record["residuals"][:COMPARED] == pytest.approx(expected(), rel=1e-9)


def test_unit_matrices_have_plaquettes_and_loops_of_one(record: Any) -> None:
    for name in ("plaquette_space", "plaquette_time", "link_trace"):
        assert record[name] == pytest.approx(1, abs=1e-14)
    assert np.ravel(record["polyakov"]) == pytest.approx([1, 0] * 4, abs=1e-14)


def test_the_plan_has_the_surface_of_table_1() -> None:
    """512 cores: 1.333; whole spinors of half of the sites, 192 B, four products an iteration."""
    found = plan(phasewise.load(STUDY), 512, pieces={"iteration": 1})
    sent = sum(
        phase["bytes_per_rank"] for phase in found["phases"] if phase.get("piece") == "iteration"
        and phase["name"].startswith("halo")
    )  # fmt: skip
    assert sent / (4 * 192 / 2 * 6**4) == pytest.approx(4 / 3, rel=1e-12)

"""The source's benchmark runs, its residuals are those of conjugate gradients in NumPy, and its
messages have the sizes that the source gives.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.cli import main
from phasewise.models.plan import plan
from phasewise.runs.results import Results
from phasewise.workloads.qcd.four_figures import HEADS
from tests.sentences import says

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


def test_the_benchmark_solves_and_is_reported(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["run", str(STUDY), "--out", str(out), "--quiet"]) == 0
    with Results(out) as results:
        assert results.rows("iterations").tolist() == [100, 100]
        assert results.rows("residual")[0] < 1e-14
        # Cold links have the loops of unit matrices, and no action.
        assert results.rows("plaquette_space")[0] == 1.0
        # On unit matrices the clover term is zero.
        assert results.rows("residuals")[0][:COMPARED] == pytest.approx(expected(), rel=1e-9)
    assert main(["report", str(out)]) == 0
    says((out / "report.html").read_text(), *HEADS)


@pytest.mark.parametrize(("spinors", "bytes_of_site"), [("half", 96), ("full", 192)])
def test_a_face_has_so_many_bytes_for_half_of_its_sites(spinors: str, bytes_of_site: int) -> None:
    overrides = [
        "lattice.size=[48,48,48,96]", "communication.process_grid=4x8x8x8",
        f"communication.spinors={spinors}",
    ]  # fmt: skip
    # Parts of 12×6×6×12 sites.
    faces = {"halo_x": 6 * 6 * 12, "halo_y": 12 * 6 * 12, "halo_t": 12 * 6 * 6}
    phases = plan(phasewise.load(STUDY, overrides), 2048)["phases"]
    for name, sites in faces.items():
        bytes_of = {phase["bytes"] for phase in phases if phase["name"] == name}
        assert bytes_of == {bytes_of_site * sites // 2}


def test_a_domain_has_the_surface_of_table_1() -> None:
    """24³×48 on 512 cores: 1.333; half spinors of half of the sites, four products an iteration."""
    overrides = ["lattice.size=[24,24,24,48]", "communication.spinors=half"]
    found = plan(phasewise.load(STUDY, overrides), 512)
    sent = sum(
        phase["bytes_per_rank"]
        for phase in found["phases"]
        if phase.get("piece") == "iteration" and phase["name"].startswith("halo")
    )
    assert sent / (4 * 96 / 2 * 6**4) == pytest.approx(4 / 3, rel=1e-12)

"""The pion's correlator of free quarks, against the sum over momenta and another program's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.driver import load_core

STUDY = Path(__file__).parent / "study.toml"

CHROMA = (0.5504480916, 0.0187776789, 0.00191303571, 0.000304754974, 0.000111618742)
"""Of the same study by Chroma, from t = 0 on."""


@pytest.fixture(scope="module")
def pion() -> Any:
    run: Any = load_core().start(phasewise.load(STUDY).parameters())
    run.step()
    return run.record()["pion"]


def gammas() -> Any:
    """Euclidean γ matrices (4, 4, 4); any basis gives the same traces."""
    pauli = np.array([[[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]])
    off = np.array([[0, -1j], [1j, 0]])
    space = [np.kron(off, sigma) for sigma in pauli]
    return np.array([*space, np.kron([[1, 0], [0, -1]], np.eye(2))])


def expected() -> Any:
    """Σ_x tr S†S of each time slice, 3 colours, from the propagator by momentum."""
    size, phases, mass = (4, 4, 4, 8), (0.2, 0.4, 0.0, 0.0), 1 / 0.2 - 4
    axes = [
        2 * np.pi * np.arange(n) / n + np.pi * phase / n
        for n, phase in zip(size, phases, strict=True)
    ]
    p = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    diagonal = mass + np.sum(1 - np.cos(p), axis=-1)
    matrix = diagonal[..., None, None] * np.eye(4) + 1j * np.einsum(
        "...m,mij->...ij", np.sin(p), gammas()
    )
    by_site = np.fft.ifftn(np.linalg.inv(matrix), axes=(0, 1, 2, 3))
    # The phases that remain have magnitude one.
    return 3 * np.sum(np.abs(by_site) ** 2, axis=(0, 1, 2, 4, 5))


def test_the_pion_is_the_sum_over_momenta(pion: Any) -> None:
    assert pion == pytest.approx(expected(), rel=1e-12)


def test_the_pion_is_that_of_another_program(pion: Any) -> None:
    assert pion[:5] == pytest.approx(CHROMA, abs=3e-8 * CHROMA[0])

"""Writes links of a constant field with a flux quantum in the xy plane and one in the zt plane, and
with noise on top.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

import numpy as np

from phasewise.workloads.qcd import Links

SIZE = 4
CHARGES = np.array([1.0, -1.0, 0.0])
"""The colours' charges in the field."""


def flux_links(noise: float, seed: int = 1) -> Links:
    """The links; noise: how far each is turned about a random direction."""
    phase = 2 * math.pi / SIZE**2
    place = np.arange(SIZE)
    angles = np.zeros((SIZE,) * 4 + (4,))  # t, z, y, x, direction
    angles[..., 1] = phase * place[None, None, None, :]
    angles[..., -1, 0] = -phase * SIZE * place[None, None, :]
    angles[..., 3] = phase * place[None, :, None, None]
    angles[:, -1, :, :, 2] = -phase * SIZE * place[:, None, None]
    links = np.exp(1j * angles[..., None] * CHARGES)[..., None] * np.eye(3)
    return Links(_turned(links, noise, np.random.default_rng(seed)))


def _turned(links: Any, noise: float, random: np.random.Generator) -> Any:
    """The links times exp(i noise A), with a random traceless Hermitian A for each."""
    parts = random.normal(size=(2, *links.shape))
    matrix = parts[0] + 1j * parts[1]
    matrix = matrix + matrix.conj().swapaxes(-1, -2)
    trace = np.trace(matrix, axis1=-2, axis2=-1)[..., None, None]
    values, vectors = np.linalg.eigh(noise * (matrix - trace / 3 * np.eye(3)))
    phases = np.exp(1j * values)[..., None, :]
    return links @ (vectors * phases) @ vectors.conj().swapaxes(-1, -2)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file")
    options.add_argument("--noise", type=float, default=0.1)
    given = options.parse_args()
    flux_links(given.noise).write(given.file)

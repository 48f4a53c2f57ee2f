"""The winds of a wave from its vorticity, compared with the formulas; on any number of ranks."""

from __future__ import annotations

import numpy as np

from phasewise.driver import load_core
from phasewise.workloads.sphere import SphericalTransform

AMPLITUDES = np.array([30e-6, 60e-6])[:, None, None]
"""Vorticity of the two levels [1/s]."""


def main() -> None:
    """Print the largest relative error of this rank's stream function and winds."""
    t = SphericalTransform(truncation=42, levels=2)
    latitude = np.arcsin(t.sines[t.latitudes])[:, None]
    longitude = 2 * np.pi * np.arange(t.shape[-1]) / t.shape[-1]
    cosine, sine = np.cos(latitude), np.sin(latitude)
    wave = cosine**4 * sine * np.cos(4 * longitude)
    vorticity = t.analyse(AMPLITUDES * wave)
    stream = t.synthesise(t.inverse_laplacian(vorticity))
    u, v = t.winds(vorticity, np.zeros_like(vorticity))

    a = t.radius
    slope = (cosine**5 - 4 * cosine**3 * sine**2) * np.cos(4 * longitude)
    east = -4 * cosine**3 * sine * np.sin(4 * longitude)
    wanted = {
        "stream function": (stream, -(a**2) / 30 * AMPLITUDES * wave),
        "u": (u, a / 30 * AMPLITUDES * slope),
        "v": (v, -a / 30 * AMPLITUDES * east),
    }
    rank = load_core().rank()
    for name, (found, formula) in wanted.items():
        error = np.abs(found - formula).max() / np.abs(formula).max()
        print(f"rank {rank}: {name} is right to {error:.1e}")


if __name__ == "__main__":
    main()

"""The studies that `phasewise bench collision` times, in the form of a TOML study."""

from __future__ import annotations

from typing import Any

_SIZES: dict[str, tuple[int, int, int]] = {
    "paper": (2_500_000, 256, 8),  # the source paper's: 5 million particles, 256², 8 slices
    "fine": (1_025_000, 128, 15),
    "small": (100_000, 64, 16),
}
"""Macroparticles per beam, nodes each way, slices."""

CASES = tuple(_SIZES)


def collision_case(name: str) -> dict[str, Any]:
    """The study of a case: head-on proton beams, a production turn with luminosity and second
    moments, one field plane per pair of slices (``ip.1.interpolation`` switches to two).
    """
    macroparticles, nodes, slices = _SIZES[name]
    return {
        "title": f"benchmark {name}",
        "turns": 1000,
        "seed": 1,
        "beam": {
            "1": {
                "particle": "proton",
                "energy": 7e12,
                "bunch_population": 1.15e11,
                "macroparticles": macroparticles,
                "normalized_emittance": [3.75e-6, 3.75e-6],
                "bunch_length": 0.0755,
                "momentum_spread": 1.13e-4,
            },
            "2": {"like": "beam.1"},
        },
        "ring": {"circumference": 26658.883, "bunches": 2808},
        "arc": {
            "tune": [64.31, 59.32],
            "synchrotron_tune": 0.0019,
            "chromaticity": [2.0, 2.0],
        },
        "ip": {
            "1": {
                "beta": [0.55, 0.55],
                "model": "strong-strong",
                "grid": [nodes, nodes],
                "slices": slices,
                "interpolation": "none",
                "longitudinal_kick": False,
            }
        },
        "records": {"moments_order": 2},
    }

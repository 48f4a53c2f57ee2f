"""A small valid study as tables, for tests that change one thing in it."""

from __future__ import annotations

import copy
from typing import Any

TABLES: dict[str, Any] = {
    "title": "two round proton bunches",
    "turns": 100,
    "seed": 3,
    "beam": {
        "1": {
            "particle": "proton",
            "energy": 7e12,
            "bunch_population": 1.15e11,
            "macroparticles": 1000,
            "normalized_emittance": [3.75e-6, 3.75e-6],
            "bunch_length": 0.0755,
            "momentum_spread": 1.13e-4,
        },
        "2": {"like": "beam.1"},
    },
    "ring": {"circumference": 26658.883, "bunches": 2808},
    "arc": {"tune": [64.31, 59.32], "synchrotron_tune": 0.0019, "chromaticity": [2.0, 2.0]},
    "ip": {
        "1": {
            "beta": [0.55, 0.55],
            "half_crossing_angle": 142.5e-6,
            "model": "strong-strong",
            "grid": [64, 64],
            "slices": 4,
        }
    },
}


def tables(**changes: Any) -> dict[str, Any]:
    """A copy of TABLES with dotted keys set, ``__`` for the dot: beam__1__energy=1e9."""
    copied = copy.deepcopy(TABLES)
    for name, value in changes.items():
        *path, last = name.split("__")
        table = copied
        for part in path:
            table = table.setdefault(part, {})
        if value is None:
            table.pop(last, None)
        else:
            table[last] = value
    return copied

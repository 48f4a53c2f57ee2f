"""A small ring with space charge and a collision, for tests."""

from __future__ import annotations

import copy
from typing import Any

from phasewise.study import Study
from phasewise.study.reading import apply_override

TABLES: dict[str, Any] = {
    "workload": ["spacecharge", "collision"],
    "turns": 2,
    "seed": 3,
    "beam": {
        "1": {
            "particle": "ion",
            "mass": 1.8e11,
            "charge": 79,
            "energy": 7.5e11,
            "bunch_population": 1e9,
            "macroparticles": 1501,
            "geometric_emittance": [1e-6, 1e-6],
            "bunch_length": 0.2,
            "momentum_spread": 1e-4,
        },
        "2": {"like": "beam.1", "macroparticles": 1000},
    },
    "ip": {"1": {"beta": [0.6, 0.6], "grid": [32, 32], "slices": 3}},
    "lattice": {
        "element": [
            {"kind": "drift", "length": 0.1},
            {"kind": "quadrupole", "length": 0.06, "k1": 20.0},
            {"kind": "monitor"},
            {"kind": "drift", "length": 0.15},
            {"kind": "quadrupole", "length": 0.06, "k1": -20.0},
            {"kind": "aperture", "half_width": [3e-3, 3e-3]},
            {"kind": "drift", "length": 0.1},
        ]
    },
    "solver": {"kicks": 2, "grid": [12, 14, 18]},
}
"""Two unequal bunches that lose some particles in the arc."""


def tables(*overrides: str, **more: Any) -> dict[str, Any]:
    """TABLES with other tables, and with keys set as `--set` does."""
    found = {**copy.deepcopy(TABLES), **copy.deepcopy(more)}
    for override in overrides:
        apply_override(found, override)
    return {name: value for name, value in found.items() if value is not None}


def study(*overrides: str, **more: Any) -> Study:
    """The study of these tables."""
    return Study.from_dict(tables(*overrides, **more))

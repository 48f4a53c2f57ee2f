"""Small studies of space charge, for tests."""

from __future__ import annotations

import copy
from typing import Any

from phasewise.study import Study
from phasewise.study.reading import apply_override

TABLES: dict[str, Any] = {
    "workload": "spacecharge",
    "turns": 2,
    "bunch": {
        "particle": "proton",
        "kinetic_energy": 6.7e6,
        "bunch_population": 1e9,
        "macroparticles": 3001,
        "geometric_emittance": [1e-6, 2e-6],
        "beta": [0.6, 0.7],
        "alpha": [-1.0, 0.8],
        "bunch_length": 0.02,
        "momentum_spread": 1e-3,
        "cut": 3.0,
    },
    "lattice": {
        "element": [
            {"kind": "drift", "length": 0.1},
            {"kind": "quadrupole", "length": 0.06, "k1": 60.0},
            {"kind": "monitor"},
            {"kind": "drift", "length": 0.15},
            {"kind": "quadrupole", "length": 0.06, "k1": -60.0},
            {"kind": "aperture", "half_width": [3.2e-3, 3.2e-3]},
            {"kind": "drift", "length": 0.1},
            {"kind": "monitor"},
        ]
    },
    "solver": {"kicks": 3, "grid": [12, 14, 18]},
}
"""A mismatched bunch that loses a few particles, at two monitors."""


def study(*changes: str, **tables: Any) -> Study:
    """The study with overrides as for ``--set``, and tables merged over its own."""
    given = copy.deepcopy(TABLES)
    for name, table in tables.items():
        given[name] = {**given.get(name, {}), **table} if isinstance(table, dict) else table
    for change in changes:
        apply_override(given, change)
    return Study.from_dict(given)

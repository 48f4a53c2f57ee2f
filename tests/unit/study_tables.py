"""A small valid study as tables or as a file, for tests that change one thing in it."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.study import Study

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

RF: dict[str, Any] = {
    "arc__synchrotron_tune": None,
    "arc__rf__voltage": 16e6,
    "arc__rf__harmonic": 35640,
    "arc__momentum_compaction": 3.225e-4,
}
"""Changes for longitudinal motion by RF."""


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


def build(**changes: Any) -> Study:
    return Study.from_dict(tables(**changes))


def write(folder: Path, text: str, name: str = "study.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def rotation(turns: float, beta: float) -> list[list[float]]:
    c, s = math.cos(2 * math.pi * turns), math.sin(2 * math.pi * turns)
    return [[c, beta * s], [-s / beta, c]]


def one_turn(scale: float = 1.0) -> list[list[float]]:
    """A symplectic map of the arc, times a factor."""
    matrix = np.zeros((6, 6))
    for k, (tune, beta) in enumerate([(0.31, 0.55), (0.32, 0.55), (0.002, 668.0)]):
        matrix[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = rotation(tune, beta)
    return (scale * matrix).tolist()


def json_as_toml(table: dict[str, Any], prefix: str = "") -> str:
    """TOML of nested tables whose values look the same in JSON."""
    plain = [f"{k} = {json.dumps(v)}" for k, v in table.items() if not isinstance(v, dict)]
    lines = [f"[{prefix[:-1]}]", *plain] if prefix else plain
    for key, value in table.items():
        if isinstance(value, dict):
            lines.append(json_as_toml(value, f"{prefix}{key}."))
    return "\n".join(lines)

"""Studies whose slices have so many particles, beside their mesh, that a device deposits them by
tiles: changes to those of tests/unit/study_tables.py.
"""

from __future__ import annotations

from typing import Any

FEW: dict[str, Any] = {
    "beam__1__macroparticles": 3000,
    "ip__1__slices": 2,
    "ip__1__grid": [16, 16],
}

CASES: dict[str, dict[str, Any]] = {
    "linear weights": {},
    "one plane": {"ip__1__interpolation": "none"},
    "quadratic weights": {"ip__1__weighting": "tsc"},
    "a longitudinal kick": {"ip__1__longitudinal_kick": True},
    "a mesh of which a tile holds the middle, and particles beyond": {
        "beam__1__macroparticles": 12000,
        "ip__1__grid": [96, 160],
        "ip__1__mesh": "fixed",
        "ip__1__mesh_half_width": [6e-5, 6e-5],
    },
    "beams of different size": {"beam__2__macroparticles": 200},
    "a beam of one macroparticle": {
        "beam__2__macroparticles": 1,
        "ip__1__grid": [8, 8],
        "ip__1__slices": 1,
    },
    "planes that are long and narrow": {"ip__1__grid": [512, 8], "beam__1__macroparticles": 9000},
    "one cell that holds all particles": {
        "beam__1__macroparticles": 30000,
        "ip__1__slices": 1,
        "ip__1__mesh": "fixed",
        "ip__1__mesh_half_width": [5e-2, 5e-2],
    },
    "one cell with quadratic weights": {
        "beam__1__macroparticles": 30000,
        "ip__1__slices": 1,
        "ip__1__weighting": "tsc",
        "ip__1__mesh": "fixed",
        "ip__1__mesh_half_width": [5e-2, 5e-2],
    },
    "particles outside the mesh": {
        "ip__1__mesh": "fixed",
        "ip__1__mesh_half_width": [2e-5, 2e-5],
    },
    "a flat beam, whose planes have meshes of their own": {
        "ip__1__beta": [0.55, 0.01],
        "ip__1__grid": [16, 32],
    },
}

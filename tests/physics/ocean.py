"""Oceans on one rank, with their fields as arrays [k][j][i] and NaN on land."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from phasewise.driver import Floats, StatefulRun, load_core
from phasewise.study import Study

FLAT: dict[str, Any] = {
    "geometry": "plane", "extent": [1.0e6, 8.0e5], "coriolis": 0.0, "beta": 0.0, "periodic": "xy",
    "depth": 4000.0, "levels": "uniform", "mask": "none", "timestep": 600.0, "wind": 0.0,
    "wind_profile": "none", "drag": 0.0, "viscosity": 0.0, "diffusivity": 0.0,
    "vertical_viscosity": 0.0, "vertical_diffusivity": 0.0, "initial": "rest", "solver": "pcg",
    "preconditioner": "diagonal", "tolerance": 1e-14,
}  # fmt: skip
"""A plane without land, friction or wind."""
GLOBE: dict[str, Any] = {
    "grid": [28, 22, 7], "timestep": 3600.0, "viscosity": 2.0e4, "diffusivity": 2.0e3,
    "solver": "pcg", "preconditioner": "diagonal",
}  # fmt: skip
"""Coarse continents; the timestep and mixing suit the narrow cells of high latitudes."""


class Sea:
    """A run whose fields can be read and set."""

    def __init__(
        self, keys: dict[str, Any], communication: dict[str, Any] | None = None, seed: int = 1
    ) -> None:
        study = Study.from_dict(
            {
                "workload": "ocean", "timesteps": 1_000_000, "seed": seed, "ocean": keys,
                "communication": communication or {},
            }
        )  # fmt: skip
        self.model = cast(Any, study.model)
        self.run = cast(StatefulRun, load_core().start(study.parameters(), 1))

    def step(self, timesteps: int = 1) -> dict[str, Any]:
        """The record of the last of these timesteps."""
        for _ in range(timesteps):
            self.run.step()
        return dict(self.run.record())

    def field(self, name: str) -> Floats:
        """The surface [j][i], or another field [k][j][i]."""
        nx, ny, nz = self.model.size
        rows = self.run.state()["columns" if name == "surface" else "cells"]
        levels = 1 if name == "surface" or not self.model.baroclinic else nz
        found = np.full(nx * ny * levels, np.nan)
        found[np.asarray(rows["id"], np.int64)] = rows[name]
        return found.reshape((levels, ny, nx) if name != "surface" else (ny, nx))

    def set(self, **fields: Floats) -> None:
        """Replace fields of cells, of this timestep and the one before."""
        rows = self.run.state()["cells"]
        ids = np.asarray(rows["id"], np.int64)
        columns = {name: np.asarray(rows[name]) for name in rows if name != "id"}
        for name, values in fields.items():
            flat = np.ascontiguousarray(values, dtype=np.float64).ravel()[ids]
            columns[name] = flat
            if f"{name}_before" in columns:
                columns[f"{name}_before"] = flat
        self.run.restore("cells", ids, columns)

"""The summary of a run of an atmosphere's columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from phasewise.runs.results import Results
from phasewise.runs.summary import Summary, TableRows, number

MEANS = ("load_before", "load_after", "moved", "bytes")
LAST = ("temperature", "surface_temperature", "water")
LABELS = {
    "load_before": "load before, largest over mean",
    "load_after": "load after",
    "moved": "columns moved in a timestep",
    "bytes": "bytes sent for them in a timestep",
    "temperature": "mean temperature [K]",
    "surface_temperature": "mean temperature of the surface [K]",
    "water": "mean vapour and cloud [kg/m²]",
    "energy_residual": "largest residual of the energy budget [W/m²]",
}


class AtmosphereSummary(Summary):
    """What it adds to the summary of a run."""

    def summarise(self, results: Results) -> dict[str, Any]:
        """load_before, load_after, moved and bytes: means over the timesteps. Of the physics
        temperature, surface_temperature and water after the last one, and energy_residual, the
        largest of all timesteps; None where costs come from a file.
        """
        found: dict[str, Any] = {name: float(np.mean(results.rows(name))) for name in MEANS}
        for name in LAST:
            found[name] = float(results.rows(name)[-1]) if results.holds(name) else None
        residual = None
        if results.holds("energy_residual"):
            residual = float(np.abs(results.rows("energy_residual")).max())
        return found | {"energy_residual": residual}

    def rows(self, summary: Mapping[str, Any]) -> TableRows:
        """A row for each."""
        rows = [
            [label, number(summary[name])]
            for name, label in LABELS.items()
            if summary.get(name) is not None
        ]
        return ["", ""], rows

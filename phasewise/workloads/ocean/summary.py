"""The summary of a run of an ocean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from phasewise.runs.results import Results
from phasewise.runs.summary import Summary, TableRows, number
from phasewise.workloads.ocean.recording import OF_ALL, OF_LEVELS

LABELS = {
    "volume": "volume [m³]",
    "kinetic_energy": "kinetic energy [J]",
    "largest_speed": "largest speed [m/s]",
    "largest_surface": "largest height of the surface [m]",
    "mean_temperature": "mean temperature [°C]",
    "mean_salinity": "mean salinity [g/kg]",
}


class OceanSummary(Summary):
    """What it adds to the summary of a run."""

    def summarise(self, results: Results) -> dict[str, Any]:
        """Sums after the last timestep; volume_change: of the volume, relative, since the first
        timestep; solver: iterations of all solves, iterations_per_solve, the largest residual, and
        bounds of the eigenvalues, None where none are known.
        """
        names = [name for name in (*OF_ALL, *OF_LEVELS) if name in LABELS and results.holds(name)]
        found: dict[str, Any] = {name: float(results.rows(name)[-1]) for name in names}
        volume = np.asarray(results.rows("volume"))
        found["volume_change"] = float((volume[-1] - volume[0]) / volume[0])
        bounds = np.asarray(results.rows("bounds"))[-1]
        iterations = np.asarray(results.rows("iterations"))
        found["solver"] = {
            "iterations": int(iterations.sum()),
            "iterations_per_solve": float(iterations.mean()),
            "residual": float(np.asarray(results.rows("residual")).max()),
            "bounds": bounds.tolist() if np.isfinite(bounds).all() and bounds[1] > 0 else None,
        }
        return found

    def rows(self, summary: Mapping[str, Any]) -> TableRows:
        """A row for each."""
        found = [
            [label, f"{summary[name]:.10g}"] for name, label in LABELS.items() if name in summary
        ]
        solver = summary["solver"]
        found += [
            ["change of the volume", number(summary["volume_change"])],
            ["iterations of a solve", number(solver["iterations_per_solve"])],
            ["largest residual", number(solver["residual"])],
        ]
        if solver["bounds"] is not None:
            least, largest = solver["bounds"]
            found.append(["eigenvalues", f"{least:.4g} to {largest:.4g}"])
        return ["", ""], found

"""The summary of a run of gas dynamics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.runs.results import Results
from phasewise.runs.summary import Summary, TableRows, number

SUMS = ("time", "mass", "energy", "mach")
FLOORS = ("density", "pressure")


class HydroSummary(Summary):
    """What it adds to the summary of a run."""

    def summarise(self, results: Results) -> dict[str, Any]:
        """time, mass, energy and mach after the last timestep; floors: how often density and
        pressure were set to their floors; l1: the mean error of the density, None without a
        solution.
        """
        found: dict[str, Any] = {name: float(results.rows(name)[-1]) for name in SUMS}
        counts = results.rows("floors")[-1]
        found["floors"] = {name: int(count) for name, count in zip(FLOORS, counts, strict=True)}
        found["l1"] = float(results.rows("l1")[-1]) if results.holds("l1") else None
        return found

    def rows(self, summary: Mapping[str, Any]) -> TableRows:
        """A row for each."""
        labels = {"time": "time", "mass": "mass", "energy": "energy", "mach": "largest Mach number"}
        found = [[label, f"{summary[name]:.10g}"] for name, label in labels.items()]
        floors = summary["floors"]
        found.append(["set to the floor", ", ".join(f"{name} {floors[name]}" for name in FLOORS)])
        if summary["l1"] is not None:
            found.append(["L1 error of the density", number(summary["l1"])])
        return ["", ""], found

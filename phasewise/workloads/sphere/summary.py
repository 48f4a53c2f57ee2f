"""The summary of a run of shallow water."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from phasewise.runs.results import Results
from phasewise.runs.summary import Summary, TableRows
from phasewise.workloads.sphere.places import Place
from phasewise.workloads.sphere.recording import INVARIANTS

NAMES = (*INVARIANTS, "l2")
LABELS = {
    "mass": "mean depth [m]",
    "energy": "energy [m³/s²]",
    "potential_enstrophy": "potential enstrophy [1/(m s²)]",
    "l2": "relative l2 error of the depth",
}
MOST_COLUMNS = 8
"""Most levels in the table of a run; the JSON has all."""


def place_text(place: Place) -> str:
    """A latitude and a longitude [degrees] in words: 40.46° N, 255.94° E."""
    latitude, longitude = place
    return (
        f"{abs(latitude):g}° {'S' if latitude < 0 else 'N'}, "
        f"{abs(longitude):g}° {'W' if longitude < 0 else 'E'}"
    )


class SphereSummary(Summary):
    """What it adds to the summary of a run."""

    def summarise(self, results: Results) -> dict[str, Any]:
        """mass, energy, potential_enstrophy and l2 after the last timestep: numbers with one level,
        lists with several, None where there is none; stations: the height at each.
        """
        found: dict[str, Any] = {}
        for name in NAMES:
            found[name] = _of_levels(results.rows(name)[-1]) if results.holds(name) else None
        heights = results.rows("stations")[-1] if results.holds("stations") else ()
        return found | {"stations": [_of_levels(height) for height in heights]}

    def rows(self, summary: Mapping[str, Any]) -> TableRows:
        """A column for each level, up to MOST_COLUMNS of them."""
        levels = len(_listed(summary["mass"]))
        shown = min(levels, MOST_COLUMNS)
        found = [
            [LABELS[name], *(_text(value) for value in _listed(summary[name])[:shown])]
            for name in NAMES
            if summary[name] is not None
        ]
        for number, height in enumerate(summary["stations"], 1):
            found.append([f"surface at station {number} [m]", *map(_text, _listed(height)[:shown])])
        heads = [""] if levels == 1 else [f"level {level}" for level in range(shown)]
        return ["", *heads], found


def _of_levels(values: Any) -> Any:
    """One level's value as a number, those of several as a list."""
    return float(values[0]) if len(values) == 1 else [float(value) for value in values]


def _listed(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _text(value: float | None) -> str:
    """A value with the digits by which runs are compared."""
    return "-" if value is None or math.isnan(value) else f"{value:.10g}"

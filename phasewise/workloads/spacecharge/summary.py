"""The summary of a run with space charge, for a table and for scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from phasewise.analysis.growth_rate import growth_rate
from phasewise.output import message
from phasewise.runs.results import Results
from phasewise.runs.summary import Summary, number

PLANES = ("x", "y", "z")
BEAMS = ("beam1", "beam2")


def _beam(results: Results, beam: str) -> dict[str, Any]:
    def recorded(name: str) -> Any:
        return results.rows(f"{beam}/{name}")

    covariance, emittance = recorded("covariance"), recorded("emittance")
    outside = int(recorded("outside").sum())
    deposits = int(recorded("particles").sum()) * results.study["solver"]["kicks"]
    if outside:
        message(
            f"warning: {outside} deposits of charge outside the mesh were left out "
            f"({100 * outside / max(deposits, 1):.2g} %), and their particles were not kicked; "
            "raise mesh_half_width"
        )
    turns = results.rows("turn").astype(np.float64)
    return {
        "sizes": np.sqrt(np.diagonal(covariance[-1])[[0, 2, 4]]).tolist(),
        "emittance": emittance[-1].tolist(),
        "emittance_growth": [_growth(turns, emittance[:, plane]) for plane in range(3)],
        "losses": int(recorded("losses")[-1]),
        "outside": outside,
        "bunch_at_end": {
            "mean": recorded("mean")[-1].tolist(),
            "covariance": covariance[-1].tolist(),
            "particles": int(recorded("particles")[-1]),
        },
    }


def _growth(turns: Any, values: Any) -> float | None:
    """Relative growth per turn; None where there are too few turns, or nothing that grows."""
    if not np.all(values > 0):
        return None
    found = growth_rate(turns, values)
    return None if found is None else found.per_turn


class SpaceChargeSummary(Summary):
    """What it adds to the summary of a run."""

    def summarise(self, results: Results) -> dict[str, Any]:
        """beams: each bunch, with its sizes and emittances [m], their growth, and its moments at
        the end (docs/records.md). A sentence on standard error reports charge outside the mesh.
        """
        beams = [beam for beam in BEAMS if results.holds(f"{beam}/mean")]
        return {"beams": [_beam(results, beam) for beam in beams]}

    def rows(self, summary: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
        """Heads and rows of the table of a run."""
        beams = summary["beams"]
        found = []
        for index, plane in enumerate(PLANES):
            for title, name in (
                (f"rms size {plane} [m]", "sizes"),
                (f"emittance {plane} [m]", "emittance"),
                (f"growth per turn, {plane}", "emittance_growth"),
            ):
                found.append([title, *(number(beam[name][index]) for beam in beams)])
        found.append(["particles lost", *(str(beam["losses"]) for beam in beams)])
        heads = [f"beam {k}" for k in range(1, len(beams) + 1)] if len(beams) > 1 else [""]
        return ["", *heads], found

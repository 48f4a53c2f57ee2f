"""The summary of a run with space charge, for a table and for scripts."""

from __future__ import annotations

from typing import Any

import numpy as np

from phasewise.analysis.growth_rate import growth_rate
from phasewise.output import message
from phasewise.runs.results import Results
from phasewise.runs.summary import number

PLANES = ("x", "y", "z")


def summarise(results: Results) -> dict[str, Any]:
    """beams: one bunch, with its sizes and emittances [m], their growth, and its moments at the
    end (docs/records.md). A sentence on standard error reports charge outside the mesh.
    """
    covariance = results.rows("beam1/covariance")
    emittance = results.rows("beam1/emittance")
    outside = int(results.rows("beam1/outside").sum())
    particles = int(results.rows("beam1/particles")[-1])
    deposits = int(results.rows("beam1/particles").sum()) * results.study["solver"]["kicks"]
    if outside:
        message(
            f"warning: {outside} deposits of charge outside the mesh were left out "
            f"({100 * outside / max(deposits, 1):.2g} %), and their particles were not kicked; "
            "raise mesh_half_width"
        )
    turns = results.rows("turn").astype(np.float64)
    beam = {
        "sizes": np.sqrt(np.diagonal(covariance[-1])[[0, 2, 4]]).tolist(),
        "emittance": emittance[-1].tolist(),
        "emittance_growth": [_growth(turns, emittance[:, plane]) for plane in range(3)],
        "losses": int(results.rows("beam1/losses")[-1]),
        "outside": outside,
        "bunch_at_end": {
            "mean": results.rows("beam1/mean")[-1].tolist(),
            "covariance": covariance[-1].tolist(),
            "particles": particles,
        },
    }
    return {"beams": [beam]}


def _growth(turns: Any, values: Any) -> float | None:
    """Relative growth per turn; None where there are too few turns, or nothing that grows."""
    if not np.all(values > 0):
        return None
    found = growth_rate(turns, values)
    return None if found is None else found.per_turn


def rows(summary: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of the table of a run."""
    (beam,) = summary["beams"]
    found = []
    for index, plane in enumerate(PLANES):
        found.append([f"rms size {plane} [m]", number(beam["sizes"][index])])
        found.append([f"emittance {plane} [m]", number(beam["emittance"][index])])
        found.append([f"growth per turn, {plane}", number(beam["emittance_growth"][index])])
    found.append(["particles lost", str(beam["losses"])])
    return ["", ""], found

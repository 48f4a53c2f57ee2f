"""The summary of a run with space charge, for a table and for scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from phasewise.output import message
from phasewise.runs.results import Results
from phasewise.runs.summary import Summary, number
from phasewise.workloads.spacecharge.analysis import (
    PLANES,
    Ring,
    footprint,
    growth,
    ring_of,
    tune_spread,
)
from phasewise.workloads.spacecharge.views import recorded_beams


def _beam(results: Results, beam: int, ring: Ring | None) -> dict[str, Any]:
    def recorded(name: str) -> Any:
        return results.rows(f"beam{beam}/{name}")

    covariance, emittance = recorded("covariance"), recorded("emittance")
    outside = int(recorded("outside").sum())
    deposits = int(recorded("particles").sum()) * results.study["solver"]["kicks"]
    if outside:
        message(
            f"warning: {outside} deposits of charge outside the mesh were left out "
            f"({100 * outside / max(deposits, 1):.2g} %), and their particles were not kicked; "
            "raise mesh_half_width"
        )
    fits = growth(results, beam, None if ring is None else ring.model.revolution_frequency)
    return {
        "sizes": np.sqrt(np.diagonal(covariance[-1])[[0, 2, 4]]).tolist(),
        "emittance": emittance[-1].tolist(),
        "emittance_growth": [None if fit is None else fit.per_turn for fit in fits],
        "emittance_growth_error": [None if fit is None else fit.error for fit in fits],
        "tune_shift": _tune_shift(results, beam, ring),
        "losses": int(recorded("losses")[-1]),
        "outside": outside,
        "bunch_at_end": {
            "mean": recorded("mean")[-1].tolist(),
            "covariance": covariance[-1].tolist(),
            "particles": int(recorded("particles")[-1]),
        },
    }


def _tune_shift(results: Results, beam: int, ring: Ring | None) -> dict[str, Any] | None:
    """Shifts of the tunes of the tracked particles; None without them."""
    found = footprint(results, ring, beam)
    if found is None or ring is None or ring.optics is None:
        return None
    return tune_spread(found, ring.optics).to_dict()


class SpaceChargeSummary(Summary):
    """What it adds to the summary of a run."""

    def summarise(self, results: Results) -> dict[str, Any]:
        """tunes and laslett_tune_shift of the lattice, and beams: each bunch, with its sizes and
        emittances [m], their growth, and its moments at the end (docs/spacecharge.md). A sentence
        on standard error reports charge outside the mesh.
        """
        ring = ring_of(results)
        return {
            "tunes": list(ring.optics.tunes) if ring and ring.optics else None,
            "laslett_tune_shift": list(ring.shift) if ring and ring.shift else None,
            "beams": [_beam(results, beam, ring) for beam in recorded_beams(results)],
        }

    def rows(self, summary: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
        """Heads and rows of the table of a run."""
        beams = summary["beams"]
        found = []
        for index, plane in enumerate(PLANES):
            sizes = (number(beam["sizes"][index]) for beam in beams)
            found.append([f"rms size {plane} [m]", *sizes])
            emittances = (number(beam["emittance"][index]) for beam in beams)
            found.append([f"emittance {plane} [m]", *emittances])
            found.append([f"growth per turn, {plane}", *(_rate(beam, index) for beam in beams)])
        for index, plane in enumerate(PLANES[:2]):
            if shift := summary["laslett_tune_shift"]:
                found.append([f"Laslett tune shift {plane}", *[number(shift[index])] * len(beams)])
            if any(beam["tune_shift"] for beam in beams):
                shifts = (_shift(beam["tune_shift"], index) for beam in beams)
                found.append([f"tune shift {plane}, mean ± spread (largest)", *shifts])
        found.append(["particles lost", *(str(beam["losses"]) for beam in beams)])
        heads = [f"beam {k}" for k in range(1, len(beams) + 1)] if len(beams) > 1 else [""]
        return ["", *heads], found


def _rate(beam: Mapping[str, Any], index: int) -> str:
    value, error = (beam[name][index] for name in ("emittance_growth", "emittance_growth_error"))
    return number(value) if value is None or error is None else f"{value:.3g} ± {error:.2g}"


def _shift(found: Mapping[str, Any] | None, index: int) -> str:
    if found is None:
        return "-"
    mean, spread, largest = (found[name][index] for name in ("mean", "spread", "largest"))
    return f"{mean:.4g} ± {spread:.2g} ({largest:.4g})"

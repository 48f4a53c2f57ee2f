"""Beamstrahlung in the summary of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from phasewise.runs.results import Results
from phasewise.runs.summary import number
from phasewise.workloads.collision.derived.noise_radiation import noise_share
from phasewise.workloads.collision.populations import per_macroparticle
from phasewise.workloads.collision.tables.point import is_strong, radiates

NAMES = {
    "number": "photons per particle and collision",
    "loss": "energy that they take, relative",
    "upsilon": "largest Υ",
    "noise_share": "share of that energy by the noise of macroparticles",
}
"""What a beam's `photons` hold, and how the table names it."""


def photons_of(results: Results, number_of_beam: int) -> dict[str, Any]:
    """`photons` of a beam: means over the turns and the points where its particles radiate; empty
    where they do not, as those of a strong beam.
    """
    beam = results.beam(number_of_beam)
    if beam.photons.size == 0 or is_strong(results.study, number_of_beam):
        return {}
    points = [results.study["ip"][str(k + 1)] for k in range(beam.photons.shape[1])]
    here = np.array([radiates(point) for point in points])
    return {
        "photons": {
            "number": float(np.mean(beam.photons[:, here])),
            "loss": float(np.mean(beam.photon_loss[:, here])),
            "upsilon": float(np.max(beam.upsilon[:, here])),
            "noise_share": noise_share(results.study, results.derived, number_of_beam),
        }
    }


def bhabha_of(results: Results, number_of_beam: int) -> dict[str, Any]:
    """`bhabha` of a beam: events a turn that the luminosity lets expect and those that were drawn,
    both of the real particles; empty without scattering. None are drawn of a strong beam.
    """
    beam = results.beam(number_of_beam)
    if beam.bhabha_expected.size == 0:
        return {}
    drawn: dict[str, Any] = {"events": None, "error": None, "drawn": None}
    if not is_strong(results.study, number_of_beam):
        turns = len(beam.bhabha_events)
        each = per_macroparticle(results.study, number_of_beam, np.arange(float(turns)))
        scales = np.array(
            [
                results.study["ip"][str(k + 1)].get("bhabha", {"scale": 1.0})["scale"]
                for k in range(beam.bhabha_events.shape[1])
            ]
        )
        drawn = {
            "events": float((each @ beam.bhabha_events / scales).sum() / turns),
            "error": float(np.sqrt((each**2 @ beam.bhabha_events / scales**2).sum()) / turns),
            "drawn": int(beam.bhabha_events.sum()),
        }
    return {"bhabha": {"expected": float(beam.bhabha_expected.sum(axis=1).mean())} | drawn}


def bhabha_rows(beams: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Rows of the table of a run."""
    if not all("bhabha" in beam for beam in beams):
        return []
    found = [beam["bhabha"] for beam in beams]
    drawn = [
        "-" if of["events"] is None else f"{of['events']:.4g} ± {of['error']:.2g}" for of in found
    ]
    return [
        ["radiative Bhabha events per turn, expected", *(number(of["expected"]) for of in found)],
        ["radiative Bhabha events per turn, drawn", *drawn],
    ]


def lifetime_rows(beams: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Rows of the table of a run: each lifetime in seconds, or in turns."""
    lifetimes = [beam.get("lifetime") for beam in beams]
    names = next((list(found) for found in lifetimes if found), [])
    rows = [["lifetime", *(_lifetime(found) for found in lifetimes)]] if names else []
    for name in names:
        if name not in ("turns", "seconds", "error"):
            shown = [_lifetime(found[name] if found else None) for found in lifetimes]
            rows.append([f"lifetime by {name}", *shown])
    return rows


def _lifetime(found: Mapping[str, float | None] | None) -> str:
    if found is None:
        return "-"
    if found["turns"] is None:
        return "no losses"
    if found["seconds"] is None:
        return f"{found['turns']:.4g} turns"
    return f"{found['seconds']:.4g} ± {found['error']:.2g} s"


def photon_rows(beams: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Rows of the table of a run."""
    if not any("photons" in beam for beam in beams):
        return []
    found = [beam.get("photons") for beam in beams]
    return [
        [text, *("-" if of is None else number(of[name]) for of in found)]
        for name, text in NAMES.items()
    ]

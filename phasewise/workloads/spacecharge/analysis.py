"""The analyses of a run with space charge: growth of emittances, and tunes of tracked particles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from phasewise.analysis import tune_footprint as footprints
from phasewise.analysis.growth_rate import Growth, growth_rate
from phasewise.analysis.tune_footprint import Footprint
from phasewise.errors import StudyError
from phasewise.runs.results import Results
from phasewise.study import Study
from phasewise.workloads.spacecharge.model import SpaceCharge
from phasewise.workloads.spacecharge.optics import Optics, optics_of
from phasewise.workloads.spacecharge.tune_shift import tune_shift

Pair = tuple[float, float]
PLANES = ("x", "y", "z")
WIDER = 0.75
"""A tune is sought within this part of the Laslett shift around its middle: within the shift, and a
quarter of it beyond both ends, where the machine's own detuning and resonances may take it.
"""
LEAST_REACH, MOST_REACH = 0.02, 0.25


@dataclass(frozen=True)
class Ring:
    """The machine of a run; what is not known is None."""

    model: SpaceCharge
    optics: Optics | None
    without_optics: str
    """Why there are no optics; empty if there are."""
    shift: Pair | None
    """The tune shift by space charge at small amplitudes."""


@dataclass(frozen=True)
class TuneSpread:
    """Shifts of the tunes of the tracked particles from the machine's, in x and y: mean, rms about
    the mean, and the largest one.
    """

    mean: Pair
    spread: Pair
    largest: Pair
    particles: int

    def to_dict(self) -> dict[str, Any]:
        """As the summary has it."""
        return {
            "mean": list(self.mean),
            "spread": list(self.spread),
            "largest": list(self.largest),
            "particles": self.particles,
        }


def ring_of(results: Results) -> Ring | None:
    """The machine of a run's results; None of a bunch that another workload makes, or if the study
    names a file that is gone.
    """
    try:
        model = Study.from_stored(results.study, results.folder).model
    except StudyError:
        return None
    if not isinstance(model, SpaceCharge):
        return None
    try:
        return Ring(model, optics_of(model), "", tune_shift(model))
    except StudyError as error:
        return Ring(model, None, str(error), None)


def growth(results: Results, beam: int, frequency: float | None) -> tuple[Growth | None, ...]:
    """The line through each emittance of a beam; None with too few turns, or without emittance.
    frequency in Hz.
    """
    turns = results.rows("turn").astype(np.float64)
    values = results.rows(f"beam{beam}/emittance")
    return tuple(
        growth_rate(turns, values[:, plane], frequency) if np.all(values[:, plane] > 0) else None
        for plane in range(len(PLANES))
    )


def footprint(results: Results, ring: Ring | None, beam: int = 1) -> Footprint | None:
    """Tunes of the tracked particles of a beam; None without them, with fewer than 64 turns, or
    without optics.
    """
    if ring is None or ring.optics is None or ring.model.bunch is None:
        return None
    if not results.holds(f"beam{beam}/tracked"):
        return None
    shift = ring.shift or (0.0, 0.0)
    reach = max(WIDER * max(map(abs, shift)), LEAST_REACH)
    optics, emittance = ring.optics, ring.model.bunch.geometric_emittance
    return footprints.tune_footprint(
        results.rows(f"beam{beam}/tracked"),
        (optics.tunes[0] + shift[0] / 2, optics.tunes[1] + shift[1] / 2),
        (emittance[0] or 1.0, emittance[1] or 1.0),
        footprints.Optics(optics.beta, optics.alpha, optics.dispersion),
        min(reach, MOST_REACH),
    )


def tune_spread(found: Footprint, optics: Optics) -> TuneSpread:
    """The shifts of a footprint from the tunes of the machine."""
    shifts = (found.tune - np.array(optics.tunes) + 0.5) % 1.0 - 0.5
    largest = shifts[np.argmax(np.abs(shifts), axis=0), [0, 1]]
    return TuneSpread(
        _pair(shifts.mean(axis=0)), _pair(shifts.std(axis=0)), _pair(largest), len(shifts)
    )


def _pair(values: Any) -> Pair:
    return float(values[0]), float(values[1])

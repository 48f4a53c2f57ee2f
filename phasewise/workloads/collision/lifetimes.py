"""Lifetimes of a beam by the losses of a run, and by the scattering that the luminosity tells.

With n of N macroparticles lost in T turns, the rate of a turn is n/ΣN(t) over the turns and its
relative error 1/√n. For radiative Bhabha scattering the rate that is expected has hardly an error:
the losses that the luminosity lets expect, over the bunch's population. Losses by energy are those
by beamstrahlung where particles radiate, and else those at an aperture, in momentum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from phasewise.runs.results import Results
from phasewise.workloads.collision.populations import per_macroparticle
from phasewise.workloads.collision.tables.point import is_strong


@dataclass(frozen=True)
class Rate:
    """Losses of a turn, relative, and their standard error."""

    value: float
    error: float

    def lifetime(self, turns_per_second: float | None) -> dict[str, float | None]:
        """turns, and seconds with their error; None where there is nothing to tell them from."""
        if self.value <= 0:
            return {"turns": None, "seconds": None, "error": None}
        turns = 1 / self.value
        if turns_per_second is None:
            return {"turns": turns, "seconds": None, "error": None}
        seconds = turns / turns_per_second
        return {"turns": turns, "seconds": seconds, "error": seconds * self.error / self.value}


def lifetimes_of(results: Results, number: int) -> dict[str, Any]:
    """`lifetime` of a beam: of all losses, and by cause. Empty without a momentum aperture, and for
    a strong beam, which loses nothing.
    """
    study = results.study
    arc, beam = study["arc"][str(number)], results.beam(number)
    never_lost = "momentum_aperture" not in arc or beam.lost_by_energy.size == 0
    if never_lost or is_strong(study, number):
        return {}
    frequency = results.derived["beams"][number - 1]["revolution_frequency"]
    passed = float(np.sum(beam.particles))
    causes = {}
    by_energy = beam.lost_by_energy.sum(axis=1)
    if beam.photons.size:
        causes["beamstrahlung"] = _rate(int(by_energy.sum()), passed)
    if beam.bhabha_lost.size:
        causes["bhabha"] = _bhabha(results, number, passed)
        by_energy = by_energy + beam.bhabha_lost.sum(axis=1)
    # `losses` of a turn are those before it, and those by energy happen in it.
    others = int(beam.losses[-1] - beam.losses[0] - by_energy[:-1].sum())
    if not beam.photons.size:
        others += int(beam.lost_by_energy.sum())
    causes["aperture"] = _rate(max(others, 0), passed)
    total = Rate(
        sum(rate.value for rate in causes.values()),
        math.sqrt(sum(rate.error**2 for rate in causes.values())),
    )
    return {
        "lifetime": total.lifetime(frequency)
        | {name: rate.lifetime(frequency) for name, rate in causes.items()}
    }


def _rate(lost: int, passed: float) -> Rate:
    return Rate(lost / max(passed, 1.0), math.sqrt(lost) / max(passed, 1.0))


def _bhabha(results: Results, number: int, passed: float) -> Rate:
    """By the luminosity, whose scatter from turn to turn gives the error."""
    beam = results.beam(number)
    real = beam.bhabha_losses_expected.sum(axis=1)
    # Of the macroparticles, each of which may stand for another number in every turn.
    expected = real / per_macroparticle(results.study, number, np.arange(float(len(real))))
    rate = float(expected.sum()) / max(passed, 1.0)
    mean = max(float(expected.mean()), 1e-300)
    scatter = float(np.std(expected)) / math.sqrt(len(expected)) / mean
    return Rate(rate, rate * scatter)

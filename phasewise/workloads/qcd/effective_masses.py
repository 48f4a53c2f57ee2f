"""The effective mass of a meson from its correlator, with errors over configurations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.runs.results import Results
from phasewise.workloads.qcd.resampling import jackknife

Floats = NDArray[np.float64]


def effective_masses(correlator: Floats) -> Floats:
    """The effective mass (2, L) in lattice units from a correlator (L,) that is periodic in time.

    First from two neighbours, ln C(t)/C(t+1) at t + 1/2; then from three, that of a cosh about the
    middle of the lattice, arcosh (C(t-1) + C(t+1))/(2 C(t)) at t. NaN where it does not exist, as
    at the source and, for two neighbours, at the last time.
    """
    following, before = np.roll(correlator, -1), np.roll(correlator, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        forwards = np.log(correlator / following)
        ratio = (before + following) / (2 * correlator)
        around = np.where(ratio >= 1, np.arccosh(np.maximum(ratio, 1)), np.nan)
    forwards[-1] = around[0] = np.nan
    return np.stack([forwards, around])


@dataclass(frozen=True)
class PionSamples:
    """The correlators of the pion of a run."""

    samples: Floats
    """(N, L): a row for each configuration, the mean over its solves."""

    @property
    def mean(self) -> Floats:
        """C(t), (L,)."""
        return np.asarray(self.samples.mean(axis=0))

    @property
    def masses(self) -> Floats:
        """The effective masses of the mean (2, L)."""
        return effective_masses(self.mean)

    @property
    def errors(self) -> tuple[Floats, Floats] | None:
        """The jackknife errors of the mean (L,) and of its effective masses (2, L); None with one
        configuration.
        """
        if len(self.samples) < 2:
            return None
        return jackknife(self.samples)[1], jackknife(self.samples, effective_masses)[1]


def configurations(results: Results) -> int:
    """How many different configurations the solves of a run have."""
    files = results.study["gauge"].get("files") or ()
    return min(max(len(files), 1), len(results))


def by_configuration(results: Results, name: str) -> NDArray[Any]:
    """A dataset with a row for each configuration, the mean over its solves."""
    rows, count = results.rows(name), configurations(results)
    return np.stack([rows[first::count].mean(axis=0) for first in range(count)])


def pion_of(results: Results) -> PionSamples:
    """The correlators of the pion of a run that measures it."""
    return PionSamples(by_configuration(results, "pion"))

"""The effective mass of a meson from its correlator, with errors over configurations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.analysis.autocorrelated import LEAST
from phasewise.runs.results import Results
from phasewise.workloads.qcd.ensemble_statistics import correlated, error_of, samples_of
from phasewise.workloads.qcd.resampling import jackknife, linearised

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
    correlated: bool = False
    """Whether configurations may depend on those before them."""

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
        """The errors of the mean (L,) and of its effective masses (2, L); None with one
        configuration, and with fewer than four that depend on each other.
        """
        if len(self.samples) < (LEAST if self.correlated else 2):
            return None
        if not self.correlated:
            return jackknife(self.samples)[1], jackknife(self.samples, effective_masses)[1]
        return _errors(self.samples), _errors(linearised(self.samples, effective_masses)[1])

    @property
    def method(self) -> str:
        """How the errors are found, in words."""
        kind = "Γ method" if self.correlated else "jackknife"
        return f"{kind} over {len(self.samples)} configurations"


def _errors(series: Floats) -> Floats:
    """The error of the mean of each column of a series (N, ...)."""
    columns = series.reshape(len(series), -1).T
    return np.array([error_of(column)[0] for column in columns]).reshape(series.shape[1:])


def pion_of(results: Results) -> PionSamples:
    """The correlators of the pion of a run that measures it."""
    samples = samples_of(results, "pion")
    return PionSamples(samples, correlated=correlated(results, len(samples)))

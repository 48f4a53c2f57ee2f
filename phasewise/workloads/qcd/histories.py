"""The configurations of a run, made or read from files, as pictures and tables show them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.analysis.autocorrelated import LEAST, Autocorrelation, autocorrelation
from phasewise.runs.results import Results
from phasewise.workload.interface import Unit
from phasewise.workloads.qcd.ensemble_statistics import (
    Entry,
    by_configuration,
    configurations,
    ensemble_of,
    is_chain,
    thermalisation,
)
from phasewise.workloads.qcd.update_keys import TRAJECTORY
from phasewise.workloads.qcd.update_summary import monomial_names

Floats = NDArray[np.float64]


FILE = Unit("file", "files")


class Histories:
    """What a run recorded of its T trajectories, or of the links of its T files: the mean over the
    solves on a file's links. Trajectories before `start` are its thermalisation, and count in no
    mean; `settled` says whether its end was found.
    """

    def __init__(self, results: Results) -> None:
        self.results = results
        found = thermalisation(results)
        self.chain = is_chain(results)
        self.start, self.settled = min(found.trajectories, len(results)), found.settled

    @cached_property
    def trajectory(self) -> NDArray[Any]:
        """The numbers of the trajectories, or of the files, (T,)."""
        if not self.chain:
            return np.arange(configurations(self.results))
        return np.asarray(self.results.turn)

    @property
    def unit(self) -> Unit:
        """The word for one of them."""
        return TRAJECTORY if self.chain else FILE

    @cached_property
    def monomials(self) -> list[str]:
        """The terms of the action whose forces were recorded."""
        return monomial_names(self.results)

    @cached_property
    def accepts(self) -> bool:
        """Whether trajectories are accepted or rejected."""
        return self.results.holds("delta_h")

    @cached_property
    def series(self) -> dict[str, Floats]:
        """Series (T,) by the name under which the picture shows them; NaN where nothing was
        measured.
        """
        space, time = (self.of(f"plaquette_{kind}") for kind in ("space", "time"))
        found = {"plaquette": 0.5 * (space + time)}
        if self.results.holds("rectangle"):
            found["rectangle"] = self.of("rectangle")
        if self.results.holds("flow_charge"):
            found["charge"] = np.asarray(self.of("flow_charge")[:, -1])
        if self.accepts:
            found["ΔH"] = self.of("delta_h")
        return found

    @cached_property
    def ensemble(self) -> dict[str, Entry]:
        """The means over what counts, as the summary has them."""
        return ensemble_of(self.results)

    @property
    def jackknifed(self) -> bool:
        """Whether errors are those of the jackknife, as they are of few files."""
        return not self.chain and self.ensemble["plaquette"].get("autocorrelation_time") is None

    def of(self, name: str) -> Floats:
        """A dataset as numbers, (T, ...)."""
        rows = np.asarray(self.results.rows(name), dtype=np.float64)
        return rows if self.chain else by_configuration(self.results, rows)

    def counted_rows(self, values: Floats) -> NDArray[Any]:
        """The rows from `start` on in which a series (T,) is finite."""
        return np.asarray(self.start + np.flatnonzero(np.isfinite(values[self.start :])))

    def counted(self, values: Floats) -> Floats:
        """The finite members of a series (T,) from `start` on."""
        return np.asarray(values[self.counted_rows(values)])

    def mean(self, values: Floats) -> Autocorrelation | None:
        """The mean of a series (T,) with its error; None where too few members count."""
        own = self.counted(values)
        return autocorrelation(own) if len(own) >= LEAST else None

    def spacing(self, values: Floats) -> int:
        """How many trajectories lie between two finite members of a series (T,)."""
        at = np.flatnonzero(np.isfinite(values))
        return int(at[1] - at[0]) if len(at) > 1 else 1

"""What the simulation and the results of gas dynamics add to those of every run."""

from __future__ import annotations

from typing import cast

import numpy as np

from phasewise.driver import Floats, StatefulRun
from phasewise.errors import RunError
from phasewise.runs.results import Results
from phasewise.runs.simulation import Simulation
from phasewise.runs.views import Views
from phasewise.study import Study
from phasewise.workloads.common.views import Pictures
from phasewise.workloads.hydro.faces import centres_of, faces_of
from phasewise.workloads.hydro.model import model_of
from phasewise.workloads.hydro.recording import GROUP
from phasewise.workloads.hydro.zones import FIELDS, fields_of, whole_fields


class HydroView:
    """The fields of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._model = model_of(simulation.study)

    def centres(self, axis: int) -> Floats:
        """The centres of zones along an axis, from 0."""
        return centres_of(self._model, axis)

    def field(self, name: str) -> Floats | None:
        """A field of the whole grid, [i][j][k], on rank 0, None on other ranks: density, pressure,
        velocity1, velocity2 or velocity3; ValueError for another name. Collective.
        """
        _check_field(name, FIELDS)
        self._simulation.start()
        run = cast(StatefulRun, self._simulation.driver)
        found = whole_fields(run, self._simulation.comm, self._model, [name])
        return None if found is None else found[name]


class HydroResults(Pictures):
    """The snapshots of a run, and pictures of them."""

    def __init__(self, results: Results) -> None:
        super().__init__(results)
        self._model = model_of(Study.from_stored(results.study))

    def centres(self, axis: int) -> Floats:
        """The centres of zones along an axis, from 0."""
        return centres_of(self._model, axis)

    def faces(self, axis: int) -> Floats:
        """The faces of zones along an axis, one more than zones."""
        return faces_of(self._model, axis)

    @property
    def time(self) -> Floats:
        """(T,): the time at the end of each recorded timestep."""
        return np.asarray(self._results.rows("time"))

    @property
    def snapshot_time(self) -> Floats:
        """(S,): the times of the snapshots."""
        numbers = self._results.snapshots(GROUP)
        times = [self._results.array(f"{GROUP}/{number}/time")[0] for number in numbers]
        return np.asarray(times, dtype=np.float64)

    def fields(self, name: str) -> Floats:
        """(S, n1, …): density, pressure, velocity1, … at the S times of the snapshots; RunError if
        there are none, ValueError for another name.
        """
        _check_field(name, fields_of(self._model))
        numbers = self._results.snapshots(GROUP)
        if not numbers:
            raise RunError("the run has no snapshots: they need records.snapshots in the study")
        return np.stack([self._results.array(f"{GROUP}/{number}/{name}") for number in numbers])


def _check_field(name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise ValueError(f"there is no field {name!r}: {', '.join(known)}")


class HydroViews(Views):
    """Fields of a simulation, and snapshots of results."""

    def simulation_view(self, simulation: Simulation) -> HydroView:
        return HydroView(simulation)

    def results_view(self, results: Results) -> HydroResults:
        return HydroResults(results)

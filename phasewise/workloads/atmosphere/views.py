"""What the simulation and the results of an atmosphere's columns add to those of every run."""

from __future__ import annotations

from typing import cast

import numpy as np

from phasewise.driver import Floats, StatefulRun
from phasewise.errors import RunError
from phasewise.runs.results import Results
from phasewise.runs.simulation import Simulation
from phasewise.runs.views import Views
from phasewise.study import Study
from phasewise.workloads.atmosphere.gathered import fields_of, whole_field
from phasewise.workloads.atmosphere.grid import HOUR, edges_of, latitudes_of, longitudes_of
from phasewise.workloads.atmosphere.model import model_of
from phasewise.workloads.atmosphere.recording import GROUP, maps_of
from phasewise.workloads.atmosphere.table import AtmosphereTable
from phasewise.workloads.common.views import Pictures


class _Columns:
    """Where columns are."""

    _model: AtmosphereTable

    @property
    def latitudes(self) -> Floats:
        """Of the columns from south to north [degrees]."""
        return latitudes_of(self._model.grid[0])

    @property
    def longitudes(self) -> Floats:
        """Of the columns eastward [degrees]."""
        return longitudes_of(self._model.grid[1])


class AtmosphereView(_Columns):
    """The columns of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._model = model_of(simulation.study)

    def field(self, name: str) -> Floats | None:
        """A field of all columns on rank 0, None on other ranks: surface_temperature [K],
        precipitation [kg/m²] or cost [s] (latitudes, longitudes), and temperature [K], vapour or
        cloud [kg/kg] (latitudes, longitudes, levels), the uppermost level first; with costs from a
        file cost alone. ValueError for another name. Collective.
        """
        _check_field(name, fields_of(self._model))
        self._simulation.start()
        run = cast(StatefulRun, self._simulation.driver)
        return whole_field(run, self._simulation.comm, self._model, name)


class AtmosphereResults(_Columns, Pictures):
    """The snapshots of a run, and pictures of them."""

    def __init__(self, results: Results) -> None:
        super().__init__(results)
        self._study = Study.from_stored(results.study)
        self._model = model_of(self._study)

    @property
    def edges(self) -> tuple[Floats, Floats]:
        """The edges of cells from west to east and from south to north [degrees]."""
        return edges_of(self._model.grid)

    @property
    def time(self) -> Floats:
        """(T,): hours of the day at longitude 0 that begin with that of the first timestep, after
        each recorded one.
        """
        return np.asarray(self._model.hour + (self._results.turn + 1) * self._model.timestep / HOUR)

    def maps(self, name: str) -> Floats:
        """(S, latitudes, longitudes): surface_temperature [K], precipitation [kg/m²] or cost [s] at
        the S times of the snapshots; RunError if there are none, ValueError for another name.
        """
        _check_field(name, maps_of(self._study))
        turns = self._results.snapshots(GROUP)
        if not turns:
            raise RunError("the run has no snapshots: they need records.snapshots_every")
        return np.stack([self._results.array(f"{GROUP}/{turn}/{name}") for turn in turns])


def _check_field(name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise ValueError(f"there is no field {name!r}: {', '.join(known)}")


class AtmosphereViews(Views):
    """Fields of a simulation, and snapshots of results."""

    def simulation_view(self, simulation: Simulation) -> AtmosphereView:
        return AtmosphereView(simulation)

    def results_view(self, results: Results) -> AtmosphereResults:
        return AtmosphereResults(results)

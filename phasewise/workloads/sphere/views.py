"""What the simulation and the results of shallow water add to those of every run."""

from __future__ import annotations

from typing import cast

import numpy as np

from phasewise.driver import Floats
from phasewise.errors import RunError
from phasewise.runs.results import Results
from phasewise.runs.simulation import Simulation
from phasewise.runs.views import Views
from phasewise.workloads.common.views import Pictures
from phasewise.workloads.sphere.driver import SphereRun
from phasewise.workloads.sphere.grid import latitudes_of, longitudes_of
from phasewise.workloads.sphere.model import model_of
from phasewise.workloads.sphere.recording import MAPS


class SphereView:
    """The fields of a simulation on this rank's latitudes."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._model = model_of(simulation.study)

    @property
    def _run(self) -> SphereRun:
        self._simulation.start()
        return cast(SphereRun, self._simulation.driver)

    @property
    def latitude(self) -> Floats:
        """(N,): this rank's latitudes from north to south [degrees]."""
        return latitudes_of(self._model.latitudes)[sorted(self._run.latitudes)]

    @property
    def longitude(self) -> Floats:
        """(NLON,): longitudes eastward from 0 [degrees]."""
        return longitudes_of(self._model.longitudes)

    def field(self, name: str) -> Floats:
        """(L, N, NLON): a field of all levels, copied: u, v [m/s], h, surface, mountain [m] or
        vorticity [1/s]; ValueError for another name.
        """
        run = self._run
        order = np.argsort(run.latitudes)
        shape = (len(order), self._model.longitudes, self._model.levels)
        values = np.asarray(run.field(name)).reshape(shape)
        return np.ascontiguousarray(values[order].transpose(2, 0, 1))


class SphereResults(Pictures):
    """The maps of a run, and pictures of them."""

    def __init__(self, results: Results) -> None:
        super().__init__(results)
        self._sphere = results.study["sphere"]

    @property
    def latitude(self) -> Floats:
        """(NLAT,): latitudes from north to south [degrees]."""
        return latitudes_of(int(self._sphere["latitudes"]))

    @property
    def longitude(self) -> Floats:
        """(NLON,): longitudes eastward from 0 [degrees]."""
        return longitudes_of(int(self._sphere["longitudes"]))

    @property
    def time(self) -> Floats:
        """(T,): the time after each recorded timestep [s]."""
        return np.asarray((self._results.turn + 1) * float(self._sphere["timestep"]))

    @property
    def map_time(self) -> Floats:
        """(S,): the times of the maps [s]."""
        turns = np.asarray(self._results.snapshots("maps"), dtype=np.float64)
        return (turns + 1) * float(self._sphere["timestep"])

    def maps(self, name: str) -> Floats:
        """(S, L, NLAT, NLON): surface [m], vorticity [1/s], u or v [m/s] at the S times of the
        maps; RunError if there are none, ValueError for another name.
        """
        if name not in MAPS:
            raise ValueError(f"there are no maps of {name!r}: {', '.join(MAPS)}")
        turns = self._results.snapshots("maps")
        if not turns:
            raise RunError("the run has no maps: they need records.maps_every in the study")
        return np.stack([self._results.array(f"maps/{turn}/{name}") for turn in turns])


class SphereViews(Views):
    """Fields of a simulation, and maps of results."""

    def simulation_view(self, simulation: Simulation) -> SphereView:
        return SphereView(simulation)

    def results_view(self, results: Results) -> SphereResults:
        return SphereResults(results)

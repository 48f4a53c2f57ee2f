"""What the simulation and the results of an ocean add to those of every run."""

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
from phasewise.workloads.ocean.driver import Integers, map_of
from phasewise.workloads.ocean.gathered import fields_of, whole_field
from phasewise.workloads.ocean.grid import edges_of, interfaces
from phasewise.workloads.ocean.model import model_of
from phasewise.workloads.ocean.recording import GROUP, maps_of


class OceanView:
    """The fields of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._model = model_of(simulation.study)

    @property
    def edges(self) -> tuple[Floats, Floats]:
        """The edges of cells along x and y: degrees on the sphere, km in a plane."""
        return edges_of(self._model)

    @property
    def sea_levels(self) -> Integers:
        """(ny, nx): the number of levels of each cell, 0 on land."""
        ranks = self._simulation.comm.size()
        return map_of(self._simulation.study.parameters(), ranks).levels

    def field(self, name: str) -> Floats | None:
        """A field of the whole ocean on rank 0, None on other ranks: surface (ny, nx), or
        temperature, salinity, u or v (nz, ny, nx); NaN on land; ValueError for another name.
        Collective.
        """
        _check_field(name, fields_of(self._model))
        self._simulation.start()
        run = cast(StatefulRun, self._simulation.driver)
        return whole_field(run, self._simulation.comm, self._model, name)


class OceanResults(Pictures):
    """The snapshots of a run, and pictures of them."""

    def __init__(self, results: Results) -> None:
        super().__init__(results)
        self._model = model_of(Study.from_stored(results.study))

    @property
    def edges(self) -> tuple[Floats, Floats]:
        """The edges of cells along x and y: degrees on the sphere, km in a plane."""
        return edges_of(self._model)

    @property
    def interfaces(self) -> Floats:
        """(nz+1,): depths between the levels [m]."""
        return interfaces(self._model.thicknesses)

    @property
    def time(self) -> Floats:
        """(T,): the time after each recorded timestep [s]."""
        return np.asarray((self._results.turn + 1) * self._model.timestep)

    @property
    def snapshot_time(self) -> Floats:
        """(S,): the times of the snapshots [s]."""
        turns = np.asarray(self._results.snapshots(GROUP), dtype=np.float64)
        return (turns + 1) * self._model.timestep

    def maps(self, name: str) -> Floats:
        """(S, ny, nx): surface [m], temperature [°C] or speed [m/s] of the uppermost level at the S
        times of the snapshots, or temperature_section (S, nz, ny); RunError if there are none,
        ValueError for another name.
        """
        known = (*maps_of(self._model), *(["temperature_section"] * self._model.baroclinic))
        _check_field(name, known)
        turns = self._results.snapshots(GROUP)
        if not turns:
            raise RunError("the run has no snapshots: they need records.snapshots_every")
        return np.stack([self._results.array(f"{GROUP}/{turn}/{name}") for turn in turns])


def _check_field(name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise ValueError(f"there is no field {name!r}: {', '.join(known)}")


class OceanViews(Views):
    """Fields of a simulation, and snapshots of results."""

    def simulation_view(self, simulation: Simulation) -> OceanView:
        return OceanView(simulation)

    def results_view(self, results: Results) -> OceanResults:
        return OceanResults(results)

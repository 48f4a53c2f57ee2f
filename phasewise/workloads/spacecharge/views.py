"""What the simulation and the results of space charge add to those of every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from phasewise.driver import Floats
from phasewise.runs.layout import entries
from phasewise.runs.results import Results
from phasewise.runs.simulation import Simulation
from phasewise.runs.views import Naming, Views
from phasewise.study import Study
from phasewise.workloads.common.beams import BeamRecords, BeamView, Dumps, Integers, sizes_of
from phasewise.workloads.spacecharge.driver import SpaceChargeRun
from phasewise.workloads.spacecharge.model import model_of

MOST_BEAMS = 2


class SpaceChargeView:
    """The particles of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def beam(self, number: int = 1) -> BeamView:
        """The particles of the bunch; ValueError for another number than 1."""
        if number != 1:
            raise ValueError(f"there is no beam {number}: the only bunch is beam 1")
        self._simulation.start()
        driver = cast(SpaceChargeRun, self._simulation.driver)
        return BeamView(driver.particles, number)


class BunchRecords(BeamRecords):
    """Records of one bunch over T turns, where the lattice ends; every access reads from the
    file.
    """

    @property
    def outside(self) -> Integers:
        """(T,): deposits of charge outside the mesh, summed over the kicks of the turn."""
        return self._rows("outside")

    @property
    def losses_at(self) -> Integers:
        """(T, A): macroparticles lost in the turn at each of the A apertures, in the order of the
        lattice; RunError of a lattice without apertures.
        """
        return self._rows("losses_at")

    @property
    def eigenemittance(self) -> Floats:
        """(T, 3): eigen-emittances [m]; RunError where nothing couples x and y."""
        return self._rows("eigenemittance")

    @property
    def monitor_mean(self) -> Floats:
        """(T, M, 6): means at each of the M monitors [m, 1]; RunError without monitors."""
        return self._rows("monitor_mean")

    @property
    def monitor_covariance(self) -> Floats:
        """(T, M, 6, 6): central second moments there [m², m, 1]."""
        return self._rows("monitor_covariance")


def recorded_beams(results: Results) -> list[int]:
    """The numbers of the bunches that a run recorded."""
    return [k for k in range(1, MOST_BEAMS + 1) if results.holds(f"beam{k}/mean")]


class SpaceChargeResults(Dumps):
    """The results of a run: bunches, dumps, and pictures of them."""

    def beam(self, number: int = 1) -> BunchRecords:
        """Records of a bunch; ValueError for a number that no bunch has."""
        known = recorded_beams(self._results)
        if number not in known:
            raise ValueError(f"there is no beam {number}: {' or '.join(map(str, known))}")
        return BunchRecords(self._results, number)


class SpaceChargeViews(Views):
    """Particles of a simulation, and the results of bunches."""

    def simulation_view(self, simulation: Simulation) -> SpaceChargeView:
        return SpaceChargeView(simulation)

    def results_view(self, results: Results) -> SpaceChargeResults:
        return SpaceChargeResults(results)

    def naming(self, study: Study) -> Naming:
        """The names of the datasets, and each bunch's `size` [m] beside them."""
        beams = [f"beam{bunch.number}" for bunch in model_of(study).bunches]

        def named(values: Mapping[str, Any]) -> dict[str, Any]:
            found = {**values, **entries(study, values)}
            for beam in beams:
                found.setdefault(f"{beam}/tracked", np.empty((0, 6)))
            return found | {f"{beam}/size": sizes_of(found[f"{beam}/covariance"]) for beam in beams}

        return named

"""What the simulation and the results of colliding beams add to those of every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from phasewise.driver import Floats
from phasewise.errors import RunError
from phasewise.runs.layout import entries
from phasewise.runs.results import Results
from phasewise.runs.simulation import Simulation
from phasewise.runs.views import Naming, Views
from phasewise.study import Study
from phasewise.workloads.collision.driver import CollisionRun
from phasewise.workloads.collision.luminosity import PER_SECOND, LuminosityUnit
from phasewise.workloads.collision.tables.point import is_strong
from phasewise.workloads.common.beams import BeamRecords, BeamView, Dumps, Integers, sizes_of


class CollisionView:
    """The particles of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def beam(self, number: int) -> BeamView:
        """The particles of beam 1 or 2; ValueError for another number."""
        if number not in (1, 2):
            raise ValueError(f"there is no beam {number}: 1 or 2")
        self._simulation.start()
        driver = cast(CollisionRun, self._simulation.driver)
        return BeamView(lambda: driver.particles(number), number)


class BeamResults(BeamRecords):
    """Records of one beam over T turns; every access reads from the file."""

    @property
    def moment3(self) -> Floats:
        """(T, 6): central third moments [m³, 1]; NaN with `moments_order = 2`."""
        return self._rows("moment3")

    @property
    def moment4(self) -> Floats:
        """(T, 6): central fourth moments [m⁴, 1]; NaN with `moments_order = 2`."""
        return self._rows("moment4")

    @property
    def debunched(self) -> Integers:
        """(T,): living macroparticles outside the RF bucket, 0 without RF; -1 in turns of a version
        that did not count them.
        """
        if not self._results.holds(f"beam{self.number}/debunched"):
            return np.full(len(self._results), -1)
        return self._rows("debunched")

    @property
    def photons(self) -> Floats:
        """(T, IP): photons of beamstrahlung per particle; empty where nobody radiates."""
        found: Floats = self._radiation("photons")
        return found

    @property
    def photon_loss(self) -> Floats:
        """(T, IP): sum of the shares of its energy that a particle's photons take, on average;
        empty where nobody radiates.
        """
        found: Floats = self._radiation("photon_loss")
        return found

    @property
    def photon_square(self) -> Floats:
        """(T, IP): sum of the squares of these shares, on average, 0 with "mean"; empty where
        nobody radiates.
        """
        found: Floats = self._radiation("photon_square")
        return found

    @property
    def upsilon(self) -> Floats:
        """(T, IP): largest Υ of a field in which a photon was drawn, to 1.5 %; empty where nobody
        radiates.
        """
        found: Floats = self._radiation("upsilon")
        return found

    @property
    def lost_by_energy(self) -> Integers:
        """(T, IP): macroparticles lost in a turn by their energy, other than by scattering; empty
        where none can be.
        """
        found: Integers = self._radiation("lost_by_energy")
        return found

    @property
    def bhabha_events(self) -> Integers:
        """(T, IP): events of radiative Bhabha scattering that were drawn, `scale` times as many as
        happen to the macroparticles; empty without scattering.
        """
        found: Integers = self._radiation("bhabha_events")
        return found

    @property
    def bhabha_lost(self) -> Integers:
        """(T, IP): macroparticles lost in a turn after such an event; empty without scattering."""
        found: Integers = self._radiation("bhabha_lost")
        return found

    @property
    def bhabha_expected(self) -> Floats:
        """(T, IP): events that the luminosity lets expect for the real particles; empty without
        scattering.
        """
        found: Floats = self._radiation("bhabha_expected")
        return found

    @property
    def bhabha_losses_expected(self) -> Floats:
        """(T, IP): real particles that they take beyond the momentum aperture; empty without
        scattering.
        """
        found: Floats = self._radiation("bhabha_losses_expected")
        return found

    def _radiation(self, name: str) -> Any:
        if not self._results.holds(f"beam{self.number}/{name}"):
            return np.zeros((0, 0))
        return self._rows(name)

    @property
    def outside(self) -> Integers:
        """(T, IP): particles outside the mesh, summed over the turn's steps."""
        return self._rows("outside")


class CollisionResults(Dumps):
    """The results of a run: luminosity, beams, slices, fields, dumps, and pictures of them."""

    @property
    def luminosity(self) -> Floats:
        """(T, IP): luminosity per crossing [m⁻²]."""
        return self._results.rows("luminosity")

    @property
    def luminosity_rate(self) -> Floats:
        """(T, IP): luminosity of all bunches [cm⁻²s⁻¹]; RunError where the study does not give
        `ring.bunches` and `ring.circumference`.
        """
        unit = LuminosityUnit(self._results.study, self._results.derived)
        if unit.name != PER_SECOND:
            raise RunError(
                "luminosity_rate needs ring.bunches and ring.circumference in the study; "
                "luminosity is per crossing"
            )
        return self.luminosity * unit.factor

    def beam(self, number: int) -> BeamResults:
        """Records of beam 1 or 2; ValueError for another number."""
        if number not in (1, 2):
            raise ValueError(f"there is no beam {number}: 1 or 2")
        return BeamResults(self._results, number)

    def slices(self, turn: int, ip: int = 1, beam: int = 1) -> dict[str, Floats]:
        """count (S,), z (S,) [m], mean (S, 4), sigma (S, 4) of x, px, y, py [m, 1] of the slices,
        head first. RunError where `records.slices_every` did not ask for them at this turn.
        """
        return self._results.arrays(f"slices/{turn}/ip{ip}/beam{beam}")

    def pair_luminosity(self, turn: int, ip: int = 1) -> Floats:
        """(S1, S2): luminosity of each pair of slices, beam 1's along the first axis [m⁻²].

        RunError where `records.pair_luminosity_every` did not ask for it at this turn.
        """
        return self._results.array(f"pair_luminosity/{turn}/ip{ip}")

    def photon_spectrum(self, beam: int = 1, turn: int | None = None) -> Floats:
        """(IP, 80): photons of a beam at each interaction point by the share u of the energy that
        they take, ten bins to a decade from 1e-8 to 1, of one turn or of all that were recorded.
        The first bin has the photons below, too.

        RunError where `records.photon_spectrum_every` did not ask for them.
        """
        turns = self._results.snapshots("photon_spectrum") if turn is None else [turn]
        if not turns:
            raise RunError("no spectrum of photons was recorded: set records.photon_spectrum_every")
        if is_strong(self._results.study, beam):
            raise RunError(f"beam {beam} emits no photons: it is strong")
        each = (self._results.array(f"photon_spectrum/{one}/beam{beam}") for one in turns)
        return np.asarray(sum(each))

    def field(self, turn: int, ip: int = 1, beam: int = 1) -> dict[str, Floats]:
        """x (nx,), y (ny,) [m]; charge, potential, ex, ey (nx, ny) of the middle slice of `beam`.

        RunError where `records.field` did not ask for it, or `turn` is not the last one.
        """
        return self._results.arrays(f"field/{turn}/ip{ip}/beam{beam}")


class CollisionViews(Views):
    """Particles of a simulation, and the results of beams."""

    def simulation_view(self, simulation: Simulation) -> CollisionView:
        return CollisionView(simulation)

    def results_view(self, results: Results) -> CollisionResults:
        return CollisionResults(results)

    def naming(self, study: Study) -> Naming:
        """Gives the values measured in a turn the names of the records, such as `luminosity` and
        `beam1/mean`, and adds each beam's `size` [m], and `luminosity_rate` [cm⁻²s⁻¹] where the
        study gives bunches and circumference. `tracked` is empty where no particles are tracked, as
        in the records. The driver's names, such as `1/mean`, stay beside them, since scripts use
        them.
        """
        unit = LuminosityUnit(study.resolved(), study.derived())
        known = unit.name == PER_SECOND

        def named(values: Mapping[str, Any]) -> dict[str, Any]:
            found = {**values, **entries(study, values)}
            for beam in ("beam1", "beam2"):
                found.setdefault(f"{beam}/tracked", np.empty((0, 6)))
                found[f"{beam}/size"] = sizes_of(found[f"{beam}/covariance"])
            return found | (
                {"luminosity_rate": values["luminosity"] * unit.factor} if known else {}
            )

        return named

"""The folder of a run of colliding beams with its analyses, each made once."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np

from phasewise.analysis.spectrum import Complexes, Floats, Signal
from phasewise.report.reported_run import ReportedRun
from phasewise.workloads.collision.analysis import (
    BeamGrowth,
    BothBeams,
    CoherentModes,
    Footprint,
    Luminosity,
    centroid_phasors,
    coherent_modes,
    footprint,
    growth,
    growth_of_both,
    luminosity,
    setting_of,
)
from phasewise.workloads.collision.analysis.coherent import sum_and_difference
from phasewise.workloads.collision.analysis.setting import Setting
from phasewise.workloads.collision.tables.point import radiates
from phasewise.workloads.collision.views import BeamResults
from phasewise.workloads.common.dumps import beams_of, dumps_in


class BeamsRun(ReportedRun):
    """A run's folder with the beams in it."""

    @cached_property
    def setting(self) -> Setting:
        """The machine."""
        return setting_of(self.results)

    @cached_property
    def beams(self) -> tuple[BeamResults, BeamResults]:
        """Records of the two beams."""
        return self.results.beam(1), self.results.beam(2)

    @cached_property
    def lost(self) -> str | None:
        """A sentence that says which beam was lost, and when; None if both have particles."""
        for number, beam in enumerate(self.beams, 1):
            empty = np.flatnonzero(np.asarray(beam.particles) == 0)
            if empty.size and not self.setting.beams[number - 1].strong:
                return f"Beam {number} was lost at turn {int(self.turn[empty[0]])}"
        return None

    @cached_property
    def points(self) -> list[int]:
        """Interaction points where the beams collide, from 1."""
        ips = self.study["ip"]
        return [int(k) for k in sorted(ips, key=int) if ips[k]["model"] != "none"]

    @cached_property
    def radiating(self) -> list[int]:
        """Interaction points where particles radiate in the other beam's field, from 1."""
        return [k for k in self.points if radiates(self.study["ip"][str(k)])]

    @cached_property
    def modes(self) -> CoherentModes:
        """σ and π modes."""
        return coherent_modes(self.results)

    @cached_property
    def phasors(self) -> tuple[tuple[Complexes, Complexes], ...]:
        """Phasors of the centroids, [beam][plane]."""
        return centroid_phasors(self.results)

    @property
    def without_centroids(self) -> str | None:
        """A sentence that says why centroids have no spectrum; None if they have one."""
        if np.isfinite(self.phasors).all():
            return None
        what = self.lost or "The centroids are not finite"
        return f"{what}: without centroids to the end there is no spectrum."

    def pair(self, plane: int) -> tuple[tuple[str, Signal], tuple[str, Signal]]:
        """Phasors (T,) of a plane with their names: half the sum and half the difference of the
        beams' centroids, or those of each beam if the run cannot show the modes.
        """
        first, second = self.phasors[0][plane], self.phasors[1][plane]
        if (self.modes.x, self.modes.y)[plane].sought:
            together, against = sum_and_difference(first, second)
            return ("sum", together), ("difference", against)
        return ("beam 1", first), ("beam 2", second)

    def centre(self, plane: int) -> float:
        """The tune around which spectra are shown: the machine's, else that of the σ mode."""
        tune = self.setting.tune(plane)
        if tune is not None:
            return tune
        sigma = (self.modes.x, self.modes.y)[plane].sigma
        return sigma.frequency if sigma else 0.25

    @cached_property
    def growth(self) -> tuple[BeamGrowth, BeamGrowth]:
        """Emittance growth of the beams."""
        return growth(self.results)

    @cached_property
    def growth_of_both(self) -> tuple[BothBeams | None, ...]:
        """Growth of the sum of both beams' emittances in x, y and z."""
        return growth_of_both(self.results)

    @cached_property
    def luminosity(self) -> tuple[Luminosity | None, ...]:
        """Luminosity of each interaction point."""
        return luminosity(self.results)

    @cached_property
    def footprints(self) -> tuple[Footprint | None, Footprint | None]:
        """Tune footprints of the beams."""
        return footprint(self.results, 1), footprint(self.results, 2)

    @cached_property
    def dumps(self) -> dict[int, Path]:
        """The particle dumps by turn, in order."""
        return dumps_in(self.results.folder / self.results.workload.dump_folder)

    def transverse(self, turn: int, beam: int) -> tuple[Floats, Floats]:
        """x and y [m] of the living particles of a beam in the dump of a turn, (n,) each."""
        table = self.results.particles(beam, self.dumps[turn])
        return table["x"], table["y"]

    @cached_property
    def first_transverse(self) -> dict[int, tuple[Floats, Floats]]:
        """x and y [m] in the first dump, by beam that is tracked; empty without a dump."""
        tracked = [k for k in (1, 2) if not self.setting.beams[k - 1].strong]
        return {k: self.transverse(min(self.dumps), k) for k in tracked if self.dumps}

    @cached_property
    def particles(self) -> tuple[int, dict[int, Floats]] | None:
        """Turn and living particles (6, n) by beam of the last dump, None without one.

        A beam with fewer than two particles left is not in it.
        """
        if not self.dumps:
            return None
        turn, last = max(self.dumps.items())
        numbers = [k for k in (1, 2) if not self.setting.beams[k - 1].strong]
        return turn, beams_of(last, numbers)

"""The folder of a run with space charge with its analyses, each made once."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from phasewise.analysis.growth_rate import Growth
from phasewise.analysis.tune_footprint import Footprint
from phasewise.report.beams.phase_space import Dumped
from phasewise.report.reported_run import ReportedRun
from phasewise.workloads.common.dumps import beams_of, dumps_in
from phasewise.workloads.spacecharge.analysis import Ring, footprint, growth, ring_of
from phasewise.workloads.spacecharge.views import BunchRecords, recorded_beams


class RingRun(ReportedRun):
    """A run's folder with the bunches in it."""

    @cached_property
    def ring(self) -> Ring | None:
        """The machine, if the study describes the bunch."""
        return ring_of(self.results)

    @cached_property
    def beams(self) -> tuple[BunchRecords, ...]:
        """Records of the bunches."""
        return tuple(BunchRecords(self.results, number) for number in recorded_beams(self.results))

    def name(self, beam: BunchRecords) -> str:
        """What pictures call a bunch."""
        return f"beam {beam.number}"

    @cached_property
    def growth(self) -> tuple[tuple[Growth | None, ...], ...]:
        """Growth of the emittances of each bunch in x, y and z."""
        frequency = None if self.ring is None else self.ring.model.revolution_frequency
        return tuple(growth(self.results, beam.number, frequency) for beam in self.beams)

    @cached_property
    def footprints(self) -> tuple[Footprint | None, ...]:
        """Tune footprints of the bunches."""
        return tuple(footprint(self.results, self.ring, beam.number) for beam in self.beams)

    @cached_property
    def dumps(self) -> dict[int, Path]:
        """The particle dumps by turn, in order."""
        return dumps_in(self.results.folder / self.results.workload.dump_folder)

    @cached_property
    def particles(self) -> Dumped | None:
        """Turn and living particles of the last dump, None without one."""
        if not self.dumps:
            return None
        turn, last = max(self.dumps.items())
        return turn, beams_of(last, [beam.number for beam in self.beams])

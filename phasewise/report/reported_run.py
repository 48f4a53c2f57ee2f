"""Everything a report shows of a run's folder, read and analysed once."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.analysis import (
    BeamGrowth,
    CoherentModes,
    Footprint,
    Luminosity,
    centroid_phasors,
    coherent_modes,
    footprint,
    growth,
    luminosity,
    setting_of,
)
from phasewise.analysis.setting import Setting
from phasewise.analysis.spectrum import Complexes, Floats
from phasewise.errors import RunError, StudyError
from phasewise.runs.results import BeamResults, Results
from phasewise.study import Study
from phasewise.traces.records import RECORD_FILE, Communication, Events, read_communication
from phasewise.traces.timeline import Timeline, one_turn, timeline

LEAST_TURNS = 2
# Of the time line: about one to each dot of the pictures.
INTERVALS = 1200
DUMP_NAME = re.compile(r"turn-(\d+)\.h5")


class RunFolder:
    """A run's folder as the report sees it; StudyError where it holds no records to show.

    A simulated machine may have run only the messages: then `has_records` is False, and study and
    communication are all there is.
    """

    def __init__(self, directory: str | Path, compare: Sequence[str | Path] = ()) -> None:
        """`compare`: folders of runs whose communication is shown beside this one's."""
        self.directory = Path(directory)
        if not self.directory.is_dir():
            raise StudyError(f"{self.directory} is not a folder: give the folder of a run")
        self.has_records = (self.directory / "records.h5").is_file()
        if not self.has_records and not (self.directory / RECORD_FILE).is_file():
            raise StudyError(f"{self.directory} holds no records.h5: give the folder of a run")
        self.compared = tuple(read_communication(folder) for folder in compare)
        if self.has_records and len(self.results) < LEAST_TURNS:
            raise RunError(
                f"{self.results.path} holds {len(self.results)} turns so far, too few for a report"
            )

    @cached_property
    def results(self) -> Results:
        """The records turn by turn; RunError where there are none or they cannot be read."""
        return Results(self.directory)

    def close(self) -> None:
        """Close the records."""
        if self.has_records:
            self.results.close()

    @cached_property
    def study(self) -> dict[str, Any]:
        """The resolved study."""
        if self.has_records:
            return self.results.study
        path = self.directory / "study.json"
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RunError(f"{path} cannot be read ({error})") from None
        if not isinstance(content, dict):
            raise RunError(f"{path} holds no study")
        return content

    @cached_property
    def derived(self) -> dict[str, Any]:
        """The study's derived quantities."""
        if self.has_records:
            return self.results.derived
        return Study.from_dict(self.study, self.directory).derived()

    @cached_property
    def communication(self) -> Communication | None:
        """What was recorded of the communication, None in the folder of an earlier phasewise."""
        if not (self.directory / RECORD_FILE).is_file():
            return None
        return read_communication(self.directory)

    @cached_property
    def timeline(self) -> Timeline | None:
        """What the ranks did during one turn, None where the run kept no events."""
        record = self.communication
        if record is None or not record.events.any():
            return None
        events = Events(record)
        span = one_turn(events, record)
        return None if span is None else timeline(events, span, INTERVALS)

    @cached_property
    def setting(self) -> Setting:
        """The machine."""
        return setting_of(self.results)

    @cached_property
    def turn(self) -> Floats:
        """Turns recorded, (T,)."""
        return np.asarray(self.results.turn, dtype=np.float64)

    @cached_property
    def beams(self) -> tuple[BeamResults, BeamResults]:
        """Records of the two beams."""
        return self.results.beam(1), self.results.beam(2)

    @cached_property
    def lost(self) -> str | None:
        """The sentence that a beam was lost, and when; None while both have particles."""
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
    def modes(self) -> CoherentModes:
        """σ and π modes."""
        return coherent_modes(self.results)

    @cached_property
    def phasors(self) -> tuple[tuple[Complexes, Complexes], ...]:
        """Phasors of the centroids, [beam][plane]."""
        return centroid_phasors(self.results)

    @cached_property
    def growth(self) -> tuple[BeamGrowth, BeamGrowth]:
        """Emittance growth of the beams."""
        return growth(self.results)

    @cached_property
    def luminosity(self) -> tuple[Luminosity | None, ...]:
        """Luminosity of each interaction point."""
        return luminosity(self.results)

    @cached_property
    def footprints(self) -> tuple[Footprint | None, Footprint | None]:
        """Tune footprints of the beams."""
        return footprint(self.results, 1), footprint(self.results, 2)

    @cached_property
    def particles(self) -> tuple[int, dict[int, Floats]] | None:
        """Turn and living particles (6, n) by beam of the last dump, None without one.

        A beam with fewer than two particles left is not in it.
        """
        named = ((DUMP_NAME.fullmatch(dump.name), dump) for dump in self.results.dumps())
        dumps = [(int(name[1]), dump) for name, dump in named if name]
        if not dumps:
            return None
        turn, last = max(dumps)
        found: dict[int, Floats] = {}
        for number in (1, 2):
            if not self.setting.beams[number - 1].strong:
                table = self.results.particles(number, last)
                names = ("x", "px", "y", "py", "z", "delta")
                coordinates = np.array([table[name] for name in names])
                if coordinates.shape[1] > 1:
                    found[number] = coordinates
        return turn, found

    @cached_property
    def performance(self) -> dict[str, Any]:
        """What kernels and communication phases cost, empty while the run goes on."""
        path = self.directory / "performance.json"
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

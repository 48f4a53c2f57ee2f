"""Everything a report shows of a run's folder, read and analysed once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.analysis.spectrum import Floats
from phasewise.errors import RunError, StudyError
from phasewise.report.palette import colours_in
from phasewise.runs.folder import RECORD_FILE
from phasewise.runs.results import Results
from phasewise.study import Study
from phasewise.study.laboratory import declared_tasks
from phasewise.tables.files import read_json
from phasewise.traces.excerpt import Excerpt
from phasewise.traces.records import CommunicationRecord, Events, read_communication
from phasewise.traces.timeline import DECLARED, Timeline, grouped, selected, timeline
from phasewise.workload.discovery import workload_of
from phasewise.workload.interface import Workload

# Intervals of the time line: about one per pixel of the pictures.
INTERVALS = 1200
WHOLE = Excerpt()


class ReportedRun:
    """A run's folder as the report sees it; StudyError if it holds no records to show.

    A simulation may have run only the messages: then `has_records` is False, and only study and
    communication are available.
    """

    def __init__(
        self,
        directory: str | Path,
        compare: Sequence[str | Path] = (),
        results: Results | None = None,
        excerpt: Excerpt = WHOLE,
        beside: str | Path | None = None,
    ) -> None:
        """`compare`: folders of runs whose communication is shown beside this one's; `results`: the
        results in the folder, if they are open already; `excerpt`: what the pictures in time show;
        `beside`: the folder of a run that they show on the same axis.
        """
        self.excerpt = excerpt
        self.directory = Path(directory)
        if not self.directory.is_dir():
            raise StudyError(f"{self.directory} is not a folder: give the folder of a run")
        if results is not None:
            self.results = results
        self.has_records = results is not None or (self.directory / "records.h5").is_file()
        if not self.has_records and not (self.directory / RECORD_FILE).is_file():
            raise StudyError(f"{self.directory} holds no records.h5: give the folder of a run")
        self.compared = tuple(read_communication(folder) for folder in compare)
        self._beside = None if beside is None else read_communication(beside)
        if self._beside is not None and not self._beside.events.any():
            raise StudyError(f"{beside} holds no events: run it again with --events 100000")
        if self.has_records and len(self.results) < self.workload.fewest_shown:
            raise RunError(
                f"{self.results.path} holds {self.workload.unit.of(len(self.results))} so far, "
                "too few for a report"
            )

    @cached_property
    def results(self) -> Results:
        """The records of all turns; RunError if there are none or they cannot be read."""
        return Results(self.directory)

    def close(self) -> None:
        """Close the records."""
        if self.has_records:
            self.results.close()

    @cached_property
    def study(self) -> dict[str, Any]:
        """The resolved study, with the keys as the version meant them that ran it."""
        stored = self._stored_study()
        try:
            return dict(Study.from_stored(stored, self.directory).given)
        except StudyError:  # it may name a file that is gone
            return stored

    def _stored_study(self) -> dict[str, Any]:
        if self.has_records:
            return self.results.study
        path = self.directory / "study.json"
        try:
            content = read_json(path)
        except FileNotFoundError:
            raise RunError(f"there is no {path}") from None
        if not isinstance(content, dict):
            raise RunError(f"{path} holds no study")
        return content

    @cached_property
    def workload(self) -> Workload:
        """The workload of the study."""
        return workload_of(self.study)

    @property
    def count(self) -> int:
        """How many turns, or other units that the workload counts, the study asks for."""
        return int(self.study[self.workload.unit.many])

    @cached_property
    def derived(self) -> dict[str, Any]:
        """The study's derived quantities."""
        if self.has_records:
            return self.results.derived
        return Study.from_dict(self.study, self.directory).derived()

    @cached_property
    def communication(self) -> CommunicationRecord | None:
        """The record of the communication; None if an earlier phasewise wrote the folder."""
        if not (self.directory / RECORD_FILE).is_file():
            return None
        return read_communication(self.directory)

    @cached_property
    def declared(self) -> dict[str, bool]:
        """The tasks that the workloads of the shown runs declare, and whether they compute."""
        found = {p.name for record in self.shown for p in record.phases if p.communicates}
        recorded = {name for record in self.shown for own in record.names for name in own}
        kernels = recorded - found
        workloads = (record.workload for record in self.shown if record.workload is not None)
        tasks = {n: names for own in workloads for n, names in declared_tasks(own).items()}
        return {task: not kernels.isdisjoint(names) for task, names in tasks.items()}

    @cached_property
    def colours(self) -> dict[str, str]:
        """The colour of each phase, kernel and declared task in all pictures of the report."""
        return colours_in((*self.shown, *self.compared), self.declared)

    @property
    def shown(self) -> tuple[CommunicationRecord, ...]:
        """The runs that the pictures in time show: this one, and the one beside it."""
        both = (self.communication, self._beside)
        return tuple(record for record in both if record is not None)

    @cached_property
    def timelines(self) -> tuple[Timeline, ...]:
        """What the ranks of the runs in `shown` did, in about one turn of each or in the stretch
        asked for; empty if this run kept no events.
        """
        record = self.communication
        if record is None or not record.events.any():
            return ()
        lines = [self._timeline(record) for record in self.shown]
        return tuple(line for line in lines if line is not None)

    def _timeline(self, record: CommunicationRecord) -> Timeline | None:
        events = Events(record)
        ranks = self.excerpt.ranks_of(record)
        declared = declared_tasks(record.workload) if record.workload is not None else {}
        asked = self.excerpt.tasks
        self.excerpt.check_tasks(events, record, declared)
        span = self.excerpt.span(events, record)
        if span is None:
            return None
        if asked != DECLARED and asked not in declared:
            return timeline(events, span, INTERVALS, ranks, asked)
        line = timeline(events, span, INTERVALS, ranks)
        return grouped(line, declared) if asked == DECLARED else selected(line, declared[asked])

    @cached_property
    def turn(self) -> Floats:
        """Turns recorded, (T,)."""
        return np.asarray(self.results.turn, dtype=np.float64)

    @cached_property
    def performance(self) -> dict[str, Any]:
        """What kernels and communication phases cost, empty while the run goes on."""
        path = self.directory / "performance.json"
        try:
            content = read_json(path)
        except (OSError, RunError):
            return {}
        return content if isinstance(content, dict) else {}

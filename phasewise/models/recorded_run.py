"""A recorded run with its study, as models see it: on the ranks and places of its record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import RunError, StudyError
from phasewise.runs.core_share import CoreShare
from phasewise.runs.folder import RECORD_FILE
from phasewise.study import Study
from phasewise.study.laboratory import Pieces, placed
from phasewise.tables.files import read_json
from phasewise.traces.records import CommunicationRecord, read_communication
from phasewise.workload.communication import LAYOUTS
from phasewise.workload.discovery import workload_of

STUDY_FILE = "study.json"


@dataclass(frozen=True)
class Recorded:
    """A run's folder: its record, its study as it was placed on the ranks, and the twin.

    `computes`: whether computation took time in the run. `tuned_turns`: the number of turns in
    which algorithms other than those of the record were tried.
    """

    directory: Path
    record: CommunicationRecord
    study: Study
    twin: str
    computes: bool
    tuned_turns: int

    @property
    def phases(self) -> dict[str, float]:
        """Seconds of a turn in each phase of communication, mean over the ranks."""
        turns = max(self.record.turns, 1)
        return {
            phase.name: float(np.mean(phase.communicating)) / turns
            for phase in self.record.phases
            if phase.communicates
        }

    @property
    def waiting(self) -> float:
        """Seconds of a turn in which a rank waits for a late sender, mean over the ranks; NaN if
        the messages do not say when their senders began.
        """
        waited = [float(np.mean(phase.waiting)) for phase in self.record.phases]
        return sum(waited) / max(self.record.turns, 1)

    @property
    def pieces(self) -> Pieces:
        """How often each data-dependent piece occurred in a turn."""
        return self.record.pieces

    @property
    def core_share(self) -> CoreShare | None:
        """How much of a core the ranks had; None if unknown."""
        return self.record.core_share

    @property
    def day(self) -> str:
        """When the record was written (ISO)."""
        written = (self.directory / RECORD_FILE).stat().st_mtime
        return datetime.fromtimestamp(written, UTC).date().isoformat()


def read_run(directory: str | Path) -> Recorded:
    """Read a run's folder; RunError, one sentence, if its record or its study is missing."""
    folder = Path(directory)
    record = read_communication(folder)
    if record.turns == 0:
        one = record.unit.one
        raise RunError(f"{folder / RECORD_FILE} holds no {one}: nothing was measured")
    head = _read_json(folder / RECORD_FILE)
    machine = head.get("machine")
    twin = str(machine.get("twin", "full")) if isinstance(machine, dict) else "full"
    computes = bool(head.get("computation", True))
    study = _study(folder, record, head["algorithms"])
    return Recorded(folder, record, study, twin, computes, int(head.get("tuned_turns", 0)))


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = read_json(path)
    except FileNotFoundError:
        raise RunError(f"{path.parent} holds no {path.name}: give the folder of a run") from None
    if not isinstance(content, dict):
        raise RunError(f"{path} is damaged: it is no JSON object")
    return content


def _study(folder: Path, record: CommunicationRecord, algorithms: dict[str, Any]) -> Study:
    """The resolved study of a folder, on the recorded process grid and places.

    algorithms: those of the record, by key of [communication].
    """
    path = folder / STUDY_FILE
    tables = _read_json(path)
    own = tables.get("communication")
    if isinstance(own, dict):
        # In a ring each workload has a table of its own.
        for table in (own, *(one for one in own.values() if isinstance(one, dict))):
            if table.get("layout", LAYOUTS[0]) not in LAYOUTS:
                # The layout file may be gone, but the record has the places.
                table["layout"], table["process_grid"] = LAYOUTS[0], "auto"
        if not record.simulated:
            # A run may have tuned itself; a simulation uses the algorithms of its study.
            usual = workload_of(tables).read_communication({}, folder)
            tables["communication"] = usual.with_algorithms(own, algorithms)
    try:
        study = Study.from_stored(tables, folder)
    except StudyError as error:
        raise RunError(f"{path} cannot be used: {error}") from None
    return replace(study, communication=placed(study, record))

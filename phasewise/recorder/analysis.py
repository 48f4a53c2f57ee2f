"""A recorded program seen as a whole: what it waited for and because of whom, its critical path,
and the numbers of its call sites.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import RunError
from phasewise.recorder.activity import Activity, activity_of
from phasewise.recorder.critical_path import Path as CriticalPath
from phasewise.recorder.critical_path import critical_path
from phasewise.recorder.culprits import Culprits
from phasewise.recorder.phases import Sites
from phasewise.recorder.recording import Recording, read_recording
from phasewise.recorder.summary import Site, site_table
from phasewise.runs.folder import RECORDING_FILE, TRACE_FOLDER


def is_recorded(folder: str | Path) -> bool:
    """Whether a folder holds the record of a program that ``phasewise record`` ran."""
    return (Path(folder) / TRACE_FOLDER).is_dir() or (Path(folder) / RECORDING_FILE).is_file()


class Analysis:
    """The analysis of a recorded program; RunError if its files are missing or damaged."""

    def __init__(self, folder: str | Path) -> None:
        self.recording: Recording = read_recording(Path(folder))
        if not self.recording.files:
            raise RunError(f"{folder} holds no rank's record: record the program again")
        self.sites = Sites(self.recording.files)

    @property
    def whole(self) -> bool:
        """Whether what waits for what is known: all ranks' traces reach to their ends."""
        return self.recording.whole

    @cached_property
    def activity(self) -> Activity:
        """What all threads did in time."""
        return activity_of(self.recording, self.sites)

    @cached_property
    def culprits(self) -> Culprits:
        """Who caused how much waiting."""
        return Culprits(self.activity, len(self.recording.files))

    @cached_property
    def path(self) -> CriticalPath:
        """The critical path."""
        return critical_path(self.activity, self.recording.dependences)

    @cached_property
    def site_table(self) -> list[Site]:
        """The call sites, the most expensive first."""
        waiting = self.recording.waiting() if self.whole else None
        return site_table(self.recording, self.sites, waiting)

    @cached_property
    def sizes(self) -> dict[tuple[str, str], tuple[int, float, int]]:
        """By site and call, the least, mean and largest bytes that a traced call sent or received;
        without those that had none.
        """
        found: dict[tuple[str, str], list[int]] = {}
        for place, calls in enumerate(self.recording.matching.calls):
            columns = calls.entries.columns
            most = np.maximum(columns["sent"], columns["received"])
            times = np.bincount(calls.entry, minlength=len(calls.entries))
            names = self.recording.files[place].functions
            for entry in np.flatnonzero((most > 0) & (times > 0)).tolist():
                site, call = int(columns["site"][entry]), int(columns["function"][entry])
                key = self.sites.chain(place, site), names[call]
                size, count = int(most[entry]), int(times[entry])
                own = found.setdefault(key, [size, 0, size, 0])
                own[0], own[2] = min(own[0], size), max(own[2], size)
                own[1] += size * count
                own[3] += count
        return {key: (own[0], own[1] / own[3], own[2]) for key, own in found.items()}

    def to_dict(self) -> dict[str, Any]:
        """What ``report --json`` gains; null where the traces do not reach to the end."""
        if not self.whole:
            return {"waiting": None, "critical_path": None}
        world = [file.head.rank for file in self.recording.files]
        return {
            "waiting": [
                {
                    "cause": one.cause,
                    "seconds": one.seconds,
                    "site": one.label.site,
                    "call": one.label.call,
                    "caused_by_rank": one.rank,
                    "caused_by_site": one.by.site,
                    "caused_by_call": one.by.call,
                    "meanwhile": one.part,
                }
                for one in self.culprits.rows(world)
            ],
            "critical_path": [
                {
                    "site": step.label.site,
                    "seconds": step.seconds,
                    "call": step.label.call,
                    "part": step.part,
                    "shorter": step.shorter,
                }
                for step in self.path.steps
            ],
        }

"""The summary that a run leaves in its folder once it has ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phasewise.runs.folder import RECORD_FILE, RunFolder
from phasewise.runs.results import Results
from phasewise.runs.summary import finite, summarise
from phasewise.runs.tuning_file import read_tuning, tuning_summary
from phasewise.traces.records import CommunicationRecord, read_communication
from phasewise.traces.summary import communication_summary


@dataclass(frozen=True)
class Kept:
    """The summary of a run, as ``summary.json`` has it, and what it was made from."""

    summary: dict[str, Any]
    record: CommunicationRecord | None
    """The record of the communication; None if a run that had already ended kept none."""
    tuning: dict[str, Any] | None
    """What a run that tunes itself tried."""


def keep_summary(results: Results) -> Kept:
    """Write ``summary.json`` into the folder of a run that has ended."""
    folder = RunFolder(results.folder)
    recorded = (results.folder / RECORD_FILE).exists()
    record = read_communication(results.folder) if recorded else None
    communication = None if record is None else communication_summary(record)
    summary: dict[str, Any] = finite(summarise(results, communication))
    core_share = None if record is None else record.core_share
    summary["core_share"] = None if core_share is None else core_share.share
    tuned = results.study.get("communication", {}).get("tune") == "auto"
    tuning = read_tuning(folder) if tuned else None
    if tuning:
        summary["tuning"] = tuning_summary(tuning)
    folder.write_json("summary.json", summary)
    return Kept(summary, record, tuning)

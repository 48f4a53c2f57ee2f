"""Converts what the driver wrote on a simulated machine to the records of a run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from phasewise.errors import RunError
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.runs.folder import EVENT_FILE, RECORD_FILE, RunFolder
from phasewise.runs.records import RecordsWriter, json_attribute
from phasewise.study import Study
from phasewise.tables.files import read_json
from phasewise.version import __version__
from phasewise.workload.interface import Unit

TURN_FILE = "turns.jsonl"

SCALED_TIMES = ("computing", "communicating", "waiting")
SCALED_COUNTS = ("calls", "messages", "bytes")


def take_communication(source: Path, target: Path, unit: Unit, extra: dict[str, Any]) -> None:
    """Write the driver's communication.json and events.bin of `source` into `target`.

    unit: what the workload counts, which the driver calls turns. extra: what the driver does not
    know, such as the machine. If steps were sampled, the times and counts of each phase are scaled
    to all steps.
    """
    content = _scaled(source)
    ranks = content.pop("rank")
    counted = {"unit": [unit.one, unit.many], unit.many: content.pop("turns")}
    head = json.dumps(content | counted | extra)
    lines = ",\n  ".join(json.dumps(rank) for rank in ranks)
    try:
        (target / RECORD_FILE).unlink(missing_ok=True)
        (target / EVENT_FILE).unlink(missing_ok=True)
        if (source / EVENT_FILE).is_file():
            shutil.move(source / EVENT_FILE, target / EVENT_FILE)
        replace_text(target / RECORD_FILE, f'{head[:-1]},\n "rank": [\n  {lines}\n]}}\n')
    except OSError as error:
        raise RunError(
            f"the record of the communication cannot be written into {target} "
            f"({disk_reason(error)})"
        ) from error


def seconds_of(source: Path) -> float:
    """Time [s] of all turns in the driver's communication.json of `source`, scaled to all steps."""
    return float(_scaled(source)["seconds"])


def _scaled(source: Path) -> dict[str, Any]:
    """The driver's communication.json, with times and counts scaled to those of all steps."""
    content: dict[str, Any] = read_json(source / RECORD_FILE)
    scale = content.get("scale", {})
    for rank in content["rank"]:
        _scale_rank(rank, scale)
    content["seconds"] = max(rank["seconds"] for rank in content["rank"])
    return content


def _scale_rank(rank: dict[str, Any], scale: dict[str, float]) -> None:
    for name, phase in rank["phases"].items():
        factor = scale.get(name, 1.0)
        if factor == 1.0:
            continue
        rank["seconds"] += (factor - 1.0) * (phase["computing"] + phase["communicating"])
        for key in SCALED_TIMES:
            if phase[key] is not None:  # null: unknown waiting
                phase[key] *= factor
        for key in SCALED_COUNTS:
            phase[key] = round(phase[key] * factor)
        phase["sent_to"] = {
            peer: [round(count * factor) for count in sent]
            for peer, sent in phase["sent_to"].items()
        }


def take_records(
    source: Path, folder: RunFolder, study: Study, ranks: int, seconds_per_turn: float
) -> None:
    """Write records.h5 of `folder` from the driver's turns in `source`, if these are enough."""
    turns = source / TURN_FILE
    if study.count < study.workload.fewest_shown or not turns.is_file():
        return
    attributes = {
        "study": json_attribute(study.resolved()),
        "derived": json_attribute(study.derived()),
        "version": __version__,
        "ranks": ranks,
        "threads": 1,
    }
    writer = RecordsWriter(folder.records, study, attributes)
    try:
        with turns.open(encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                writer.append(record.pop("turn"), record)
    except BaseException:
        writer.close_after_failure()
        raise
    writer.close(True, seconds_per_turn)

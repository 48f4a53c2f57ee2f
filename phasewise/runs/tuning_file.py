"""Reads, summarises and shows ``tuning.json`` of a run with `tune = "auto"`."""

from __future__ import annotations

from typing import Any

from phasewise.errors import RunError
from phasewise.output import message, print_table
from phasewise.runs import choices
from phasewise.runs.folder import TUNING_FILE, RunFolder
from phasewise.tables.files import read_json
from phasewise.workload.interface import Unit

TURN = Unit()


def read_tuning(folder: RunFolder) -> dict[str, Any] | None:
    """The content of a run's `tuning.json`; None if there is none or, after a message, if it is
    damaged.
    """
    path = folder.path / TUNING_FILE
    try:
        found = read_json(path)
    except OSError:
        return None
    except RunError:
        found = None
    if not choices.well_formed(found):
        message(f"{path} is damaged and is not shown")
        return None
    return dict(found)


def tuning_summary(report: dict[str, Any]) -> dict[str, Any]:
    """The entry `tuning` of ``run --json``: the file's content without version and cache key."""
    return {name: value for name, value in report.items() if name not in ("version", "key")}


def show_tuning(report: dict[str, Any], unit: Unit = TURN) -> None:
    """Print what was tried and what was chosen."""
    tried = [entry for entry in report["candidates"] if entry["turns"]]
    if not tried:
        return print(f'tune = "auto": {report["note"]}; the study\'s choice stayed')
    base = report["given_seconds"]
    rows = [
        [
            written(entry["changes"]) + (" (chosen)" if _chosen(entry, report) else ""),
            "-" if entry["seconds"] is None else f"{1e3 * entry['seconds']:.4g}",
            "-"
            if not (entry["seconds"] and base)
            else f"{100 * (entry['seconds'] / base - 1):+.1f}",
            str(entry["turns"]),
            entry["note"],
        ]
        for entry in tried
    ]
    source = f" before, kept in {report['from_cache']}" if report["from_cache"] else ""
    title = f"Tuning: {len(tried)} ways to exchange, tried{source}"
    print_table(title, ["changes", f"ms {unit.indefinite}", "%", unit.many, ""], rows)
    return None


def _chosen(entry: dict[str, Any], report: dict[str, Any]) -> bool:
    return report["choice"] is not None and entry["changes"] == report["changes"]


def written(change: dict[str, Any]) -> str:
    """A candidate's changes in one line."""
    words = {True: "true", False: "false"}
    return (
        ", ".join(
            f"{key} {words[value] if isinstance(value, bool) else value}"
            for key, value in change.items()
        )
        or "as the study says"
    )

"""The summary at the end of a run: what every run has, and what its workload adds (`Summary`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from phasewise.errors import RunError
from phasewise.output import print_table
from phasewise.runs.results import Results
from phasewise.workload.discovery import workload_of
from phasewise.workload.interface import Part

TableRows = tuple[list[str], list[list[str]]]
"""The heads of a table, and its rows."""


class Summary(Part):
    """What a workload adds to the summary of a run."""

    MODULE = "summary"

    def summarise(self, results: Results) -> dict[str, Any]:
        """Its entries of the summary, ready for JSON except for infinities."""
        return {}

    def rows(self, summary: Mapping[str, Any]) -> TableRows:
        """The table that shows these entries."""
        return ["", ""], []


def summarise(results: Results, communication: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The summary of a run (docs/records.md), ready for JSON.

    communication: the summary of its record, where there is one.
    """
    if len(results) == 0:
        raise RunError(f"{results.path} holds no {results.workload.unit.one}")
    unit = results.workload.unit
    count = int(results.rows(unit.one)[-1]) + 1
    return {
        unit.many: count,
        f"seconds_per_{unit.one}": results.seconds_per_turn,
        **results.workload.part(Summary).summarise(results),
        "communication": communication,
    }


def finite(value: Any) -> Any:
    """`value` with None in the place of every NaN and infinity, as JSON has neither."""
    if isinstance(value, dict):
        return {key: finite(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def show_summary(summary: dict[str, Any], study: Mapping[str, Any]) -> None:
    """Print the summary of a run as a short table; `study` is the resolved study."""
    workload = workload_of(study)
    unit = workload.unit
    heads, rows = workload.part(Summary).rows(summary)
    blank = [""] * (len(heads) - 2)
    seconds = summary[f"seconds_per_{unit.one}"]
    first = [
        [unit.many, str(summary[unit.many]), *blank],
        [f"seconds per {unit.one}", number(seconds), *blank],
    ]
    print_table("Result", heads, [*first, *rows])


def number(value: float | None) -> str:
    """A number in a table."""
    return "-" if value is None else f"{value:.5g}"

"""The summary of a run of collectives."""

from __future__ import annotations

from typing import Any

from phasewise.runs.results import Results


def summarise(results: Results) -> dict[str, Any]:
    """wrong: values that were wrong in all exchanges; None if they were not checked."""
    checked = results.study["collectives"]["verify"]
    return {"wrong": int(results.rows("wrong").sum()) if checked else None}


def rows(summary: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of the table of a run."""
    wrong = "not checked" if summary["wrong"] is None else str(summary["wrong"])
    return ["", ""], [["wrong values", wrong]]

"""The summary of a run of serial kernels."""

from __future__ import annotations

from typing import Any

from phasewise.runs.results import Results


def summarise(results: Results) -> dict[str, Any]:
    """residual: the largest test ratio of all turns; None if nothing was checked."""
    checked = results.study["kernels"]["verify"]
    return {"residual": float(results.rows("residual").max()) if checked else None}


def rows(summary: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of the table of a run."""
    ratio = summary["residual"]
    return ["", ""], [["test ratio", "not checked" if ratio is None else f"{ratio:.3g}"]]

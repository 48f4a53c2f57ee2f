"""The summary of a run whose exchanges are verified, item by item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.runs.results import Results
from phasewise.runs.summary import Summary, TableRows


class CommonSummary(Summary):
    """`wrong`: how many items were wrong in all turns; None if they were not verified."""

    def summarise(self, results: Results) -> dict[str, Any]:
        if not self.workload.verifies:
            return {}
        return {"wrong": int(results.rows("wrong").sum()) if results.holds("wrong") else None}

    def rows(self, summary: Mapping[str, Any]) -> TableRows:
        if not self.workload.verifies:
            return super().rows(summary)
        wrong = "not checked" if summary["wrong"] is None else str(summary["wrong"])
        return ["", ""], [[f"wrong {self.workload.verifies}", wrong]]

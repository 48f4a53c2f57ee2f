"""What records and summaries say of serial kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.runs.layout import Dataset, Recording
from phasewise.runs.results import Results
from phasewise.runs.summary import Summary, TableRows
from phasewise.study import Study
from phasewise.workloads.kernels.model import model_of

ACCEPTED = 30.0
"""LAPACK's own tests accept ratios below it."""


class KernelsRecording(Recording):
    """The test ratio, where the study verifies the result."""

    def rows(self, study: Study) -> Mapping[str, Dataset]:
        if not model_of(study).verify:
            return {}
        return {"residual": Dataset((), "Test ratio of the result, the largest of all ranks.")}

    def fault(self, study: Study, record: Mapping[str, Any]) -> str:
        model = model_of(study)
        ratio = record["residual"] if model.verify else 0.0
        if ratio < ACCEPTED:
            return ""
        return (
            f"{model.kernel} of {model.library}, n = {model.n}, has a test ratio of {ratio:.3g}; "
            f"below {ACCEPTED:.0f} is accepted"
        )


class KernelsSummary(Summary):
    """The test ratio."""

    def summarise(self, results: Results) -> dict[str, Any]:
        """residual: the largest test ratio of all turns; None if nothing was checked."""
        known = results.holds("residual")
        return {"residual": float(results.rows("residual").max()) if known else None}

    def rows(self, summary: Mapping[str, Any]) -> TableRows:
        ratio = summary["residual"]
        return ["", ""], [["test ratio", "not checked" if ratio is None else f"{ratio:.3g}"]]

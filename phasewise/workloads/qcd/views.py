"""What the results of solves add to those of every run."""

from __future__ import annotations

from typing import Any

from phasewise.runs.results import Results


class QcdResults:
    """Pictures of a run of solves."""

    def __init__(self, results: Results) -> None:
        self._results = results

    @property
    def plot(self) -> Any:
        """The pictures of the report, drawn on axes (`phasewise.report.plots.Plots`)."""
        # Imported when asked for: Matplotlib is large.
        from phasewise.report.plots import Plots

        return Plots(self._results)


def results_view(results: Results) -> QcdResults:
    """Pictures of a run."""
    return QcdResults(results)

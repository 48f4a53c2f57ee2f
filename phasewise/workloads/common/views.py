"""What the results of every workload show: the pictures of its report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasewise.runs.results import Results
from phasewise.runs.views import Views

if TYPE_CHECKING:
    from phasewise.report.plots import Plots


class Pictures:
    """The pictures of a run."""

    def __init__(self, results: Results) -> None:
        self._results = results

    @property
    def plot(self) -> Plots:
        """The pictures of the report, drawn on axes (`phasewise.report.plots.Plots`)."""
        # Imported when asked for: Matplotlib is large.
        from phasewise.report.plots import Plots

        return Plots(self._results)


class CommonViews(Views):
    """Pictures alone."""

    def results_view(self, results: Results) -> object:
        return Pictures(results)

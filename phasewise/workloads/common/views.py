"""What the results of every workload show: the pictures and films of its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from phasewise.runs.results import Results
from phasewise.runs.views import Views

if TYPE_CHECKING:
    from phasewise.report.plots import Plots


class Pictures:
    """The pictures and films of a run."""

    def __init__(self, results: Results) -> None:
        self._results = results

    @property
    def plot(self) -> Plots:
        """The pictures of the report, drawn on axes (`phasewise.report.plots.Plots`)."""
        # Imported when asked for: Matplotlib is large.
        from phasewise.report.plots import Plots

        return Plots(self._results)

    def film(
        self,
        name: str,
        path: str | Path,
        frames_per_second: float = 8.0,
        most_frames: int = 300,
    ) -> None:
        """Write a film of the snapshots of a field to `path`, as an animated PNG.

        Args:
            name: The field, such as `charge-density-1`, the name of its picture in the report.
            path: The file, which appears once it is whole.
            frames_per_second: 0.02 … 100.
            most_frames: The film shows at most so many snapshots, evenly spread.

        Raises:
            RunError: There is no such field, the run has no snapshots of it, or the file cannot be
                written.
        """
        from phasewise.report.films import write_film

        write_film(self._results, name, Path(path), frames_per_second, most_frames)


class CommonViews(Views):
    """Pictures alone."""

    def results_view(self, results: Results) -> object:
        return Pictures(results)

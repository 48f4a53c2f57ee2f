"""The pictures of a report, drawn from Python on axes of one's own: ``results.plot``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.gridspec import GridSpec

from phasewise.errors import RunError
from phasewise.report.contents import chapters_of
from phasewise.report.figure import Missing
from phasewise.report.reported_run import WHOLE
from phasewise.report.reporting import Draw, kind_of
from phasewise.report.style import WIDTH, drawn_with, picture_style
from phasewise.runs.results import Results
from phasewise.traces.excerpt import Excerpt


class Plots:
    """The pictures of a run's report as methods: ``plot.luminosity(ax=None)``; ``dir(plot)`` lists
    them, under the names of the report's files with ``_`` for ``-``. A picture whose name is a
    plural, such as ``sizes``, is also found under the singular, ``plot.size``.

    Each method draws on the axes ``ax``, which are divided if the picture has several panels, or on
    an array of axes with the picture's rows and columns; without ``ax`` it makes a figure. It
    returns the axes, or an array (rows, columns) of several. `compare`: folders of runs whose
    communication is shown beside this one's. The pictures in time also take `beside`, the folder of
    a run that they show on the same axis, and `excerpt`, the part that they show. RunError if the
    run did not record what the picture shows, or if there is nothing to show, such as the losses of
    a run that lost nothing.
    """

    def __init__(self, results: Results) -> None:
        self._results = results
        self._run = kind_of(results.workload)(results.folder, results=results)

    def _pictures(self) -> dict[str, Draw]:
        figures = [figure for chapter in chapters_of(self._run) for figure in chapter.figures]
        return {name.replace("-", "_"): draw for name, _, draw in figures}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not name.startswith("_") and f"{name}s" in self._pictures():
            name += "s"
        if name.startswith("_") or name not in self._pictures():
            raise AttributeError(f"there is no picture {name!r}: dir(results.plot) lists them")
        return partial(self._draw, name)

    def __dir__(self) -> list[str]:
        return list(self._pictures())

    def _draw(
        self,
        name: str,
        ax: Any = None,
        compare: Sequence[str | Path] = (),
        beside: str | Path | None = None,
        excerpt: Excerpt = WHOLE,
    ) -> Any:
        run = self._run
        if compare or beside is not None or excerpt != WHOLE:
            run = kind_of(self._results.workload)(
                run.directory, compare, self._results, excerpt, beside
            )
        made: list[Any] = []

        def panels(rows: int, columns: int, height: float, options: dict[str, Any]) -> Any:
            axes = _axes(ax, rows, columns, height, options)
            made.append(axes)
            return axes[0, 0].get_figure(), axes

        with picture_style(), drawn_with(panels):
            drawn = self._pictures()[name](run)
        if isinstance(drawn, Missing):
            raise RunError(drawn.sentence)
        return made[0][0, 0] if made[0].size == 1 else made[0]


def _axes(ax: Any, rows: int, columns: int, height: float, options: dict[str, Any]) -> Any:
    """An array (rows, columns) of axes: those given, parts of the one given, or new ones."""
    if ax is None:
        figure = pyplot.figure(figsize=(WIDTH, height), layout="constrained", facecolor="white")
        return figure.subplots(rows, columns, squeeze=False, **options)
    if not isinstance(ax, Axes):
        given = np.atleast_2d(np.asarray(ax, dtype=object))
        if given.size != rows * columns:
            raise ValueError(f"the picture has {rows} x {columns} panels, and ax {given.size} axes")
        return given.reshape(rows, columns)
    if rows * columns == 1:
        return np.array([[ax]], dtype=object)
    ax.set_axis_off()
    heights = options.pop("height_ratios", None)
    return _within(ax, rows, columns, heights).subplots(squeeze=False, **options)


def _within(ax: Axes, rows: int, columns: int, heights: Sequence[float] | None) -> Any:
    """A grid that takes the place of axes; heights: of the rows, against each other."""
    figure = ax.get_figure(root=True)
    if (place := ax.get_subplotspec()) is not None:
        return place.subgridspec(rows, columns, height_ratios=heights)
    box = ax.get_position()
    sides = {"left": box.x0, "right": box.x1, "bottom": box.y0, "top": box.y1}
    return GridSpec(rows, columns, figure, height_ratios=heights, **sides)

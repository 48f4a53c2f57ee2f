"""The slides' pictures of serial kernels: rates against the size of the problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from phasewise.report.figure import Drawing, Figure, Missing, make_figure
from phasewise.report.predictions import COLOURS, logarithmic, rank_axis
from phasewise.report.style import new_picture
from phasewise.workloads.kernels.model import EIGENPROBLEMS

ALONE = "Measured here, on one core"

SLIDES = {
    "kernels-dgemm": ("DGEMM Benchmark", ("dgemm",), "rows of the matrices"),
    "kernels-mod2d": ("Euroben MOD2D Benchmark", EIGENPROBLEMS, "rows of the matrix"),
    "kernels-mod2e": ("Euroben MOD2E Benchmark", ("lanczos",), "points along a side"),
}
"""By name: the slide's title, its kernels, and what n counts."""


def make_figures(rows: Sequence[Mapping[str, Any]], pictures: Path | None) -> tuple[Figure, ...]:
    """All pictures; PNG files go into a folder where one is given."""
    return tuple(
        make_figure(name, title, partial(_draw, rows, title, kernels, counted), pictures)
        for name, (title, kernels, counted) in SLIDES.items()
    )


def _draw(
    rows: Sequence[Mapping[str, Any]], title: str, kernels: Sequence[str], counted: str
) -> Drawing | Missing:
    own = [row for row in rows if row["kernel"] in kernels]
    if not own:
        return Missing(f"No library for {' or '.join(kernels)} was found.")
    canvas, axes = new_picture(1, 1, 3.9)
    axis = axes[0, 0]
    lines = dict.fromkeys((row["kernel"], row["library"]) for row in own)
    for index, (kernel, library) in enumerate(lines):
        points = [row for row in own if (row["kernel"], row["library"]) == (kernel, library)]
        axis.plot(
            [row["n"] for row in points],
            [row["gigaflops"] for row in points],
            "o-",
            color=COLOURS[index % len(COLOURS)],
            markersize=3,
            label=f"{kernel}, {library}" if len(kernels) > 1 else library,
        )
    rank_axis(axis, sorted({row["n"] for row in own}))
    axis.set_xlabel(counted)
    axis.set_title("rate [Gflop/s]")
    logarithmic(axis)
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Drawing(canvas, f"{title}: {', '.join(kernels)}. {ALONE}.")

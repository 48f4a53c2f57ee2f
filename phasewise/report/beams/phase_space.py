"""Pictures of the particles of a dump: phase space and density."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure as Canvas
from matplotlib.image import AxesImage
from matplotlib.ticker import FuncFormatter, NullFormatter

from phasewise.analysis.spectrum import Floats
from phasewise.report.beams.colours import BEAM
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import INK, log_ticks, new_picture, scale

MOST_BINS = 110
"""Most bins along an axis; few particles get fewer bins, with one particle in each on average."""
FEWEST_BINS = 24
# Bin contents outside this many rms are not shown.
REACH = 5.0
NO_DUMPS = Missing("Set records.particles_every to a number of turns to see the particles.")
PLANES = (("x", "px"), ("y", "py"), ("z", "δ"))
UNITS = (("m", "rad"), ("m", "rad"), ("m", ""))


Dumped = tuple[int, Mapping[int, Floats]]
"""The turn of a dump, and by the number of the beam its living particles (6, n), n > 1."""


def _missing(dumped: Dumped | None) -> Missing:
    """Why a dump has nothing to show."""
    if dumped is None:
        return NO_DUMPS
    return Missing(f"No particles were left at turn {dumped[0]}, when they were dumped last.")


def draw_phase_space(dumped: Dumped | None, place: str) -> Drawing | Missing:
    """Phase space x-px, y-py, z-δ of the beams of a dump, which was made at this place."""
    if dumped is None or not dumped[1]:
        return _missing(dumped)
    turn, beams = dumped
    canvas, axes = new_picture(len(beams), 3, 0.6 + 2.5 * len(beams))
    for row, (number, particles) in enumerate(beams.items()):
        for plane, (names, units) in enumerate(zip(PLANES, UNITS, strict=True)):
            axis: Axes = axes[row, plane]
            pair = particles[2 * plane], particles[2 * plane + 1]
            picture = _histogram(axis, *pair, names, units)
            axis.set_title(f"beam {number}" if plane == 0 else "")
            _count_bar(canvas, picture, axis, named=plane == 2)
    return Drawing(
        canvas,
        f"Phase space at turn {turn} {place}, macroparticles per bin in logarithmic "
        f"colour, within ±{REACH:g} rms. Angles are Px/P0 and Py/P0, δ = (P − P0)/P0.",
    )


def draw_density(dumped: Dumped | None, place: str) -> Drawing | Missing:
    """Density in x-y of the beams of a dump, and profiles against Gaussians of the same rms."""
    if dumped is None or not dumped[1]:
        return _missing(dumped)
    turn, beams = dumped
    canvas, axes = new_picture(len(beams), 3, 0.6 + 2.5 * len(beams))
    for row, (number, particles) in enumerate(beams.items()):
        picture = _histogram(axes[row, 0], particles[0], particles[2], ("x", "y"), ("m", "m"))
        _count_bar(canvas, picture, axes[row, 0], named=True)
        axes[row, 0].set_title(f"beam {number}")
        for column, (coordinate, name) in enumerate(((0, "x"), (2, "y")), 1):
            _profile(axes[row, column], particles[coordinate], name, BEAM[number - 1])
    return Drawing(
        canvas,
        f"Density at turn {turn} {place} within ±{REACH:g} rms, and profiles in x and y "
        "(steps) against the Gaussian of the same rms (dashed): tails show as steps above it.",
    )


def bins_of(particles: int) -> int:
    """The number of bins along an axis for so many particles."""
    return int(np.clip(np.sqrt(particles), FEWEST_BINS, MOST_BINS))


def _histogram(
    axis: Axes, first: Floats, second: Floats, names: tuple[str, str], units: tuple[str, str]
) -> AxesImage:
    scaled, labels, window = [], [], []
    for values, name, unit in zip((first, second), names, units, strict=True):
        mean, rms = float(np.mean(values)), float(np.std(values)) or 1e-12
        factor, label = scale(REACH * rms, unit) if unit else (1e3, "10⁻³")
        scaled.append(values * factor)
        labels.append(f"{name} [{label}]")
        window.append([(mean - REACH * rms) * factor, (mean + REACH * rms) * factor])
    bins = bins_of(len(first))
    counts, x, y = np.histogram2d(scaled[0], scaled[1], bins=bins, range=window)
    shown = np.ma.masked_less(counts.T, 0.5)
    norm = LogNorm(0.7, max(float(counts.max()), 2.0))
    extent = (x[0], x[-1], y[0], y[-1])
    picture = axis.imshow(
        shown, origin="lower", extent=extent, aspect="auto", norm=norm, interpolation="nearest"
    )
    axis.set_xlabel(labels[0])
    axis.set_ylabel(labels[1])
    axis.grid(False)
    return picture


def _count_bar(canvas: Canvas, picture: AxesImage, axis: Axes, named: bool) -> None:
    """The scale of a histogram; `named` if it stands at the end of a row."""
    bar = canvas.colorbar(picture, ax=axis, fraction=0.046, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(color=INK)
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    bar.ax.yaxis.set_minor_formatter(NullFormatter())
    if named:
        bar.set_label("macroparticles per bin")


def _profile(axis: Axes, values: Floats, name: str, colour: str) -> None:
    mean, rms = float(np.mean(values)), float(np.std(values)) or 1e-12
    u = (values - mean) / rms
    counts, edges = np.histogram(u, bins=80, range=(-6.5, 6.5))
    width = edges[1] - edges[0]
    density = counts / (len(u) * width)
    axis.stairs(density, edges, color=colour, linewidth=1.1, baseline=None)
    grid = np.linspace(-6.5, 6.5, 200)
    gaussian = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    axis.plot(grid, gaussian, color=colour, linestyle="--", linewidth=0.9)
    axis.set_yscale("log")
    axis.set_ylim(0.3 / (len(u) * width), 1.0)
    log_ticks(axis)
    axis.set_xlabel(f"({name} − ⟨{name}⟩) / σ")
    axis.set_title(f"profile in {name}")

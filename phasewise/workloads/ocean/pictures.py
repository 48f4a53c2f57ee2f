"""Pictures of a run of an ocean: its land with blocks and ranks, what is conserved, the solver's
residuals and iterations.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle

from phasewise.driver import Floats
from phasewise.errors import StudyError
from phasewise.output import number_of
from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import SERIES
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import LINE, MUTED, legend_above, log_ticks, new_picture, whole_ticks
from phasewise.study.laboratory import Laboratory
from phasewise.workloads.ocean.driver import Integers, Map, map_of
from phasewise.workloads.ocean.grid import SPHERE, edges_of
from phasewise.workloads.ocean.planes import DAY, model_in, study_of
from phasewise.workloads.ocean.recording import SHOWN
from phasewise.workloads.ocean.table import OceanTable

ROUNDING = 2.0**-53
"""Relative rounding error of a number."""
MOST_CURVES = 5
MOST_NUMBERED = 200
"""Most blocks in which ranks are written."""
DEPTH_COLOURS = "Blues"


def draw_mask(run: ReportedRun) -> Drawing | Missing:
    """The land and the depths, with the blocks and the ranks that have them."""
    study, ranks = study_of(run), 1
    if run.communication is not None:
        ranks = run.communication.ranks
        placed = study.workload.part(Laboratory).placed(study.communication, run.communication)
        study = replace(study, communication=placed)
    try:
        found = map_of(study.parameters(), ranks)
    except StudyError as error:
        return Missing(f"{error}.")
    model = model_in(run)
    canvas, axes = new_picture(1, 1, 4.0)
    axis = axes[0, 0]
    shown = show_mask(axis, model, found)
    canvas.colorbar(shown, ax=axis, fraction=0.04, pad=0.02, label="depth [m]")
    blocks = found.blocks[:, 4]
    dropped = int((blocks < 0).sum())
    kept = number_of(len(blocks) - dropped, "block")
    without = f" Beside them {number_of(dropped, 'block')} of land alone." if dropped else ""
    return Drawing(
        canvas,
        f"The depths of the sea, grey on land, with {kept} and the ranks that have them; the "
        f"colours of the edges are those of the ranks.{without}",
    )


def show_mask(axis: Axes, model: OceanTable, found: Map) -> QuadMesh:
    """Draw depths, land, blocks and ranks; what the bar of colours belongs to."""
    x, y = edges_of(model)
    deep = depths_of(model, found.levels)
    axis.set_facecolor(LINE)
    shown = axis.pcolormesh(x, y, deep, cmap=DEPTH_COLOURS, vmin=0.0, rasterized=True)
    land = np.where(found.levels > 0, np.nan, 1.0)
    axis.pcolormesh(x, y, land, cmap=ListedColormap([MUTED]), rasterized=True)
    for first_x, first_y, nx, ny, owner in found.blocks:
        if owner < 0:
            continue
        left, bottom = x[first_x], y[first_y]
        width, height = x[first_x + nx] - left, y[first_y + ny] - bottom
        colour = SERIES[int(owner) % len(SERIES)]
        axis.add_patch(
            Rectangle((left, bottom), width, height, fill=False, edgecolor=colour, linewidth=0.8)
        )
        if len(found.blocks) <= MOST_NUMBERED:
            axis.text(
                left + 0.5 * width, bottom + 0.5 * height, str(int(owner)), fontsize=6, ha="center",
                va="center", bbox={"boxstyle": "round,pad=0.2", "color": "white", "alpha": 0.7},
            )  # fmt: skip
    axis.grid(False)
    sphere = model.geometry == SPHERE
    axis.set_xlabel("longitude [°E]" if sphere else "x [km]")
    axis.set_ylabel("latitude [°N]" if sphere else "y [km]")
    axis.set_aspect("equal")
    return shown


def depths_of(model: OceanTable, levels: Integers) -> Floats:
    """The depth of each cell [m], NaN on land."""
    below = np.concatenate([[np.nan], np.cumsum(model.thicknesses)])
    return np.asarray(below[levels])


def draw_residuals(run: ReportedRun) -> Drawing | Missing:
    """The residual against the iteration, for some of the solves."""
    rows = np.asarray(run.results.rows("residuals"))
    if not np.isfinite(rows).any():
        return Missing("The picture needs a solve of at least one iteration.")
    canvas, axes = new_picture(1, 1, 3.2)
    axis = axes[0, 0]
    shown = sorted({round(n) for n in np.linspace(0, len(rows) - 1, MOST_CURVES)})
    for colour, number in enumerate(shown):
        at = np.nonzero(np.isfinite(rows[number]) & (rows[number] > 0))[0]
        marker = "." if len(at) < 60 else ""
        axis.plot(at + 1, rows[number, at], color=SERIES[colour], marker=marker,
                  label=f"timestep {int(run.turn[number])}")  # fmt: skip
    model = model_in(run)
    tolerance = ""
    if not model.iterations:
        axis.axhline(model.wanted, color=MUTED, linestyle="--", linewidth=0.9)
        tolerance = "; the dashed line is the tolerance"
    axis.set_yscale("log")
    log_ticks(axis)
    axis.set_xlabel("iteration")
    whole_ticks(axis.xaxis)
    axis.set_ylabel("residual over right-hand side")
    legend_above(axis)
    return Drawing(
        canvas,
        f"Residual |b - A x| / |b| of {model.solver} with {model.preconditioner}, each time that "
        f"the solver finds it{tolerance}. Records hold the first {SHOWN} iterations.",
    )


def draw_iterations(run: ReportedRun) -> Drawing | Missing:
    """Iterations of each solve, and the fastest current."""
    canvas, axes = new_picture(1, 2, 2.8)
    days = days_of(run)
    for axis, name, label in (
        (axes[0, 0], "iterations", "iterations of a solve"),
        (axes[0, 1], "largest_speed", "largest speed [m/s]"),
    ):
        axis.plot(days, np.asarray(run.results.rows(name)), color=SERIES[0])
        axis.set_xlabel("time [days]")
        axis.set_ylabel(label)
        axis.set_ylim(bottom=0)
    return Drawing(canvas, "Iterations of the solver, and the fastest current.")


def draw_conserved(run: ReportedRun) -> Drawing | Missing:
    """The relative change of volume, temperature and salt since the first timestep."""
    canvas, axes = new_picture(1, 1, 3.0)
    axis = axes[0, 0]
    names = ("volume", "mean_temperature", "mean_salinity")
    drawn = [one for one in names if run.results.holds(one)]
    for colour, name in enumerate(drawn):
        values = np.asarray(run.results.rows(name), dtype=np.float64)
        change = np.abs(values / values[0] - 1.0) if values[0] else np.abs(values)
        label = name.replace("_", " ")
        shown = np.maximum(change, ROUNDING)
        axis.plot(days_of(run)[1:], shown[1:], color=SERIES[colour], label=label)
    axis.set_yscale("log")
    axis.set_ylim(ROUNDING / 2, max(1e-12, 2 * axis.get_ylim()[1]))
    log_ticks(axis)
    axis.set_xlabel("time [days]")
    axis.set_ylabel("relative change")
    legend_above(axis)
    return Drawing(
        canvas,
        f"Relative change of {' and '.join(name.replace('_', ' ') for name in drawn)} since the "
        "first timestep, without its sign; what is below rounding, 1.1e-16, is drawn there. "
        "Nothing goes through the surface or the coasts, so that only rounding should change them.",
    )


def days_of(run: ReportedRun) -> Floats:
    """The time after each recorded timestep [days]."""
    return np.asarray((run.turn + 1) * model_in(run).timestep / DAY)

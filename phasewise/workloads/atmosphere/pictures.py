"""Pictures of a run's balance: the columns of each rank and where the sun is, the load of each
rank, the columns that move, and load, budget and climate in time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.driver import Floats
from phasewise.errors import StudyError
from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import SERIES
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import MUTED, legend_above, new_picture, scale, whole_ticks
from phasewise.workloads.atmosphere.driver import Schedule, schedule_of
from phasewise.workloads.atmosphere.grid import HOUR
from phasewise.workloads.atmosphere.maps import (
    hour_text,
    model_in,
    on_map,
    ranks_of,
    study_of,
    study_on_nodes,
)
from phasewise.workloads.atmosphere.table import AtmosphereTable

SEVERAL_RANKS = Missing("The picture needs a run on several ranks.")
NO_PHYSICS = Missing("The picture needs columns with physics, without atmosphere.costs.")
MOST_NUMBERED = 40
"""Most ranks whose numbers are at the axes."""


def worst_of(run: ReportedRun) -> tuple[int, Schedule]:
    """The recorded timestep whose load was the largest where columns are, and its schedule.
    StudyError if the study does not suit the ranks of the run.
    """
    timestep = int(run.turn[int(np.argmax(run.results.rows("load_before")))])
    return timestep, schedule_of(study_on_nodes(run), ranks_of(run), timestep)


def draw_columns(run: ReportedRun) -> Drawing | Missing:
    """The cost of each column as planned, with the borders of ranks, in both projections."""
    try:
        timestep, found = worst_of(run)
    except StudyError as error:
        return Missing(f"{error}.")
    model = model_in(run)
    canvas, axes = new_picture(1, 2, 2.7)
    factor, unit = scale(found.cost, "s" if model.costs is not None else "flop")
    for axis, mollweide in zip(axes[0], (False, True), strict=True):
        shown = show_columns(axis, model, replace(found, cost=factor * found.cost), mollweide)
    canvas.colorbar(shown, ax=axes[0, 1], fraction=0.05, pad=0.02, label=f"cost [{unit}]")
    lit = f" {found.lit.mean():.1%} of the columns are lit." if model.costs is None else ""
    return Drawing(
        canvas,
        f"What each column costs as planned, at the timestep of the largest load, "
        f"{hour_text(model, timestep)}: in degrees, with lines between the columns of different "
        f"ranks, and by Mollweide's projection, which keeps areas.{lit}",
    )


def show_columns(axis: Axes, model: AtmosphereTable, found: Schedule, mollweide: bool) -> Any:
    """Draw costs, and in degrees the borders of ranks; what the bar of colours belongs to."""
    one = on_map(model, found.cost.reshape(model.grid), mollweide)
    corners = (one.x, one.y) if mollweide else np.meshgrid(one.x, one.y, indexing="ij")
    shown = axis.pcolormesh(*corners, one.values, cmap="cividis", rasterized=True)
    axis.grid(False)
    axis.set_aspect("equal")
    if mollweide:
        axis.set_axis_off()
        return shown
    owner = found.owner.reshape(model.grid)
    east, north = one.x, one.y
    rows, columns = np.nonzero(owner[1:] != owner[:-1])
    axis.hlines(north[rows + 1], east[columns], east[columns + 1], color="white", linewidth=0.5)
    rows, columns = np.nonzero(owner[:, 1:] != owner[:, :-1])
    axis.vlines(east[columns + 1], north[rows], north[rows + 1], color="white", linewidth=0.5)
    axis.set_xlabel("longitude [°E]")
    axis.set_ylabel("latitude [°N]")
    return shown


def draw_loads(run: ReportedRun) -> Drawing | Missing:
    """The load of each rank before and after, at the timestep of the largest one."""
    if ranks_of(run) == 1:
        return SEVERAL_RANKS
    try:
        timestep, found = worst_of(run)
    except StudyError as error:
        return Missing(f"{error}.")
    canvas, axes = new_picture(1, 1, 2.8)
    show_loads(axes[0, 0], found)
    scheme = study_of(run).communication.tunable()["balance"]
    return Drawing(
        canvas,
        f"The cost of each rank's columns over the mean as planned, "
        f"{hour_text(model_in(run), timestep)}: of its own ones, and of those that it "
        f"computes with balance = {scheme}. The largest is "
        f"{found.before.max():.3f} before and {found.after.max():.3f} after.",
    )


def show_loads(axis: Axes, found: Schedule) -> None:
    """Draw the loads of ranks as bars beside each other."""
    ranks = np.arange(found.ranks)
    for side, (values, label) in enumerate(((found.before, "before"), (found.after, "after"))):
        axis.bar(ranks + 0.4 * side - 0.2, values, 0.4, color=SERIES[side], label=label)
    axis.axhline(1.0, color=MUTED, linewidth=0.8)
    axis.set_xlim(-0.6, found.ranks - 0.4)
    axis.set_ylim(bottom=0)
    axis.set_xlabel("rank")
    axis.set_ylabel("load over the mean")
    whole_ticks(axis.xaxis)
    legend_above(axis)


def draw_moves(run: ReportedRun) -> Drawing | Missing:
    """The columns that go from each rank to each other one."""
    if ranks_of(run) == 1:
        return SEVERAL_RANKS
    try:
        timestep, found = worst_of(run)
    except StudyError as error:
        return Missing(f"{error}.")
    if not found.moved:
        return Missing("The picture needs a scheme of communication.balance that moves columns.")
    canvas, axes = new_picture(1, 1, 4.0)
    shown = show_moves(axes[0, 0], found)
    canvas.colorbar(shown, ax=axes[0, 0], fraction=0.05, pad=0.02, label="columns")
    return Drawing(
        canvas,
        f"Columns that go from a rank to another one, {hour_text(model_in(run), timestep)}: "
        f"{found.moved} of {len(found.owner)}, in {int((found.moves > 0).sum())} messages out and "
        "as many back.",
    )


def show_moves(axis: Axes, found: Schedule) -> Any:
    """Draw the matrix of columns that move; what the bar of colours belongs to."""
    moves = np.where(found.moves > 0, found.moves, np.nan)
    edges = np.arange(found.ranks + 1) - 0.5
    shown = axis.pcolormesh(edges, edges, moves.T, cmap="viridis", vmin=0, rasterized=True)
    axis.set_aspect("equal")
    axis.set_xlabel("from rank")
    axis.set_ylabel("to rank")
    whole_ticks(axis.xaxis)
    whole_ticks(axis.yaxis)
    return shown


def draw_recorded(run: ReportedRun) -> Drawing | Missing:
    """The loads and the columns that moved, timestep by timestep, as the run recorded them."""
    canvas, axes = new_picture(1, 2, 2.6)
    hours = hours_of(run)
    for colour, (name, label) in enumerate((("load_before", "before"), ("load_after", "after"))):
        axes[0, 0].plot(hours, run.results.rows(name), color=SERIES[colour], label=label)
    axes[0, 0].set_ylabel("load, largest over mean")
    axes[0, 0].set_ylim(bottom=min(0.95, *axes[0, 0].get_ylim()))
    legend_above(axes[0, 0])
    axes[0, 1].plot(hours, run.results.rows("moved"), color=SERIES[2])
    axes[0, 1].set_ylabel("columns moved")
    axes[0, 1].set_ylim(bottom=0)
    for axis in axes[0]:
        axis.set_xlabel("time [h]" if model_in(run).costs is None else "timestep")
    return Drawing(
        canvas,
        "The largest over the mean cost of the ranks' columns, of their own ones and of those that "
        "they compute, and how many were computed elsewhere.",
    )


def draw_climate(run: ReportedRun) -> Drawing | Missing:
    """The energy budget, temperatures and rain in time."""
    if not run.results.holds("absorbed"):
        return NO_PHYSICS
    canvas, axes = new_picture(1, 3, 2.6)
    groups = (
        ("mean [W/m²]", (("absorbed", "short wave absorbed"), ("outgoing", "long wave out"))),
        ("temperature [K]", (("surface_temperature", "surface"), ("temperature", "air"))),
        ("mean [kg/m²]", (("precipitation", "rain"), ("evaporation", "evaporation"))),
    )
    for axis, (label, curves) in zip(axes[0], groups, strict=True):
        for colour, (name, words) in enumerate(curves):
            axis.plot(hours_of(run), run.results.rows(name), color=SERIES[colour], label=words)
        axis.set_xlabel("time [h]")
        axis.set_ylabel(label)
        legend_above(axis, columns=1)
    residual = float(np.abs(run.results.rows("energy_residual")).max())
    return Drawing(
        canvas,
        "Means over the columns: radiation at the top, temperatures of the surface and of the air "
        "by mass, and water. In the mean the energy budget of a column is open by at most "
        f"{residual:.2g} W/m².",
    )


def hours_of(run: ReportedRun) -> Floats:
    """The time after each recorded timestep since the start [h]; with costs from a file their
    number.
    """
    model = model_in(run)
    hours = model.timestep / HOUR if model.costs is None else 1.0
    return np.asarray((run.turn + 1) * hours)

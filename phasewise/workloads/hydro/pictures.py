"""Pictures of a run of gas dynamics: profiles beside the solution, space and time, what is
conserved, timesteps and errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phasewise.driver import Floats
from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import SERIES
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import MUTED, legend_above, log_ticks, new_picture
from phasewise.workloads.hydro.faces import faces_of
from phasewise.workloads.hydro.planes import model_in, none_taken, study_of, time_text
from phasewise.workloads.hydro.profiles import Profiles, profiles_of
from phasewise.workloads.hydro.recording import GROUP

ROUNDING = 2.0**-53
"""Relative rounding error of a number."""
LEAST_RANGE = 1e-12
"""The relative changes that are shown end here or above."""
QUANTITIES = ("density", "velocity", "pressure")


def draw_profiles(run: ReportedRun) -> Drawing | Missing:
    """Density, velocity and pressure of the last snapshot, with the solution where one is known."""
    numbers = run.results.snapshots(GROUP)
    if not numbers:
        return none_taken(run)
    values = run.results.arrays(f"{GROUP}/{numbers[-1]}")
    time = float(values["time"][0])
    found = profiles_of(study_of(run), values, time)
    canvas, axes = new_picture(1, len(QUANTITIES), 2.8)
    for number, name in enumerate(QUANTITIES):
        _panel(axes[0, number], found, number)
        axes[0, number].set_ylabel(name)
        axes[0, number].set_xlabel(found.label)
    if found.solution is not None:
        legend_above(axes[0, 0])
    beside = " beside the solution" if found.solution is not None else ""
    return Drawing(canvas, f"{found.words} at {time_text(time)}{beside}.")


def _panel(axis: Any, found: Profiles, number: int) -> None:
    """One quantity over the place."""
    axis.plot(
        found.places, found.values[number], ".", markersize=2.5, color=SERIES[0], label="zones"
    )
    if found.solution is not None:
        axis.plot(
            found.solved_places, found.solution[number], color=MUTED, linewidth=0.9,
            label="solution",
        )  # fmt: skip


def draw_space_time(run: ReportedRun) -> Drawing | Missing:
    """The density along one axis, snapshot by snapshot."""
    model = model_in(run)
    if len(model.zones) > 1:
        return Missing("The picture needs hydro.zones along one axis alone.")
    numbers = run.results.snapshots(GROUP)
    if len(numbers) < 2:
        return Missing("The picture needs records.snapshots of at least 2 in the study.")
    times = [float(run.results.array(f"{GROUP}/{number}/time")[0]) for number in numbers]
    density = np.stack([run.results.array(f"{GROUP}/{number}/density") for number in numbers])
    canvas, axes = new_picture(1, 1, 3.4)
    axis = axes[0, 0]
    edges = np.concatenate([[0.0], times])
    shown = axis.pcolormesh(faces_of(model, 0), edges, density, cmap="viridis", rasterized=True)
    axis.grid(False)
    axis.set_xlabel(coordinate_label(run))
    axis.set_ylabel("t")
    canvas.colorbar(shown, ax=axis, fraction=0.05, pad=0.02, label="density")
    return Drawing(canvas, "Density in space and time; each stripe ends at its snapshot.")


def coordinate_label(run: ReportedRun) -> str:
    """The name of the first axis."""
    return "x" if model_in(run).coordinates == "cartesian" else "r"


def draw_conserved(run: ReportedRun) -> Drawing | Missing:
    """The relative change of mass and energy since the first timestep."""
    canvas, axes = new_picture(1, 1, 3.0)
    axis = axes[0, 0]
    time = np.asarray(run.results.rows("time"))
    for colour, name in enumerate(("mass", "energy")):
        drift = np.maximum(np.abs(relative_drift(run.results.rows(name))), ROUNDING)
        axis.plot(time[1:], drift[1:], color=SERIES[colour], label=name)
    axis.set_yscale("log")
    axis.set_ylim(ROUNDING / 2, max(LEAST_RANGE, 2 * axis.get_ylim()[1]))
    log_ticks(axis)
    axis.set_xlabel("t")
    axis.set_ylabel("relative change")
    legend_above(axis)
    return Drawing(
        canvas,
        "Relative change of mass and energy since the first timestep, without its sign; what is "
        "below rounding, 1.1e-16, is drawn there. Walls and periodic boundaries conserve both; gas "
        "that flows in or out, gravity and floors change them.",
    )


def relative_drift(values: Any) -> Floats:
    """The change of a series since its first value, over that value."""
    series = np.asarray(values, dtype=np.float64)
    return np.asarray((series - series[0]) / series[0])


def draw_timesteps(run: ReportedRun) -> Drawing | Missing:
    """The timestep and the largest Mach number over the time."""
    canvas, axes = new_picture(1, 2, 2.6)
    time = np.asarray(run.results.rows("time"))
    for number, (name, label) in enumerate((("dt", "timestep"), ("mach", "largest Mach number"))):
        axis = axes[0, number]
        axis.plot(time, np.asarray(run.results.rows(name)), color=SERIES[number])
        axis.set_xlabel("t")
        axis.set_ylabel(label)
        axis.set_ylim(bottom=0)
    return Drawing(
        canvas, "The timestep, which the fastest crossing of a zone decides, and the Mach number."
    )


def draw_errors(run: ReportedRun) -> Drawing | Missing:
    """The L1 error of the density over the time."""
    if not run.results.holds("l1"):
        return Missing("The picture needs a problem whose solution is known.")
    time, error = (np.asarray(run.results.rows(name)) for name in ("time", "l1"))
    known = np.isfinite(error)
    if known.sum() < 2:
        return Missing("The picture needs records.l1_every above 0 in the study.")
    canvas, axes = new_picture(1, 1, 2.8)
    axes[0, 0].plot(time[known], error[known], color=SERIES[0])
    axes[0, 0].set_xlabel("t")
    axes[0, 0].set_ylabel("L1 error of the density")
    axes[0, 0].set_ylim(bottom=0)
    return Drawing(canvas, "Mean error of the density over the volume, of means over zones.")

"""Pictures of a run of shallow water: the drift of its invariants, errors, stations and spectra."""

from __future__ import annotations

import numpy as np

from phasewise.driver import Floats
from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import SERIES
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import MUTED, legend_above, log_ticks, new_picture
from phasewise.workloads.sphere.maps import HOUR, NO_MAPS, time_text
from phasewise.workloads.sphere.places import Place
from phasewise.workloads.sphere.recording import INVARIANTS
from phasewise.workloads.sphere.summary import place_text

ROUNDING = 2.0**-53
"""Relative rounding error of a number."""
MOST_SPECTRA = 3
SLOPE = -3.0
"""Of the spectrum where enstrophy cascades to small scales (Kraichnan, Phys. Fluids 10 (1967)
1417).
"""


def hours(run: ReportedRun) -> Floats:
    """The time after each recorded timestep [h]."""
    return np.asarray((run.turn + 1) * float(run.study["sphere"]["timestep"]) / HOUR)


def draw_invariants(run: ReportedRun) -> Drawing | Missing:
    """The relative change of the invariants of the first level since the first record."""
    canvas, axes = new_picture(1, 1, 3.2)
    axis = axes[0, 0]
    for colour, name in enumerate(INVARIANTS):
        drift = relative_drift(np.asarray(run.results.rows(name))[:, 0])
        if np.isfinite(drift).any():
            shown = np.maximum(np.abs(drift), ROUNDING)
            axis.plot(hours(run)[1:], shown[1:], color=SERIES[colour], label=name.replace("_", " "))
    axis.set_yscale("log")
    log_ticks(axis)
    axis.set_xlabel("time [h]")
    axis.set_ylabel("relative change")
    legend_above(axis)
    return Drawing(
        canvas,
        "Relative change of the invariants since the first timestep, without its sign; what is "
        "below rounding, 1.1e-16, is drawn there. Transforms conserve mass to rounding; energy and "
        "potential enstrophy change with the timestep and with what the truncation leaves out.",
    )


def relative_drift(values: Floats) -> Floats:
    """The change of a series since its first value, over that value."""
    return np.asarray((values - values[0]) / values[0])


def draw_norms(run: ReportedRun) -> Drawing | Missing:
    """The errors of the depth of the first level, where a solution is known."""
    if not run.results.holds("l2"):
        return Missing('The picture needs case = "williamson-1" or "williamson-2".')
    canvas, axes = new_picture(1, 1, 3.2)
    axis = axes[0, 0]
    for colour, name in enumerate(("l1", "l2", "linf")):
        values = np.asarray(run.results.rows(name))[:, 0]
        axis.plot(
            hours(run), np.where(values > 0, values, np.nan), color=SERIES[colour], label=name
        )
    axis.set_yscale("log")
    log_ticks(axis)
    axis.set_xlabel("time [h]")
    axis.set_ylabel("relative error of the depth")
    legend_above(axis)
    return Drawing(canvas, "Errors of the depth by Williamson's definitions, of the first level.")


def draw_stations(run: ReportedRun) -> Drawing | Missing:
    """The height of the surface at the stations, of the first level."""
    if not run.results.holds("stations"):
        return Missing("The picture needs records.stations in the study.")
    heights = np.asarray(run.results.rows("stations"))[:, :, 0]
    canvas, axes = new_picture(1, 1, 3.2)
    axis = axes[0, 0]
    places: list[Place] = [tuple(place) for place in run.study["records"]["stations"]]
    for number, place in enumerate(places[: len(SERIES)]):
        axis.plot(hours(run), heights[:, number], color=SERIES[number], label=place_text(place))
    axis.set_xlabel("time [h]")
    axis.set_ylabel("height of the surface [m]")
    legend_above(axis)
    left_out = len(places) > len(SERIES)
    which = f"the first {len(SERIES)} of {len(places)} stations" if left_out else "the stations"
    return Drawing(canvas, f"Height of the surface at the grid points next to {which}.")


def draw_spectrum(run: ReportedRun) -> Drawing | Missing:
    """The spectrum of the kinetic energy of the first level, of some of the snapshots."""
    turns = run.results.snapshots("spectra")
    if not turns:
        return NO_MAPS
    canvas, axes = new_picture(1, 1, 3.4)
    axis = axes[0, 0]
    count = min(len(turns), MOST_SPECTRA)
    shown = [turns[round(at)] for at in np.linspace(0, len(turns) - 1, count)]
    timestep = float(run.study["sphere"]["timestep"])
    for colour, turn in enumerate(shown):
        energy = run.results.array(f"spectra/{turn}/kinetic_energy")[0, 1:]
        degree = np.arange(1, len(energy) + 1)
        label = time_text((turn + 1) * timestep)
        axis.plot(degree, np.where(energy > 0, energy, np.nan), color=SERIES[colour], label=label)
    # The line passes through the last spectrum at a degree within the cascade.
    at = max(1, len(energy) // 4)
    if energy[at - 1] > 0:
        line = energy[at - 1] * (degree / at) ** SLOPE
        part = degree >= at
        axis.plot(degree[part], line[part], color=MUTED, linestyle="--", label="l⁻³")
    axis.set_xscale("log")
    axis.set_yscale("log")
    log_ticks(axis)
    log_ticks(axis, "x")
    axis.set_xlabel("degree l")
    axis.set_ylabel("kinetic energy [m²/s²]")
    legend_above(axis)
    return Drawing(
        canvas, "Kinetic energy by degree; its sum is the mean of v²/2. The first level."
    )

"""Pictures of solves: residuals, the pion, and what was measured on the links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import SERIES
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import (
    LINE,
    MUTED,
    legend_above,
    log_ticks,
    new_picture,
    whole_ticks,
)
from phasewise.workloads.qcd.effective_masses import pion_of
from phasewise.workloads.qcd.ensemble_statistics import is_chain
from phasewise.workloads.qcd.histories import Histories
from phasewise.workloads.qcd.model import TOLERANCE

Floats = NDArray[np.float64]

MOST_CURVES = 8
"""Most solves of which a picture shows curves."""
MOST_DOTS = 60
"""Most solves or trajectories that are marked by dots on their curves."""
AXES = ("x", "y", "z", "t")


def shown_solves(count: int) -> list[int]:
    """The numbers of at most MOST_CURVES of `count` solves, spread evenly from the first to the
    last.
    """
    return sorted({round(i) for i in np.linspace(0, count - 1, min(count, MOST_CURVES))})


def distinct_curves(rows: Floats, solved: NDArray[Any], unit: str) -> list[tuple[str, Floats]]:
    """The distinct rows of an array (solves, N), with the solves that have them: solves on the same
    links have equal rows. solved (solves,): which rows hold something; unit: the word for a solve.
    """
    found: dict[bytes, list[int]] = {}
    for solve in np.flatnonzero(solved):
        found.setdefault(rows[solve].tobytes(), []).append(int(solve))
    return [
        (f"{unit} {first}" + (f" and {len(others)} equal to it" if others else ""), rows[first])
        for first, *others in found.values()
    ]


def draw_residuals(run: ReportedRun) -> Drawing | Missing:
    """The residual of the first right-hand side against the iteration, for some of the solves."""
    residuals = np.asarray(run.results.rows("residuals"))
    solved = np.isfinite(residuals).any(axis=1)
    if not solved.any():
        return Missing("The picture needs a solve of at least one iteration.")
    canvas, axes = new_picture(1, 1, 3.2)
    axis = axes[0, 0]
    curves = distinct_curves(residuals, solved, run.results.workload.unit.one)
    for colour, place in enumerate(shown_solves(len(curves))):
        label, curve = curves[place]
        row = curve[np.isfinite(curve)]
        shown = np.where(row > 0, row, np.nan)
        axis.plot(
            np.arange(1, len(row) + 1), shown, color=SERIES[colour % len(SERIES)], label=label
        )
    axis.set_yscale("log")
    _draw_tolerance(axis, run.study["solver"])
    log_ticks(axis)
    axis.set_xlabel("iteration")
    axis.set_ylabel("residual over that of the start")
    whole_ticks(axis.xaxis)
    legend_above(axis)
    return Drawing(
        canvas,
        "Residual of the solver's system over that of the start, for the first right-hand side "
        "of a solve. In mixed precision it is recomputed in double precision whenever it has "
        "fallen by a factor of 20.",
    )


def _draw_tolerance(axis: Axes, solver: Mapping[str, Any]) -> None:
    """Draw a line at the tolerance, with its value above it and room below; no line if the number
    of iterations is fixed.
    """
    if solver.get("iterations"):
        return
    wanted = float(solver.get("tolerance", TOLERANCE))
    axis.axhline(wanted, color=MUTED, linestyle="--", linewidth=0.9)
    axis.set_ylim(bottom=min(axis.get_ylim()[0], 0.3 * wanted))
    axis.annotate(
        f"tolerance {wanted:g}", (0.005, wanted), (0, 2), xycoords=axis.get_yaxis_transform(),
        textcoords="offset points", color=MUTED, fontsize=8, va="bottom",
    )  # fmt: skip


def draw_pion(run: ReportedRun) -> Drawing | Missing:
    """The correlator of the pion, and its effective mass, with errors over configurations."""
    if not run.study["measure"].get("pion"):
        return Missing('The picture needs measure.pion = "point" or "smeared" in the study.')
    found = pion_of(run.results)
    if not len(found.samples):
        return Missing("The picture needs a configuration that counts, with a pion.")
    times, errors = np.arange(len(found.mean)), found.errors
    canvas, axes = new_picture(1, 2, 3.2)
    left, right = axes[0]
    for sample in shown_solves(len(found.samples)):
        left.plot(times, found.samples[sample], color=SERIES[0], alpha=0.4, linewidth=0.8)
    _draw_points(left, times, found.mean, errors and errors[0], 0, "mean")
    left.set_yscale("log")
    log_ticks(left)
    left.set_ylabel("C(t)")
    half = len(found.mean) // 2
    for kind, label in enumerate(("ln C(t)/C(t+1)", "cosh")):
        place = times[: half + 1 - (kind == 0)]
        error = None if errors is None else errors[1][kind, place]
        mass = found.masses[kind, place]
        _draw_points(right, place + (0.5 if kind == 0 else 0.0), mass, error, kind, label)
    right.set_ylabel("effective mass, lattice units")
    for axis in axes[0]:
        axis.set_xlabel("t from the source")
        whole_ticks(axis.xaxis)
        legend_above(axis)
    bars = f" Error bars: {found.method}." if errors is not None else f" {_why_no_bars(run)}"
    return Drawing(
        canvas,
        "Left: the pion's correlator at rest, C(t) = Σ_x ⟨P(x, t) P†(0)⟩ with P = q̄ γ₅ q; faint "
        "curves are single configurations. Right: its effective mass, which is the pion's mass "
        "where it no longer depends on t. From neighbours, ln C(t)/C(t+1); from a cosh about the "
        f"middle of the lattice, arcosh (C(t-1) + C(t+1))/(2 C(t)), where that is real.{bars}",
    )


def _why_no_bars(run: ReportedRun) -> str:
    if is_chain(run.results):
        return "There are no error bars: four configurations must count."
    return "One configuration has no error bars: give gauge.files."


def _draw_points(
    axis: Axes, times: Any, values: Floats, errors: Floats | None, number: int, label: str
) -> None:
    """Points joined by a line, with their error bars."""
    style: dict[str, Any] = {"marker": "os"[number], "markersize": 3, "color": SERIES[number]}
    axis.errorbar(times, values, errors, label=label, capsize=2, elinewidth=0.9, **style)


def draw_loops(run: ReportedRun) -> Drawing:
    """Plaquettes and Polyakov loops against the solve or the trajectory, and these loops in the
    complex plane.
    """
    results, own = run.results, Histories(run.results)
    canvas, axes = new_picture(1, 3, 3.0)
    left, middle, right = axes[0]
    names: dict[str, str] = {"plaquette_space": "space", "plaquette_time": "space and time"}
    if run.study["measure"].get("rectangles"):
        names["rectangle"] = "rectangles"
    solves = np.arange(len(results.rows("plaquette_space")))
    dots: dict[str, Any] = {"marker": "o", "markersize": 3, "linewidth": 0.8}
    if len(solves) > MOST_DOTS:
        dots = {"linewidth": 0.8}
    for colour, (name, label) in enumerate(names.items()):
        left.plot(solves, results.rows(name), color=SERIES[colour], label=label, **dots)
    left.set_ylabel("mean loop, 1 when cold")
    loops = np.asarray(results.rows("polyakov"))
    for axis, name in enumerate(AXES):
        middle.plot(solves, loops[:, axis, 0], color=SERIES[axis], label=name, **dots)
    middle.set_ylabel("Re of the Polyakov loop")
    for panel in (left, middle):
        panel.set_xlabel(results.workload.unit.one)
        whole_ticks(panel.xaxis)
        mark_thermalisation(panel, own)
    _draw_complex_plane(right, loops)
    for panel in axes[0]:
        legend_above(panel)
    grey = " Trajectories in grey are thermalisation." if own.start else ""
    return Drawing(
        canvas,
        "Plaquettes, and Polyakov loops along each axis, of the links. The grey lines of the "
        "complex plane are the directions of the centre of SU(3), along one of which a loop lies "
        f"where the quarks are deconfined.{grey}",
    )


def mark_thermalisation(axis: Axes, own: Histories) -> None:
    """Shade the trajectories that count in no mean."""
    if own.start > 0:
        first = float(own.trajectory[0])
        axis.axvspan(first - 0.5, first + own.start - 0.5, color=LINE, alpha=0.7, linewidth=0)


def _draw_complex_plane(axis: Axes, loops: Floats) -> None:
    """Polyakov loops (solves, 4, 2) by real and imaginary part, with the directions of the cube
    roots of one.
    """
    size = 3 if len(loops) <= MOST_DOTS else 1.5
    radius = 1.15 * max(np.hypot(loops[..., 0], loops[..., 1]).max(), 1e-12)
    for turn in np.arange(3) * 2 * np.pi / 3:
        end = 2 * radius * np.cos(turn), 2 * radius * np.sin(turn)
        axis.plot([0, end[0]], [0, end[1]], color=MUTED, linewidth=0.7, linestyle="--")
    for place, name in enumerate(AXES):
        axis.plot(
            loops[:, place, 0], loops[:, place, 1], color=SERIES[place], label=name,
            marker="o", markersize=size, linestyle="none",
        )  # fmt: skip
    axis.set_xlim(-radius, radius)
    axis.set_ylim(-radius, radius)
    axis.set_box_aspect(1)
    axis.set_xlabel("Re of the Polyakov loop")
    axis.set_ylabel("Im")

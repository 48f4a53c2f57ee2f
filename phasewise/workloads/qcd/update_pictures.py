"""Pictures of trajectories, and of the configurations that a run makes or reads from files."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.analysis.autocorrelated import LEAST, Autocorrelation
from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import SERIES
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import (
    MUTED,
    legend_above,
    log_ticks,
    new_picture,
    whole_ticks,
    with_error,
)
from phasewise.workloads.qcd.histories import Floats, Histories
from phasewise.workloads.qcd.pictures import MOST_DOTS, mark_thermalisation

HMC = 'The picture needs update.method = "hmc" in the study.'
FLOW = "The picture needs measure.flow = { step = 0.02, until = 4.0 } in the study."
REJECTED = "#c73e3a"
UNSETTLED = (
    "What was measured still drifts in the second half of the run, so that its means are to be "
    "taken with care: make more trajectories, or give measure.thermalisation."
)
BINS = 24
"""Most bars of a histogram."""
LONGEST_SHOWN = 3.0
"""Up to which multiple of its window an autocorrelation function is shown."""
SHORTEST_SHOWN = 8
LABELS = {"plaquette": "plaquette", "rectangle": "rectangle", "charge": "topological charge"}
ENTRIES = {"ΔH": "delta_h"}
"""Names in the ensemble of series that have another name in pictures."""


def draw_histories(run: ReportedRun) -> Drawing:
    """Plaquette, charge, ΔH and acceptance against the trajectory or the file."""
    own = Histories(run.results)
    shown = [name for name in own.series if name != "rectangle"]
    panels = len(shown) + own.accepts
    rows = -(-panels // 2)
    canvas, axes = new_picture(rows, min(panels, 2), 0.4 + 2.1 * rows, sharex=True)
    places = list(axes.flat)
    for number, name in enumerate(shown):
        axis = places[number]
        _draw_series(axis, own, name, SERIES[number])
        axis.set_ylabel(LABELS.get(name, name))
    if own.accepts:
        _draw_acceptance(places[panels - 1], own)
    for axis in places[panels:]:
        axis.set_axis_off()
    for axis in places[:panels]:
        mark_thermalisation(axis, own)
        whole_ticks(axis.xaxis)
    for axis in places[max(panels - 2, 0) : panels]:
        axis.set_xlabel(own.unit.one)
        axis.tick_params(labelbottom=True)
    return Drawing(canvas, _about_histories(own), None if own.settled else UNSETTLED)


def _about_histories(own: Histories) -> str:
    all_count = f" All {own.unit.many} count." if own.chain else ""
    grey = (
        f" The first {own.start} trajectories, in grey, are thermalisation: they count in no mean, "
        "and may lie outside of a picture."
        if own.start
        else all_count
    )
    accepted = (
        " The acceptance is the mean over the trajectories that count up to this one."
        if own.accepts
        else ""
    )
    allows = "" if own.jackknifed else ", which allows for autocorrelation"
    return (
        f"What was measured on the links of each {own.unit.one}. Horizontal lines are the means, "
        f"with bands of one standard error{allows}.{accepted}{grey}"
    )


def _draw_series(axis: Axes, own: Histories, name: str, colour: str) -> None:
    """A series against the trajectory, with the mean of what counts and its error."""
    values, entry = own.series[name], own.ensemble[ENTRIES.get(name, name)]
    at = np.isfinite(values)
    style: dict[str, Any] = {"marker": "o", "markersize": 3} if at.sum() <= MOST_DOTS else {}
    axis.plot(own.trajectory[at], values[at], color=colour, linewidth=0.9, **style)
    mean, error = entry["mean"], entry["error"]
    if mean is None or error is None:
        return
    ends = own.trajectory[[min(own.start, len(own.trajectory) - 1), -1]]
    axis.plot(ends, [mean] * 2, color=MUTED, linewidth=0.9, linestyle="--")
    axis.fill_between(ends, mean - error, mean + error, color=MUTED, alpha=0.3, linewidth=0)
    _show_most(axis, values[at], own.counted(values))


def _draw_acceptance(axis: Axes, own: Histories) -> None:
    accepted = own.of("accepted")
    counted = accepted[own.start :]
    running = np.cumsum(counted) / np.arange(1, len(counted) + 1)
    axis.plot(own.trajectory[own.start :], running, color=SERIES[4])
    rejected = np.flatnonzero(accepted == 0)
    axis.set_ylim(-0.05, 1.05)
    axis.set_ylabel("acceptance")
    if not len(rejected):
        return
    axis.plot(
        own.trajectory[rejected], np.full(len(rejected), -0.02), color=REJECTED, marker="|",
        linestyle="none", markersize=5, clip_on=False, label="rejected",
    )  # fmt: skip
    legend_above(axis)


def draw_autocorrelation(run: ReportedRun) -> Drawing | Missing:
    """The autocorrelation functions of what was measured, with their windows."""
    own = Histories(run.results)
    found = {name: (own.mean(values), own.spacing(values)) for name, values in own.series.items()}
    moving = {
        name: (mean, spacing)
        for name, (mean, spacing) in found.items()
        if mean is not None and mean.error > 0
    }
    if not moving:
        return Missing(f"The picture needs four {own.unit.many} that count, and that differ.")
    canvas, axes = new_picture(1, len(moving), 2.7, sharey=True)
    for number, (name, (mean, spacing)) in enumerate(moving.items()):
        _draw_function(axes[0, number], mean, spacing, SERIES[number], LABELS.get(name, name))
        axes[0, number].set_xlabel(f"t in {own.unit.many}")
    axes[0, 0].set_ylabel("Γ(t)/Γ(0)")
    return Drawing(
        canvas,
        "Autocorrelation functions of what counts. The vertical line is the window up to which "
        f"they are summed to the integrated autocorrelation time τ, in {own.unit.many}; it is ½ "
        "where members do not depend on each other (U. Wolff, Comput. Phys. Commun. 156 (2004) "
        "143).",
    )


def _draw_function(
    axis: Axes, mean: Autocorrelation, spacing: int, colour: str, label: str
) -> None:
    shown = min(len(mean.function), max(SHORTEST_SHOWN, int(LONGEST_SHOWN * mean.window) + 1))
    at = spacing * np.arange(shown)
    axis.plot(at, mean.function[:shown], color=colour, marker="o", markersize=3, linewidth=0.9)
    axis.axhline(0.0, color=MUTED, linewidth=0.7)
    axis.axvline(spacing * mean.window, color=MUTED, linewidth=0.9, linestyle="--")
    time = with_error(spacing * mean.time, spacing * mean.time_error)
    axis.set_title(f"{label}: τ = {time}", fontsize=8.5)
    whole_ticks(axis.xaxis)


def draw_energy_change(run: ReportedRun) -> Drawing | Missing:
    """ΔH of the trajectories, accepted and rejected, and how it is distributed."""
    own = Histories(run.results)
    if not own.accepts:
        return Missing(HMC)
    change, accepted = own.series["ΔH"], own.of("accepted") > 0
    canvas, axes = new_picture(1, 2, 3.0, width_ratios=(2, 1))
    left, right = axes[0]
    finite = np.isfinite(change)
    for kind, label, colour in (
        (accepted & finite, "accepted", SERIES[0]),
        (~accepted & finite, "rejected", REJECTED),
    ):
        if kind.any():
            left.plot(
                own.trajectory[kind], change[kind], color=colour, label=label, marker="o",
                markersize=2.5, linestyle="none",
            )  # fmt: skip
    left.axhline(0.0, color=MUTED, linewidth=0.7)
    counted = own.counted(change)
    _show_most(left, change[finite], counted)
    left.set_xlabel("trajectory")
    left.set_ylabel("ΔH")
    whole_ticks(left.xaxis)
    mark_thermalisation(left, own)
    legend_above(left)
    _draw_distribution(right, counted)
    return Drawing(canvas, _about_change(own, accepted))


def _show_most(axis: Axes, values: Floats, counted: Floats) -> None:
    """Let thermalisation, whose values may be far from those that count, leave the picture."""
    if len(counted) < LEAST or counted.min() == counted.max():
        return
    low, high = float(counted.min()), float(counted.max())
    room = high - low
    below, above = low - values.min() > 2 * room, values.max() - high > 2 * room
    if below or above:
        axis.set_ylim(low - (2.0 if below else 0.2) * room, high + (2.0 if above else 0.2) * room)


def _draw_distribution(axis: Axes, counted: Floats) -> None:
    """A histogram of ΔH beside the normal distribution with ⟨exp(-ΔH)⟩ = 1 and this variance."""
    axis.set_xlabel("ΔH")
    axis.set_ylabel("probability density")
    if len(counted) < 2 or counted.std() == 0:
        return
    axis.hist(counted, bins=bins_of(counted), density=True, color=SERIES[0], alpha=0.5)
    variance = float(counted.var(ddof=1))
    at = np.linspace(counted.min(), counted.max(), 200)
    # Of a normal distribution ⟨exp(-ΔH)⟩ is 1 if the mean is half the variance.
    curve = np.exp(-((at - variance / 2) ** 2) / (2 * variance)) / math.sqrt(2 * np.pi * variance)
    axis.plot(at, curve, color=SERIES[1], label="normal, mean σ²/2")
    legend_above(axis)


def bins_of(values: Floats) -> int:
    """How many bars a histogram has."""
    return int(min(BINS, max(4, round(math.sqrt(len(values))))))


def _about_change(own: Histories, accepted: Any) -> str:
    counted = own.counted(own.series["ΔH"])
    found = "The change of the energy H over each trajectory."
    if own.start:
        found += " Those of thermalisation, in grey, may lie outside of the picture."
    if len(counted) < LEAST:
        return found
    weight = own.ensemble["exp_minus_delta_h"]
    rate = float(accepted[own.start :].mean())
    expected = math.erfc(0.5 * math.sqrt(max(float(counted.mean()), 0.0)))
    mean = with_error(weight["mean"], weight["error"])
    return (
        f"{found} ⟨exp(-ΔH)⟩ = {mean}, which is 1 for an exact algorithm; the "
        f"acceptance is {rate:.3f}, and erfc(½√⟨ΔH⟩) = {expected:.3f} is expected "
        "(M. Creutz, Phys. Rev. D 38 (1988) 1228)."
    )


def draw_charge(run: ReportedRun) -> Drawing | Missing:
    """The topological charge against the trajectory or the file, and its histogram."""
    own = Histories(run.results)
    charge = own.series.get("charge")
    if charge is None:
        return Missing(FLOW)
    canvas, axes = new_picture(1, 2, 3.0, width_ratios=(2, 1), sharey=True)
    left, right = axes[0]
    at = np.isfinite(charge)
    left.plot(
        own.trajectory[at], charge[at], color=SERIES[2], marker="o", markersize=3, linewidth=0.8
    )
    left.set_xlabel(own.unit.one)
    left.set_ylabel("charge at the end of the flow")
    whole_ticks(left.xaxis)
    mark_thermalisation(left, own)
    counted = own.counted(charge)
    if len(counted) > 1 and counted.std() > 0:
        right.hist(
            counted, bins=bins_of(counted), orientation="horizontal", color=SERIES[2], alpha=0.6
        )
    right.set_xlabel("configurations")
    whole_ticks(right.xaxis)
    return Drawing(
        canvas,
        "The topological charge at the end of the gradient flow. Where it has moved between "
        "both signs often, the mean of its square is to be trusted.",
    )


def draw_forces(run: ReportedRun) -> Drawing | Missing:
    """The norms of the forces of each term of the action."""
    own = Histories(run.results)
    if not own.monomials:
        return Missing(HMC)
    canvas, axes = new_picture(1, 1, 3.2)
    axis = axes[0, 0]
    for number, name in enumerate(own.monomials):
        colour = SERIES[number % len(SERIES)]
        axis.plot(own.trajectory, positive(own.of(f"force_{name}")), color=colour, label=name)
        largest = positive(own.of(f"force_max_{name}"))
        axis.plot(own.trajectory, largest, color=colour, linestyle=":", linewidth=1.0)
    axis.plot([], [], color=MUTED, linestyle=":", linewidth=1.0, label="largest")
    axis.set_yscale("log")
    low, high = axis.get_ylim()
    # Only powers of ten have labels.
    axis.set_ylim(10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high)))
    log_ticks(axis)
    axis.set_xlabel("trajectory")
    axis.set_ylabel("norm of the force on a link")
    whole_ticks(axis.xaxis)
    mark_thermalisation(axis, own)
    legend_above(axis)
    return Drawing(
        canvas,
        "Norm √Σ_a(∂_a S)² of the force of each term of the action on a link: its root mean "
        "square over the links and evaluations of a trajectory, and, dotted, its largest. A "
        "smaller force allows longer steps.",
    )


def positive(values: Floats) -> Floats:
    """The values, NaN where a logarithmic axis has no place for them."""
    return np.where(values > 0, values, np.nan)


def draw_iterations(run: ReportedRun) -> Drawing | Missing:
    """Iterations of the solver for each term of the action."""
    own = Histories(run.results)
    names = [name for name in own.monomials if run.results.holds(f"iterations_{name}")]
    if not names:
        return Missing("The picture needs [quarks] in a study that makes configurations.")
    canvas, axes = new_picture(1, 1, 3.0)
    axis = axes[0, 0]
    for name in names:
        number = own.monomials.index(name)
        iterations = own.of(f"iterations_{name}")
        axis.plot(own.trajectory, iterations, color=SERIES[number % len(SERIES)], label=name)
    failed = np.flatnonzero(own.of("unconverged") > 0)
    if len(failed):
        axis.plot(
            own.trajectory[failed], np.zeros(len(failed)), color=REJECTED, marker="x",
            linestyle="none", clip_on=False, label="a solve did not converge",
        )  # fmt: skip
    axis.set_ylim(bottom=0)
    axis.set_xlabel("trajectory")
    axis.set_ylabel("iterations")
    whole_ticks(axis.xaxis)
    mark_thermalisation(axis, own)
    legend_above(axis)
    return Drawing(
        canvas,
        "Iterations of the solver in each trajectory, of all solves of a term of the action "
        "together: those of its forces, and of the action at both ends.",
    )

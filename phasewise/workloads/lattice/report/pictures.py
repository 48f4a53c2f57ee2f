"""Pictures of solves: the residual, the pion, its effective mass, plaquettes, Polyakov loops."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from phasewise.analysis.spectrum import Floats
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import MUTED, legend_above, log_ticks, new_picture, whole_ticks
from phasewise.workloads.lattice.effective_mass import exponential_mass, periodic_mass
from phasewise.workloads.lattice.recording import AXES, SHOWN
from phasewise.workloads.lattice.report.solves_run import SolvesRun

COLOURS = ("#2f74d0", "#e4572e", "#2c9a63", "#b57edc")
CURVES = len(COLOURS)
"""Most different residuals that are drawn: the first ones and the last."""
SHADE = 0.25
NO_PION = Missing('Set pion = "point" in [measure] to see the correlator of the pion.')


def draw_residual(run: SolvesRun) -> Drawing | Missing:
    """Residual of the even sites over that of the start, iteration by iteration."""
    residuals = np.asarray(run.results.rows("residuals"), dtype=np.float64)
    curves = _distinct(np.where(residuals > 0, residuals, np.nan), run.turn)
    shown = [curves[at] for at in _some(len(curves))]
    values = np.concatenate([own for _, own in shown])
    if not np.isfinite(values).any():
        return Missing("No residual above 0 was recorded: the right-hand side is solved at once.")
    canvas, axes = new_picture(1, 1, 3.4)
    axis = axes[0, 0]
    for (label, own), colour in zip(shown, COLOURS, strict=False):
        iteration = np.arange(1, len(own) + 1)
        axis.plot(iteration, own, color=colour, marker=_marker(own), markersize=3, label=label)
    wanted = run.study["solver"].get("tolerance")
    if wanted:
        axis.axhline(wanted, color=MUTED, linestyle="--", linewidth=0.9, label="tolerance")
    axis.set_xlim(left=0)
    _logarithmic(axis, values, wanted)
    axis.set_xlabel("iteration")
    axis.set_ylabel("residual / start")
    whole_ticks(axis.xaxis)
    legend_above(axis)
    most = f" Of {len(curves)} different ones {CURVES} are shown." if len(curves) > CURVES else ""
    return Drawing(
        canvas,
        "Norm of the solver's residual on the even sites over that of the start, of a solve's "
        f"first right-hand side, for its first {SHOWN} iterations at most.{most}",
    )


def draw_pion(run: SolvesRun) -> Drawing | Missing:
    """The pion's correlator against time."""
    if run.pion is None:
        return NO_PION
    mean = run.pion.mean(axis=0)
    if not (mean > 0).any():
        return Missing("The correlator of the pion is nowhere positive.")
    canvas, axes = new_picture(1, 1, 3.4)
    axis = axes[0, 0]
    time = np.arange(len(mean))
    axis.plot(time, np.where(mean > 0, mean, np.nan), color=COLOURS[0], marker="o", markersize=4,
              label="mean of the solves" if len(run.pion) > 1 else "C(t)")  # fmt: skip
    least, most = run.pion.min(axis=0), run.pion.max(axis=0)
    if (most > least).any() and (least > 0).all():
        axis.fill_between(time, least, most, color=COLOURS[0], alpha=SHADE, linewidth=0,
                          label="least to greatest")  # fmt: skip
    _logarithmic(axis, mean, None)
    _times(axis)
    axis.set_ylabel("C(t)")
    legend_above(axis)
    return Drawing(
        canvas,
        "Correlator of the pion, C(t) = Σ tr S†S over the sites of a time slice, t from the "
        "source.",
    )


def draw_effective_mass(run: SolvesRun) -> Drawing | Missing:
    """Effective masses of the pion against time, in lattice units."""
    if run.pion is None:
        return NO_PION
    mean = run.pion.mean(axis=0)
    there, around = exponential_mass(mean), periodic_mass(mean)
    half = len(mean) // 2
    if not (np.isfinite(there[:half]).any() or np.isfinite(around).any()):
        return Missing("The correlator of the pion has no effective mass: it does not fall.")
    canvas, axes = new_picture(1, 1, 3.4)
    axis = axes[0, 0]
    axis.plot(np.arange(half) + 0.5, there[:half], color=COLOURS[0], marker="o", markersize=4,
              label="ln C(t)/C(t+1), at t + ½")  # fmt: skip
    # At the source the correlator has a term of its own, which falls on no cosh.
    axis.plot(np.arange(1, half + 1), around[1 : half + 1], color=COLOURS[1], marker="s",
              markersize=4, label="arcosh (C(t-1) + C(t+1)) / 2 C(t)")  # fmt: skip
    _times(axis)
    axis.set_ylabel("mass · spacing")
    legend_above(axis)
    return Drawing(
        canvas,
        "Effective mass of the pion in lattice units, to the middle of the lattice: ln C(t)/C(t+1) "
        "where the correlator falls exponentially, and arcosh (C(t-1) + C(t+1)) / 2 C(t), which "
        "also takes the way back around the lattice into account. Both are of the mean correlator.",
    )


def draw_plaquettes(run: SolvesRun) -> Drawing:
    """Plaquettes against solve."""
    canvas, axes = new_picture(1, 1, 3.0)
    axis = axes[0, 0]
    for name, colour in (("space", COLOURS[0]), ("time", COLOURS[1])):
        _by_solve(axis, run, run.results.rows(f"plaquette_{name}"), name, colour)
    axis.set_ylabel("plaquette")
    _solves(axis)
    legend_above(axis)
    return Drawing(
        canvas,
        "Mean of Re tr U / 3 around the plaquettes of two directions in space, and of one in space "
        "with time; 1 on unit matrices.",
    )


def draw_polyakov(run: SolvesRun) -> Drawing:
    """Polyakov loops along each axis against solve."""
    loops = np.asarray(run.results.rows("polyakov"), dtype=np.float64)
    canvas, axes = new_picture(1, 2, 3.2, sharex=True)
    for axis, part, title in zip(axes[0], (0, 1), ("real part", "imaginary part"), strict=True):
        for at, (name, colour) in enumerate(zip(AXES, COLOURS, strict=True)):
            _by_solve(axis, run, loops[:, at, part], f"along {name}", colour)
        axis.set_ylabel(title)
        _solves(axis)
        legend_above(axis, len(AXES))
    return Drawing(
        canvas,
        "Mean of tr / 3 of the product of the links along a line through the lattice, for lines "
        "along each axis.",
    )


def _by_solve(axis: Axes, run: SolvesRun, values: Floats, label: str, colour: str) -> None:
    axis.plot(run.turn + 1, values, color=colour, marker=_marker(values), markersize=4, label=label)


def _marker(values: Floats) -> str:
    """Points that a line alone would not show: few ones."""
    return "o" if np.count_nonzero(np.isfinite(values)) <= 40 else ""


def _solves(axis: Axes) -> None:
    axis.set_xlabel("solve")
    whole_ticks(axis.xaxis)


def _times(axis: Axes) -> None:
    axis.set_xlabel("t")
    whole_ticks(axis.xaxis)


def _logarithmic(axis: Axes, values: Floats, beside: float | None) -> None:
    """A logarithmic axis over whole decades, so that it has ticks for values that hardly differ."""
    usable = values[np.isfinite(values) & (values > 0)]
    ends = [float(usable.min()), float(usable.max()), *([beside] if beside else [])]
    axis.set_yscale("log")
    low, high = np.floor(np.log10(min(ends))), np.ceil(np.log10(max(ends)))
    axis.set_ylim(10.0**low * 0.7, 10.0 ** max(high, low + 1) * 1.4)
    log_ticks(axis)


def _distinct(residuals: Floats, solve: Floats) -> list[tuple[str, Floats]]:
    """Residuals (solves, N) that differ, with the solves that have them: those on the same links
    are equal.
    """
    found: dict[bytes, list[int]] = {}
    for at, own in enumerate(residuals):
        found.setdefault(own.tobytes(), []).append(at)
    return [
        (
            f"solve {int(solve[first]) + 1}" + (f" and {len(equal)} equal to it" if equal else ""),
            residuals[first],
        )
        for first, *equal in found.values()
    ]


def _some(curves: int) -> list[int]:
    """The first curves and the last."""
    few = list(range(min(curves, CURVES)))
    return [*few[:-1], curves - 1]

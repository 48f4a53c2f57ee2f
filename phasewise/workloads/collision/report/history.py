"""Pictures against turns: emittances, sizes and shape, centroids, losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.analysis.spectrum import Floats
from phasewise.report.envelope import envelope_note, plot_history
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import (
    legend_above,
    new_picture,
    scale,
    scale_by_ten,
    scientific,
    whole_ticks,
)
from phasewise.workloads.collision.analysis.deposits import deposits_per_particle
from phasewise.workloads.collision.analysis.moments import shape
from phasewise.workloads.collision.report.beams_run import BeamsRun
from phasewise.workloads.collision.report.colours import BEAM, FLOOR, PLANE_NAMES

# The style of a history over which another one, or a line, is drawn.
FAINT: dict[str, Any] = {"linewidth": 0.8, "alpha": 0.6}
# Pixels that a turn of an oscillation needs, so that one beam can be seen behind the other.
SWING = 3.0
# Smaller changes than this are shown with a power of ten.
MIN_PERCENT = 2e-3
# Changes [%] below this are due to rounding alone, and are not enlarged to fill the picture.
ROUNDING = 1e-10
# The fitted line of beam 2 is dashed, so that beam 1's is seen below it.
FITTED: tuple[dict[str, Any], ...] = (
    {"linewidth": 1.8},
    {"linewidth": 1.8, "linestyle": (0, (3, 3))},
)


def draw_emittances(run: BeamsRun) -> Drawing:
    """Relative emittance change in x, y and z with growth, error bar and noise floor."""
    canvas, axes = new_picture(3, 1, 6.6, sharex=True)
    for plane, axis in enumerate(axes[:, 0]):
        _draw_emittance(axis, run, plane)
    axes[-1, 0].set_xlabel("turn")
    return Drawing(
        canvas,
        "Relative change of the geometric rms emittances (x, y without dispersion) from the fitted "
        "value at the first turn, which the legend gives. Straight: fit through all but "
        "the first tenth of the turns. Dotted: growth by the noise of the macroparticles, good to "
        "a factor of about two, which falls as 1/N. Beams that mirror each other hand emittance on "
        "and keep its sum. Rates and error bars, of the sum too, are in the table of "
        f"results.{envelope_note(axes[0, 0], len(run.turn))}",
    )


def _draw_emittance(axis: Axes, run: BeamsRun, plane: int) -> None:
    name = PLANE_NAMES[plane]
    histories = [np.asarray(beam.emittance[:, plane]) for beam in run.beams]
    fits = [getattr(growth, name) for growth in run.growth]
    starts = [
        fit.growth.start if fit.growth is not None else float(history[0])
        for fit, history in zip(fits, histories, strict=True)
    ]
    shown = [i for i in (0, 1) if starts[i] > 0 and not run.setting.beams[i].strong]
    change = {i: 100 * (histories[i] / starts[i] - 1) for i in shown}
    finite = (np.abs(c[np.isfinite(c)]) for c in change.values())
    largest = max((float(c.max()) for c in finite if c.size), default=1.0)
    rounding = largest < ROUNDING
    factor, unit = (1.0, "%") if largest > MIN_PERCENT or rounding else scale_by_ten(largest, "%")
    for i in shown:
        size, metres = scale(starts[i], "m")
        label = f"beam {i + 1}, from {starts[i] * size:.4g} {metres}"
        plot_history(axis, run.turn, change[i] * factor, BEAM[i], label=label, **FAINT)
        if fits[i].growth is not None:
            line = 100 * factor * (fits[i].growth.line(run.turn) / starts[i] - 1)
            axis.plot(run.turn, line, color=BEAM[i], **FITTED[i])
    if any(fits[i].noise_floor for i in shown):
        floor = max(fits[i].noise_floor for i in shown) * (run.turn - run.turn[0])
        axis.plot(run.turn, 100 * factor * floor, color=FLOOR, linestyle=":", label="noise floor")
    if rounding:
        axis.set_ylim(-MIN_PERCENT, MIN_PERCENT)
    axis.set_ylabel(f"change of ε {name} [{unit}]")
    legend_above(axis)


def draw_sizes(run: BeamsRun) -> Drawing:
    """Rms sizes and, if the fourth moments were recorded, the excess kurtosis."""
    shapes = [shape(beam.covariance, beam.moment3, beam.moment4) for beam in run.beams]
    with_kurtosis = any(np.isfinite(found.excess_kurtosis).any() for found in shapes)
    canvas, axes = new_picture(1 + with_kurtosis, 3, 2.4 + 1.8 * with_kurtosis, sharex=True)
    for plane, name in enumerate(PLANE_NAMES):
        column = [found.size[:, 2 * plane] for found in shapes]
        factor, unit = scale(_typical(column), "m")
        for index, size in enumerate(column):
            label = f"beam {index + 1}"
            plot_history(axes[0, plane], run.turn, size * factor, BEAM[index], label=label, **FAINT)
            if with_kurtosis and not run.setting.beams[index].strong:
                kurtosis = shapes[index].excess_kurtosis[:, 2 * plane]
                plot_history(axes[1, plane], run.turn, kurtosis, BEAM[index], **FAINT)
        axes[0, plane].set_title(f"σ {name} [{unit}]")
        if with_kurtosis:
            axes[1, plane].set_title(f"excess kurtosis {name}")
        axes[-1, plane].set_xlabel("turn")
    axes[0, 0].legend(loc="best")
    note = envelope_note(axes[0, 0], len(run.turn))
    kurtosis_text = (
        " Excess kurtosis: 0 for a Gaussian, above 0 with heavier tails."
        if with_kurtosis
        else " Set records.moments_order = 4 to see the kurtosis as well."
    )
    return Drawing(
        canvas, f"Rms sizes on arrival at IP 1, dispersion included.{kurtosis_text}{note}"
    )


def _typical(values: Any) -> float:
    """Mean of the finite values, 0 if there are none."""
    known = np.asarray(values)[np.isfinite(values)]
    return float(known.mean()) if known.size else 0.0


def draw_centroids(run: BeamsRun) -> Drawing:
    """Centroids of both beams in x and y, in rms sizes."""
    canvas, axes = new_picture(2, 1, 4.6, sharex=True)
    for axis, plane in zip(axes[:, 0], range(2), strict=True):
        for index, beam in enumerate(run.beams):
            history = beam.mean[:, 2 * plane] / run.setting.beams[index].size[plane]
            label = f"beam {index + 1}"
            plot_history(axis, run.turn, history, BEAM[index], room=SWING, label=label, **FAINT)
        name = PLANE_NAMES[plane]
        axis.set_ylabel(f"⟨{name}⟩ / σ {name}")
        legend_above(axis)
    axes[-1, 0].set_xlabel("turn")
    numbers = [beam.macroparticles for beam in run.setting.beams if beam.macroparticles]
    noise = (
        f" Sampling alone moves it by 1/√N = {scientific(min(numbers) ** -0.5, 2)}."
        if numbers
        else ""
    )
    return Drawing(
        canvas,
        "Centroids on arrival at IP 1, over the matched rms size."
        f"{noise}{envelope_note(axes[0, 0], len(run.turn), SWING)}",
    )


def draw_losses(run: BeamsRun) -> Drawing | Missing:
    """Particles lost and deposits outside the mesh, with a warning; no picture without either."""
    losses = [np.asarray(beam.losses, dtype=np.float64) for beam in run.beams]
    outside = [np.asarray(beam.outside, dtype=np.float64).sum(axis=1) for beam in run.beams]
    panels = [
        (values, title)
        for values, title in (
            (losses, "macroparticles lost so far"),
            (outside, "deposits outside the mesh, per turn"),
        )
        if any(history.any() for history in values)
    ]
    if not panels:
        return Missing("No particle was lost, and no deposit of charge fell outside the mesh.")
    canvas, axes = new_picture(1, len(panels), 2.6)
    for axis, (values, title) in zip(axes[0], panels, strict=True):
        for index, history in enumerate(values):
            plot_history(axis, run.turn, history, BEAM[index], label=f"beam {index + 1}")
        axis.set_xlabel("turn")
        axis.set_ylabel(title)
        axis.set_ylim(bottom=0)
        whole_ticks(axis.yaxis)
        legend_above(axis)
    deposits = [int(deposits_per_particle(run.study, number).sum()) for number in (1, 2)]
    each = " and ".join(map(str, dict.fromkeys(deposits)))
    return Drawing(
        canvas,
        "Macroparticles lost at the aperture, and deposits of charge that fell outside the mesh of "
        "a collision, summed over the turn's steps, planes and interaction points: "
        f"{each} per particle. What does not occur is not drawn."
        f"{envelope_note(axes[0, 0], len(run.turn))}",
        _warning(run, losses, outside, deposits),
    )


def _warning(
    run: BeamsRun, losses: list[Floats], outside: list[Floats], deposits: list[int]
) -> str | None:
    """A sentence on what of the beams was lost or left out; None if nothing was."""
    worst_loss = worst_outside = 0.0
    for index, beam in enumerate(run.beams):
        total = max(run.setting.beams[index].macroparticles, 1)
        worst_loss = max(worst_loss, float(losses[index][-1]) / total)
        made = np.maximum(np.asarray(beam.particles) * deposits[index], 1)
        worst_outside = max(worst_outside, float(np.max(outside[index] / made)))
    warnings = []
    if worst_loss > 0:
        warnings.append(f"{scientific(100 * worst_loss, 3)} % of a beam was lost")
    if worst_outside > 0:
        warnings.append(
            f"up to {scientific(100 * worst_outside, 3)} % of a beam's deposits in a turn fell "
            "outside the mesh: their charge is left out, and the opposing slice kicks the "
            "particles there like a Gaussian with the moments of its charge on the mesh (raise "
            "mesh_extent or mesh_half_width)"
        )
    warning = "; ".join(warnings)
    return warning[0].upper() + warning[1:] + "." if warning else None

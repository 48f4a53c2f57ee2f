"""Pictures against turns: luminosity, emittances, sizes and shape, centroids, losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import (
    new_picture,
    plot_history,
    scale,
    scale_by_ten,
    scientific,
    unit_text,
    whole_ticks,
    with_error,
)
from phasewise.workloads.collision.analysis.deposits import deposits_per_particle
from phasewise.workloads.collision.analysis.moments import shape
from phasewise.workloads.collision.report.beams_run import BeamsRun
from phasewise.workloads.collision.report.colours import BEAM, FLOOR, NOMINAL, PLANE_NAMES

# A history on which another one, or a line, is laid.
FAINT: dict[str, Any] = {"linewidth": 0.8, "alpha": 0.6}
# Smaller changes than this are shown with a power of ten.
MIN_PERCENT = 2e-3
# The fitted line of beam 2 is dashed, so that beam 1's is seen below it.
FITTED: tuple[dict[str, Any], ...] = (
    {"linewidth": 1.8},
    {"linewidth": 1.8, "linestyle": (0, (3, 3))},
)


def draw_luminosity(run: BeamsRun) -> Drawing | Missing:
    """Luminosity of each interaction point with its nominal value and its fitted line."""
    shown = [(k, found) for k, found in enumerate(run.luminosity, 1) if found is not None]
    shown = [(k, found) for k, found in shown if np.isfinite(found.value).any()]
    if not shown:
        return Missing("Set luminosity = true at an interaction point to see the luminosity.")
    canvas, axes = new_picture(len(shown), 1, 1.1 + 2.1 * len(shown), sharex=True)
    lines = []
    for row, (k, found) in enumerate(shown):
        axis: Axes = axes[row, 0]
        factor, unit = scale_by_ten(found.value, unit_text(found.unit))
        plot_history(axis, run.turn, found.value * factor, BEAM[0], label="simulated", **FAINT)
        if found.nominal is not None:
            label = f"nominal, {scientific(found.nominal)}"
            axis.axhline(found.nominal * factor, color=NOMINAL, linestyle="--", label=label)
        if found.growth is not None:
            line = found.growth.line(run.turn) * factor
            axis.plot(run.turn, line, color=BEAM[0], linewidth=1.8, label="fit")
            rate = with_error(found.growth.per_turn, found.growth.error)
            lines.append(f"IP {k}: mean {scientific(found.mean)}, relative change {rate} per turn")
        axis.set_ylabel(unit)
        axis.set_title(f"IP {k}" if len(run.luminosity) > 1 else "")
        _roomy(axis)
        axis.legend(loc="best", ncols=3)
    axes[-1, 0].set_xlabel("turn")
    return Drawing(
        canvas,
        "Luminosity from the overlap of the two charge densities. Nominal: Gaussian bunches with "
        f"the hourglass and the crossing angle. {'; '.join(lines)}.",
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
        "a factor of about two, which falls as 1/N. Rates and error bars are in the table of "
        "results.",
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
    factor, unit = (1.0, "%") if largest > MIN_PERCENT else scale_by_ten(largest, "%")
    for i in shown:
        size, metres = scale(starts[i], "m")
        label = f"beam {i + 1}, {starts[i] * size:.4g} {metres}"
        plot_history(axis, run.turn, change[i] * factor, BEAM[i], label=label, **FAINT)
        if fits[i].growth is not None:
            line = 100 * factor * (fits[i].growth.line(run.turn) / starts[i] - 1)
            axis.plot(run.turn, line, color=BEAM[i], **FITTED[i])
    if any(fits[i].noise_floor for i in shown):
        floor = max(fits[i].noise_floor for i in shown) * (run.turn - run.turn[0])
        axis.plot(run.turn, 100 * factor * floor, color=FLOOR, linestyle=":", label="noise floor")
    axis.set_title(f"ε {name}")
    axis.set_ylabel(f"change [{unit}]")
    _roomy(axis)
    if shown:
        axis.legend(loc="best", ncols=3)


def draw_sizes(run: BeamsRun) -> Drawing:
    """Rms sizes and, where the fourth moments were recorded, the excess kurtosis."""
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
        _roomy(axes[0, plane])
        if with_kurtosis:
            axes[1, plane].set_title(f"excess kurtosis {name}")
        axes[-1, plane].set_xlabel("turn")
    axes[0, 0].legend(loc="best")
    kurtosis_text = (
        " Excess kurtosis: 0 for a Gaussian, above 0 with heavier tails."
        if with_kurtosis
        else " Set records.moments_order = 4 to see the kurtosis as well."
    )
    return Drawing(canvas, f"Rms sizes on arrival at IP 1, dispersion included.{kurtosis_text}")


def _typical(values: Any) -> float:
    """Mean of the finite values, 0 where there are none."""
    known = np.asarray(values)[np.isfinite(values)]
    return float(known.mean()) if known.size else 0.0


def draw_centroids(run: BeamsRun) -> Drawing:
    """Centroids of both beams in x and y, in rms sizes."""
    canvas, axes = new_picture(2, 1, 4.2, sharex=True)
    for plane, name in enumerate(PLANE_NAMES[:2]):
        axis: Axes = axes[plane, 0]
        for index, beam in enumerate(run.beams):
            history = beam.mean[:, 2 * plane] / run.setting.beams[index].size[plane]
            plot_history(
                axis, run.turn, history, BEAM[index], label=f"beam {index + 1}", linewidth=0.8
            )
        axis.set_ylabel(f"⟨{name}⟩ / σ")
        axis.set_title(name)
        _roomy(axis)
    axes[0, 0].legend(loc="upper right", ncols=2)
    axes[-1, 0].set_xlabel("turn")
    numbers = [beam.macroparticles for beam in run.setting.beams if beam.macroparticles]
    noise = (
        f" Sampling alone moves it by 1/√N = {scientific(min(numbers) ** -0.5, 2)}."
        if numbers
        else ""
    )
    return Drawing(
        canvas,
        f"Centroids on arrival at IP 1, over the matched rms size.{noise}",
    )


def draw_losses(run: BeamsRun) -> Drawing:
    """Particles lost and particles outside the mesh, with a warning where there are any."""
    canvas, axes = new_picture(1, 2, 2.6)
    worst_loss = worst_outside = 0.0
    for index, beam in enumerate(run.beams):
        total = max(run.setting.beams[index].macroparticles, 1)
        losses, outside = np.asarray(beam.losses), np.asarray(beam.outside).sum(axis=1)
        worst_loss = max(worst_loss, float(losses[-1]) / total)
        deposits = int(deposits_per_particle(run.study, index + 1).sum())
        made = np.maximum(np.asarray(beam.particles) * deposits, 1)
        worst_outside = max(worst_outside, float(np.max(outside / made)))
        label = f"beam {index + 1}"
        plot_history(axes[0, 0], run.turn, losses.astype(np.float64), BEAM[index], label=label)
        plot_history(axes[0, 1], run.turn, outside.astype(np.float64), BEAM[index], label=label)
    for axis, title in zip(
        axes[0], ("macroparticles lost so far", "deposits outside the mesh, per turn"), strict=True
    ):
        axis.set_title(title)
        axis.set_xlabel("turn")
        axis.set_ylim(bottom=0)
        if axis.get_ylim()[1] < 1:
            axis.set_ylim(top=1)
        whole_ticks(axis.yaxis)
    axes[0, 0].legend(loc="upper left", ncols=2)
    warnings = []
    if worst_loss > 0:
        warnings.append(f"{scientific(100 * worst_loss, 3)} % of a beam was lost")
    if worst_outside > 0:
        warnings.append(
            f"up to {scientific(100 * worst_outside, 3)} % of a beam's deposits in a turn fell "
            "outside the mesh: their charge is left out, and the particles are kicked there by the "
            "opposing slice as by the Gaussian of what is on it (raise mesh_extent or "
            "mesh_half_width)"
        )
    warning = "; ".join(warnings)
    return Drawing(
        canvas,
        "Macroparticles lost at the aperture, and deposits of charge that fell outside the mesh of "
        "a collision, summed over the turn's steps, planes and interaction points: "
        f"{deposits} per particle.",
        warning[0].upper() + warning[1:] + "." if warning else None,
    )


def _roomy(axis: Axes) -> None:
    """Room for the legend above the curves."""
    low, high = axis.get_ylim()
    axis.set_ylim(low, high + 0.25 * (high - low))

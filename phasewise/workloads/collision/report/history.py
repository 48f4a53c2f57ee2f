"""Pictures against turns: emittances, sizes and shape, centroids, losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from phasewise.analysis.spectrum import Floats
from phasewise.report.beams import histories
from phasewise.report.beams.colours import BEAM, PLANE_NAMES
from phasewise.report.beams.histories import FAINT, CentroidHistory, EmittanceHistory
from phasewise.report.envelope import envelope_note, plot_history
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import legend_above, new_picture, scale, scientific, whole_ticks
from phasewise.workloads.collision.analysis.deposits import deposits_per_particle
from phasewise.workloads.collision.analysis.moments import shape
from phasewise.workloads.collision.report.beams_run import BeamsRun


def draw_emittances(run: BeamsRun) -> Drawing:
    """Relative emittance change in x, y and z with growth, error bar and noise floor."""
    shown = []
    for index, (beam, growth) in enumerate(zip(run.beams, run.growth, strict=True)):
        fits = (growth.x, growth.y, growth.z)
        if not run.setting.beams[index].strong:
            shown.append(
                EmittanceHistory(
                    f"beam {index + 1}",
                    index,
                    np.asarray(beam.emittance),
                    tuple(fit.growth for fit in fits),
                    tuple(fit.noise_floor for fit in fits),
                )
            )
    return histories.draw_emittances(
        run.turn,
        shown,
        "Dotted: growth by the noise of the macroparticles, good to a factor of about two, which "
        "falls as 1/N. Beams that mirror each other hand emittance on and keep its sum. Rates and "
        "error bars, of the sum too, are in the table of results.",
    )


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
    shown = [
        CentroidHistory(f"beam {index + 1}", index, np.asarray(beam.mean), setting.size)
        for index, (beam, setting) in enumerate(zip(run.beams, run.setting.beams, strict=True))
    ]
    fewest = min((b.macroparticles for b in run.setting.beams if b.macroparticles), default=0)
    return histories.draw_centroids(
        run.turn, shown, "Centroids on arrival at IP 1, over the matched rms size.", fewest
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
    deposits = [
        int(deposits_per_particle(run.study, run.derived, number).sum()) for number in (1, 2)
    ]
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

"""Pictures of what radiation in collisions does: bunch lengths, and the spectrum of the photons."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.analysis.spectrum import Floats
from phasewise.report.beams.colours import BEAM
from phasewise.report.beams.histories import FAINT
from phasewise.report.envelope import envelope_note, plot_history
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import (
    INK,
    MUTED,
    legend_above,
    log_ticks,
    new_picture,
    scale,
    scale_by_ten,
)
from phasewise.workloads.collision.analysis.recorded_bunches import recorded_bunches
from phasewise.workloads.collision.derived.radiated_spectrum import EDGES, PER_DECADE
from phasewise.workloads.collision.report.beams_run import BeamsRun

DASHES: tuple[Any, ...] = ((0, (5, 3)), (0, (2, 2)))
LOWEST = 1e-6
"""Of the largest value, where the picture ends."""
FEWEST = 10
"""Photons of a bin below which its ratio to the integral is not drawn."""


def draw_lengths(run: BeamsRun) -> Drawing:
    """Bunch length and momentum spread over turns, with their equilibrium."""
    found = run.derived["ips"][run.radiating[0] - 1]["beamstrahlung"]["equilibrium"]
    canvas, axes = new_picture(1, 2, 2.9)
    deltas = [np.sqrt(np.asarray(beam.covariance)[:, 5, 5]) for beam in run.beams]
    lengths = [np.asarray(beam.size)[:, 2] for beam in run.beams]
    factor, unit = scale(np.concatenate(lengths), "m")
    _against(axes[0, 0], run, lengths, found["bunch_length"], factor)
    axes[0, 0].set_ylabel(f"σ z [{unit}]")
    factor, unit = scale_by_ten(np.concatenate(deltas), "")
    _against(axes[0, 1], run, deltas, found["momentum_spread"], factor)
    axes[0, 1].set_ylabel(f"σ δ [{unit.strip()}]" if unit else "σ δ")
    return Drawing(
        canvas,
        "Bunch length and momentum spread on arrival at IP 1. Dashed: their equilibrium by "
        "integrating the photons over Gaussian bunches of the design sizes, σδ² = σδ0² + τ n "
        "⟨Σu²⟩/4 and σz = σz0 σδ/σδ0, with τ turns of damping and the photons of all interaction "
        f"points.{envelope_note(axes[0, 0], len(run.turn))}",
    )


def _against(
    axis: Axes, run: BeamsRun, values: list[Floats], equilibrium: list[float], factor: float
) -> None:
    alike = equilibrium[0] == equilibrium[1]
    for index, history in enumerate(values):
        if run.setting.beams[index].strong:
            continue
        label = f"beam {index + 1}"
        plot_history(axis, run.turn, history * factor, BEAM[index], label=label, **FAINT)
        if alike and index == 1 and not run.setting.beams[0].strong:
            continue
        if not run.study["arc"][str(index + 1)].get("damping_turns", (0, 0, 0))[2]:
            continue  # Without damping there is no equilibrium.
        of = "equilibrium" if alike else f"equilibrium, beam {index + 1}"
        axis.axhline(
            equilibrium[index] * factor, color=INK, linewidth=1.1, linestyle=DASHES[index], label=of
        )  # fmt: skip
    axis.set_xlabel("turn")
    legend_above(axis, 2)


def draw_photon_spectrum(run: BeamsRun) -> Drawing | Missing:
    """Photons by the share of the energy that they take, beside the integral, and their ratio."""
    turns = run.results.snapshots("photon_spectrum")
    if not turns:
        return Missing(
            'Set records.photon_spectrum_every to a number of turns, with beamstrahlung = "quantum"'
            " at an interaction point, to see the spectrum of the photons."
        )
    points = [k for k in run.radiating if run.study["ip"][str(k)]["beamstrahlung"] == "quantum"]
    bunches = [recorded_bunches(run.results, k - 1, turns[0]) for k in points]
    canvas, axes = new_picture(1, 2, 3.2, width_ratios=(3, 2))
    middles = np.sqrt(EDGES[1:] * EDGES[:-1])
    highest, reach = 0.0, EDGES[1]
    for index, beam in enumerate(run.beams):
        if run.setting.beams[index].strong:
            continue
        at = np.isin(run.turn, turns)
        collisions = float(np.asarray(beam.particles)[at].sum()) * len(points)
        photons = run.results.photon_spectrum(index + 1)[[k - 1 for k in points]].sum(axis=0)
        expected = np.mean([of.photons_by_share(index + 1) for of in bunches], axis=0)
        highest = max(highest, float(expected.max()) * PER_DECADE)
        seen = (expected > LOWEST * expected.max()) | (photons > 0)
        reach = EDGES[1:][seen].max(initial=reach)
        # The first bin holds photons of smaller shares, too.
        shown = (photons > 0) & (np.arange(photons.size) > 0)
        dots = {"color": BEAM[index], "fmt": "o", "markersize": 2.6, "linewidth": 0.8}
        axes[0, 0].errorbar(
            middles[shown], photons[shown] * PER_DECADE / collisions,
            np.sqrt(photons[shown]) * PER_DECADE / collisions, label=f"beam {index + 1}", **dots,
        )  # fmt: skip
        axes[0, 0].plot(
            middles, expected * PER_DECADE, color=INK, linewidth=1.1, linestyle=DASHES[index],
            label=f"integral, beam {index + 1}",
        )  # fmt: skip
        many = shown & (photons >= FEWEST)
        each = expected[many] * collisions
        axes[0, 1].errorbar(
            middles[many], photons[many] / each, np.sqrt(photons[many]) / each, **dots
        )
    _finish(axes[0, 0], axes[0, 1], highest, reach)
    by_slices = bool(run.results.snapshots("slices"))
    sizes = "their slices' mean sizes" if by_slices else "their mean sizes on arrival at IP 1"
    return Drawing(
        canvas,
        f"Photons of beamstrahlung in {len(turns)} turns, a particle, collision and decade of the "
        "share u of its energy that they take, averaged over the interaction points. Dashed: the "
        "spectrum of Sokolov and Ternov, integrated over Gaussian bunches with the recorded bunch "
        f"lengths and {sizes}. Bars: standard errors of the counts. Right: bins of {FEWEST} "
        "photons or more, over the integral.",
    )


def _finish(spectrum: Axes, ratio: Axes, highest: float, reach: float) -> None:
    for axis in (spectrum, ratio):
        axis.set_xscale("log")
        axis.set_xlim(EDGES[0], reach)
        axis.set_xlabel("u, photon's over particle's energy")
        log_ticks(axis, "x")
    spectrum.set_yscale("log")
    if highest > 0:
        spectrum.set_ylim(highest * LOWEST, highest * 3)
    log_ticks(spectrum)
    spectrum.set_ylabel("dN/d log₁₀ u")
    legend_above(spectrum, 2)
    ratio.axhline(1.0, color=MUTED, linewidth=0.9)
    ratio.set_ylim(0.5, 1.5)
    ratio.set_title("counted over integral")

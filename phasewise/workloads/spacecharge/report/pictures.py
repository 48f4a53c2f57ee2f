"""Pictures of a bunch with space charge: against turns, in the tune plane, in phase space."""

from __future__ import annotations

import numpy as np

from phasewise.report.beams import histories, phase_space
from phasewise.report.beams.colours import BEAM, PLANE_NAMES
from phasewise.report.beams.footprint import ShownFootprint, draw_footprints
from phasewise.report.beams.histories import FAINT, CentroidHistory, EmittanceHistory
from phasewise.report.envelope import envelope_note, plot_history
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import new_picture, scale, scientific, with_error
from phasewise.workloads.spacecharge.analysis import tune_spread
from phasewise.workloads.spacecharge.report.ring_run import RingRun

PLACE = "where the lattice ends"


def draw_emittances(run: RingRun) -> Drawing:
    """Relative emittance change in x, y and z with growth and error bar."""
    shown = [
        EmittanceHistory(run.name(beam), index, np.asarray(beam.emittance), fits, (None,) * 3)
        for index, (beam, fits) in enumerate(zip(run.beams, run.growth, strict=True))
    ]
    note = (
        "Rates and error bars are in the table of results; the noise of the macroparticles alone "
        "makes emittances grow too, as 1/N."
    )
    return histories.draw_emittances(run.turn, shown, note)


def draw_sizes(run: RingRun) -> Drawing:
    """Rms sizes in x, y and z."""
    canvas, axes = new_picture(1, 3, 2.6)
    for plane, name in enumerate(PLANE_NAMES):
        axis = axes[0, plane]
        columns = [beam.size[:, plane] for beam in run.beams]
        factor, unit = scale([float(np.nanmean(column)) for column in columns], "m")
        for index, (beam, column) in enumerate(zip(run.beams, columns, strict=True)):
            label = run.name(beam)
            plot_history(axis, run.turn, column * factor, BEAM[index], label=label, **FAINT)
        axis.set_title(f"σ {name} [{unit}]")
        axis.set_xlabel("turn")
    if len(run.beams) > 1:
        axes[0, 0].legend(loc="best")
    note = envelope_note(axes[0, 0], len(run.turn))
    return Drawing(canvas, f"Rms sizes {PLACE}, dispersion included.{note}")


def draw_centroids(run: RingRun) -> Drawing:
    """Centroids in x and y, in rms sizes of the first turn."""
    shown = []
    for index, beam in enumerate(run.beams):
        x, y = (float(size) or 1.0 for size in beam.size[0, :2])
        shown.append(CentroidHistory(run.name(beam), index, np.asarray(beam.mean), (x, y)))
    fewest = min(int(beam.particles[0]) for beam in run.beams)
    caption = f"Centroids {PLACE}, over the rms size of the first turn."
    return histories.draw_centroids(run.turn, shown, caption, fewest)


def draw_footprint(run: RingRun) -> Drawing | Missing:
    """Tunes of the tracked particles, with the Laslett shift and the resonances that cross them."""
    ring = run.ring
    if ring is None:
        return Missing("Tunes are shown where the study describes the bunch itself, by [bunch].")
    if ring.optics is None:
        return Missing(f"There are no tunes to show: {ring.without_optics}.")
    known = [(index, found) for index, found in enumerate(run.footprints) if found is not None]
    if not known:
        return Missing(
            "Set records.tracked to some hundreds, and run 64 turns or more, to see the footprint."
        )
    tunes, shift = ring.optics.tunes, ring.shift or (0.0, 0.0)
    shown = [
        ShownFootprint(run.name(run.beams[index]), BEAM[index], found, tunes, shift)
        for index, found in known
    ]
    spread = tune_spread(known[0][1], ring.optics)
    words = " and ".join(
        f"{name} by {with_error(mean, rms)}"
        for name, mean, rms in zip(PLANE_NAMES, spread.mean, spread.spread, strict=False)
    )
    note = (
        f" Tunes are shifted in {words} (mean ± rms spread), and by "
        f"{scientific(spread.largest[0], 3)} and {scientific(spread.largest[1], 3)} at most."
    )
    return draw_footprints(shown, "machine tune with the Laslett shift", note)


def draw_phase_space(run: RingRun) -> Drawing | Missing:
    """Phase space x-px, y-py, z-δ from the last particle dump."""
    return phase_space.draw_phase_space(run.particles, PLACE)


def draw_density(run: RingRun) -> Drawing | Missing:
    """Density in x-y, and profiles against Gaussians of the same rms."""
    return phase_space.draw_density(run.particles, PLACE)

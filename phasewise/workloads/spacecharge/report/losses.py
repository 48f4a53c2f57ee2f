"""Picture of the losses: against turns, and by the place of the aperture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.analysis.spectrum import Floats
from phasewise.report.beams.colours import BEAM
from phasewise.report.envelope import envelope_note, plot_history
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import INK, legend_above, new_picture, scientific, whole_ticks
from phasewise.report.tables import Table
from phasewise.workloads.spacecharge.elements import length_of
from phasewise.workloads.spacecharge.model import SpaceCharge
from phasewise.workloads.spacecharge.report.ring_run import RingRun

MOST_NAMED = 5
"""Most apertures whose names stand in the picture: those that lost the most."""
MOST_ROWS = 12
"""Most apertures in the table."""


@dataclass(frozen=True)
class LossPlace:
    """What an aperture stopped in all turns."""

    name: str
    place: float
    """s [m]."""
    losses: int


def places_of(model: SpaceCharge) -> Iterator[tuple[str, float]]:
    """Name and place [m] of each aperture of a passage, in order. One without a name is called by
    the element that it begins or ends, or is numbered.
    """
    along = model.lattice.along
    place, number = 0.0, 0
    for index, one in enumerate(along):
        if one["kind"] == "aperture":
            number += 1
            yield one.get("name") or _beside(along, index) or f"aperture {number}", place
        place += length_of(one)


def _beside(along: Sequence[Mapping[str, Any]], index: int) -> str:
    """The name of the element behind the aperture at `index`, or else before it; empty if neither
    has one.
    """
    for step, words in ((1, "entry of"), (-1, "exit of")):
        other = index + step
        while 0 <= other < len(along) and along[other]["kind"] == "aperture":
            other += step
        if 0 <= other < len(along) and "name" in along[other]:
            return f"{words} {along[other]['name']}"
    return ""


def losses_by_place(run: RingRun, index: int) -> list[LossPlace]:
    """What each aperture stopped of a bunch; empty of a lattice without apertures, and of records
    of an earlier version.
    """
    beam, ring = run.beams[index], run.ring
    if ring is None or not run.results.holds(f"beam{beam.number}/losses_at"):
        return []
    counts = np.maximum(beam.losses_at, 0).sum(axis=0)  # negative: a turn of an earlier version
    return [
        LossPlace(name, place, int(count))
        for (name, place), count in zip(places_of(ring.model), counts, strict=True)
    ]


def loss_tables(run: RingRun) -> list[Table]:
    """The apertures that lost the most; no table if nothing was lost there."""
    found = sorted(losses_by_place(run, 0), key=lambda one: -one.losses)
    rows = [
        (one.name, f"{one.place:.4f}", str(one.losses)) for one in found[:MOST_ROWS] if one.losses
    ]
    if not rows:
        return []
    heads = ("aperture", "s [m]", "macroparticles lost")
    return [Table("Losses by place", heads, tuple(rows))]


def draw_losses(run: RingRun) -> Drawing | Missing:
    """Particles lost against turns and by place, and deposits outside the mesh, with a warning; no
    picture without any.
    """
    losses = [np.asarray(beam.losses, dtype=np.float64) for beam in run.beams]
    outside = [np.asarray(beam.outside, dtype=np.float64) for beam in run.beams]
    lost, left_out = (any(h.any() for h in given) for given in (losses, outside))
    if not lost and not left_out:
        return Missing("No particle was lost, and no deposit of charge fell outside the mesh.")
    places = losses_by_place(run, 0) if lost else []
    columns = lost + bool(places) + left_out
    canvas, axes = new_picture(1, columns, 2.8)
    panels = iter(axes[0])
    if lost:
        _draw_history(next(panels), run, losses, "macroparticles lost so far")
    if places:
        _draw_places(next(panels), places)
    if left_out:
        _draw_history(next(panels), run, outside, "deposits outside the mesh, per turn")
    return Drawing(
        canvas,
        "Macroparticles lost, and at which aperture of the lattice, in all turns; deposits of "
        "charge that fell outside a fixed mesh. What does not occur is not drawn."
        f"{envelope_note(axes[0, 0], len(run.turn))}",
        _warning(run, losses, outside),
    )


def _draw_history(axis: Axes, run: RingRun, values: list[Floats], title: str) -> None:
    for index, (beam, history) in enumerate(zip(run.beams, values, strict=True)):
        label = run.name(beam)
        plot_history(axis, run.turn, history, BEAM[index], label=label)
    axis.set_xlabel("turn")
    axis.set_ylabel(title)
    axis.set_ylim(0, 1.05 * max(1.0, *(float(history.max()) for history in values)))
    whole_ticks(axis.yaxis)
    if len(run.beams) > 1:
        legend_above(axis)


def _draw_places(axis: Axes, places: list[LossPlace]) -> None:
    s = [one.place for one in places]
    axis.vlines(s, 0, [one.losses for one in places], color=BEAM[0], linewidth=2)
    axis.plot(s, np.zeros(len(s)), "|", color=BEAM[0], markersize=5)
    most = sorted(places, key=lambda one: -one.losses)[:MOST_NAMED]
    for one in most:
        if one.losses:
            axis.annotate(
                one.name, (one.place, one.losses), (0, 2), textcoords="offset points",
                color=INK, fontsize=7, ha="center", va="bottom",
            )  # fmt: skip
    axis.set_xlabel("s [m]")
    axis.set_ylabel("macroparticles lost there")
    axis.set_ylim(0, 1.15 * max(1, *(one.losses for one in places)))
    whole_ticks(axis.yaxis)


def _warning(run: RingRun, losses: list[Floats], outside: list[Floats]) -> str | None:
    """A sentence on what was lost or left out; None if nothing was."""
    sentences = []
    for index, beam in enumerate(run.beams):
        start = float(beam.particles[0] + beam.losses[0])
        if losses[index][-1] > 0:
            share = scientific(100 * float(losses[index][-1]) / max(start, 1.0), 3)
            sentences.append(f"{share} % of {run.name(beam)} was lost.")
    if any(history.any() for history in outside):
        sentences.append("Deposits of charge fell outside the mesh: raise solver.mesh_half_width.")
    return " ".join(sentences) or None

"""The charge density of the beams in x and y, from their particle dumps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from phasewise.analysis.spectrum import Floats
from phasewise.constants import ELEMENTARY_CHARGE
from phasewise.report.beams.phase_space import NO_DUMPS, REACH, bins_of
from phasewise.report.fields import Coordinate, Field, Snapshot
from phasewise.report.figure import Missing
from phasewise.report.style import scale
from phasewise.workloads.collision.populations import per_macroparticle
from phasewise.workloads.collision.report.beams_run import BeamsRun


def charge_density(beam: int) -> Field:
    """The charge of a beam, without its sign, per area in x and y on arrival at IP 1.

    Lengths are in rms sizes of the first dump, so that growth and motion are seen for flat beams
    too. The axes and the cells stay the same from then on.
    """
    return Field(
        name=f"charge-density-{beam}",
        title=f"Charge density of beam {beam}",
        quantity="charge density",
        unit="C m^-2",
        axes=(Coordinate("x / σx"), Coordinate("y / σy")),
        turns=partial(_turns, beam=beam),
        snapshot=partial(_snapshot, beam=beam),
        note=partial(_note, beam=beam),
        same_scale=True,
    )


def _turns(run: BeamsRun, beam: int) -> Sequence[int] | Missing:
    if run.setting.beams[beam - 1].strong:
        return Missing(f"Beam {beam} is strong: it is not tracked, so that its density stays.")
    if not run.dumps:
        return NO_DUMPS
    if len(run.first_transverse[beam][0]) < 2:
        return Missing(f"Beam {beam} had lost its particles at turn {min(run.dumps)}.")
    return list(run.dumps)


@dataclass(frozen=True)
class _Axis:
    """The cells along x or y: centre, rms size [m] of the first dump, and edges in rms sizes."""

    centre: float
    rms: float
    edges: Floats


def _axes(run: BeamsRun, beam: int) -> list[_Axis]:
    found = []
    for values in run.first_transverse[beam]:
        centre, rms = float(np.mean(values)), float(np.std(values)) or 1e-12
        # A quarter of the particles, as four in a cell on average leave the densest with some 60.
        edges = REACH * np.linspace(-1, 1, bins_of(len(values) // 4) + 1)
        found.append(_Axis(centre, rms, edges + centre / rms))
    return found


def _snapshot(run: BeamsRun, turn: int, beam: int) -> Snapshot:
    x, y = _axes(run, beam)
    places = run.transverse(turn, beam)
    counts, _, _ = np.histogram2d(places[0] / x.rms, places[1] / y.rms, bins=[x.edges, y.edges])
    cell = x.rms * y.rms * (x.edges[1] - x.edges[0]) * (y.edges[1] - y.edges[0])
    return Snapshot(x.edges, y.edges, counts * _charge(run, turn, beam) / cell)


def _charge(run: BeamsRun, turn: int, beam: int) -> float:
    """The charge [C] for which a particle of a dump stands, without its sign."""
    given = run.study["beam"][str(beam)]
    dumped: int = math.ceil(run.study["records"]["particles_fraction"] * given["macroparticles"])
    each = float(per_macroparticle(run.study, beam, turn))
    share = float(given["macroparticles"]) / dumped
    return abs(float(given["charge"])) * ELEMENTARY_CHARGE * each * share


def _note(run: BeamsRun, beam: int) -> str:
    sizes = []
    for name, along in zip("xy", _axes(run, beam), strict=True):
        factor, unit = scale(along.rms, "m")
        sizes.append(f"σ{name} = {along.rms * factor:.3g} {unit}")
    return (
        f"The beam arrives at IP 1; its charge is shown without the sign. At turn {min(run.dumps)} "
        f"its rms sizes were {' and '.join(sizes)}."
    )

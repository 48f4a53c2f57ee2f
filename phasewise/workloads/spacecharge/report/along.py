"""Picture of the optics, the sizes and the elements along the lattice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from phasewise.analysis.spectrum import Floats
from phasewise.report.beams.colours import BEAM
from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import SERIES
from phasewise.report.style import MUTED, legend_above, new_picture, scale
from phasewise.workloads.spacecharge.analysis import Ring
from phasewise.workloads.spacecharge.elements import length_of
from phasewise.workloads.spacecharge.model import SpaceCharge
from phasewise.workloads.spacecharge.optics import COLUMNS, optics_of
from phasewise.workloads.spacecharge.report.ring_run import RingRun
from phasewise.workloads.spacecharge.tune_shift import spread_of, transverse_sizes

PLACES = 600
"""Places along the picture at which the optics are computed."""
# Colour and label of each kind that is drawn.
BOXES = {
    "bend": (SERIES[0], "dipoles"),
    "quadrupole": (SERIES[1], "quadrupoles, up if they focus x"),
    "sextupole": (SERIES[2], "sextupoles, octupoles, multipoles"),
    "cavity": (SERIES[3], "cavities"),
    "solenoid": (SERIES[5], "solenoids"),
}
SAME = {"rectangular-bend": "bend", "octupole": "sextupole", "multipole": "sextupole"}
THIN = 0.004
"""Width at which an element without length is drawn, as a part of the picture's."""


def draw_along(run: RingRun) -> Drawing | Missing:
    """β, dispersion, rms sizes and elements along one period of the lattice."""
    ring = run.ring
    if ring is None:
        return Missing("The optics are drawn where the study describes the bunch itself.")
    if ring.optics is None:
        return Missing(f"There are no optics to draw: {ring.without_optics}.")
    model = ring.model
    length = model.lattice.length / model.lattice.periods
    if not length > 0:
        return Missing("The lattice has no length along which to draw it.")
    at = _course(model, length)
    canvas, axes = new_picture(4, 1, 6.8, sharex=True, height_ratios=[0.45, 1.3, 1, 1])
    strip, beta, dispersion, sizes = axes[:, 0]
    _draw_elements(strip, model, length)
    for plane, name in enumerate("xy"):
        key = name.upper()
        beta.plot(at["S"], at[f"BET{key}"], color=BEAM[plane], label=f"β {name}")
        dispersion.plot(at["S"], at[f"D{key}"], color=BEAM[plane], label=f"D {name}")
    beta.set_ylabel("β [m]")
    dispersion.set_ylabel("D [m]")
    note = _draw_sizes(sizes, run, ring, at)
    for axis in (beta, dispersion, sizes):
        legend_above(axis)
    sizes.set_xlabel("s [m]")
    sizes.set_xlim(0, length)
    periods = model.lattice.periods
    repeated = f"The first of {periods} equal periods of the lattice. " if periods > 1 else ""
    modes = " β of x and y are those of the normal modes 1 and 2." if ring.optics.coupled else ""
    return Drawing(
        canvas,
        f"{repeated}Elements; β and dispersion about the closed orbit, without space charge;"
        f"{note}{modes}",
    )


def _course(model: SpaceCharge, length: float) -> Mapping[str, Floats]:
    """COLUMNS at the start and at places along one period."""
    places = np.linspace(0, length, PLACES + 1)[1:]
    # The very end of the lattice has what stands there without length, which is no part of β.
    places[-1] *= 1 - 1e-12
    along = optics_of(model, places).along
    return dict(zip(COLUMNS, along.T, strict=True))


def _draw_elements(axis: Axes, model: SpaceCharge, length: float) -> None:
    """A strip with the elements of a period as boxes on a line."""
    axis.axhline(0, color=MUTED, linewidth=0.7)
    shown = set()
    for place, one in _placed(model):
        kind = SAME.get(one["kind"], one["kind"])
        if kind not in BOXES:
            continue
        shown.add(kind)
        width = max(length_of(one), THIN * length)
        low, height = (-0.5, 1.0)
        if kind == "quadrupole":
            low, height = (0.0, 1.0) if _focuses(one) else (-1.0, 1.0)
        colour = BOXES[kind][0]
        axis.add_patch(Rectangle((place, low), width, height, color=colour, linewidth=0))
    axis.set_ylim(-1.1, 1.1)
    axis.set_yticks([])
    axis.grid(False)
    axis.spines[:].set_visible(False)
    named = [own for kind, own in BOXES.items() if kind in shown]
    handles = [Patch(color=colour, label=label) for colour, label in named]
    if handles:
        axis.legend(
            handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.3,
            borderpad=0.0, ncols=len(handles),
        )  # fmt: skip


def _placed(model: SpaceCharge) -> Iterator[tuple[float, Mapping[str, Any]]]:
    place = 0.0
    for one in model.lattice.elements:
        yield place, one
        place += length_of(one)


def _focuses(element: Mapping[str, Any]) -> bool:
    strengths = element.get("normal", ())
    gradient = strengths[1] if len(strengths) > 1 else 0.0
    return bool(element.get("k1", 0.0) + gradient > 0)


def _draw_sizes(axis: Axes, run: RingRun, ring: Ring, at: Mapping[str, Floats]) -> str:
    """Sizes by the optics, and those measured at monitors in the last turn; what the caption says
    of them.
    """
    bunch, optics = ring.model.bunch, ring.optics
    assert bunch is not None and optics is not None
    beta = np.array([at["BETX"], at["BETY"]])
    dispersion = np.array([at["DX"], at["DY"]])
    found = transverse_sizes(bunch, beta, dispersion, spread_of(bunch, optics))
    factor, unit = scale(found, "m")
    for plane, name in enumerate("xy"):
        axis.plot(at["S"], found[plane] * factor, color=BEAM[plane], label=f"σ {name}")
    axis.set_ylabel(f"σ [{unit}]")
    axis.set_ylim(bottom=0)
    words = " rms sizes of the study's emittances and momentum spread"
    monitors = [place for place, one in _placed(ring.model) if one["kind"] == "monitor"]
    if not monitors:
        return f"{words}."
    last = run.beams[0].monitor_covariance[-1][: len(monitors)]
    for plane in range(2):
        measured = np.sqrt(last[:, 2 * plane, 2 * plane]) * factor
        axis.plot(monitors, measured, "o", color=BEAM[plane], markersize=4)
    return f"{words}, and as dots those at the monitors in turn {int(run.turn[-1])}."

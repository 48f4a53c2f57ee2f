"""Snapshots of a run as fields of a report: the density and its gradient in a plane.

Schlieren: exp(-10 |∇ρ| / max |∇ρ|), dark where the density changes fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from phasewise.driver import Floats
from phasewise.output import number_of
from phasewise.report.fields import Coordinate, Field, Snapshot
from phasewise.report.figure import Missing
from phasewise.report.reported_run import ReportedRun
from phasewise.study import Study
from phasewise.workloads.hydro.coordinates import AXISYMMETRIC, CARTESIAN, CYLINDRICAL, SPHERICAL
from phasewise.workloads.hydro.faces import centres_of, faces_of
from phasewise.workloads.hydro.model import model_of
from phasewise.workloads.hydro.recording import GROUP
from phasewise.workloads.hydro.table import HydroTable

NO_SNAPSHOTS = Missing("The picture needs records.snapshots above 0 in the study.")
ONE_AXIS = Missing("The picture needs hydro.zones along at least two axes.")
DARKNESS = 10.0
Values = Callable[[HydroTable, Floats], Floats]
"""What a field shows of a plane of densities."""
NOTES = {
    CARTESIAN: "",
    CYLINDRICAL: "",
    SPHERICAL: "y is along the polar axis, x the distance from it.",
    AXISYMMETRIC: "y is along the axis, x the distance from it.",
}


def fields() -> tuple[Field, ...]:
    """The fields of a report."""
    return (
        _field("density", "Density", "density", "viridis", _density),
        _field("schlieren", "Schlieren", "exp(-10 |∇ρ| / largest)", "gray", _schlieren),
    )


def _field(name: str, title: str, quantity: str, colours: str, values: Values) -> Field:
    return Field(
        name=name,
        title=title,
        quantity=quantity,
        unit="",
        axes=(Coordinate("x"), Coordinate("y")),
        turns=_numbers,
        snapshot=partial(_snapshot, values=values),
        note=_note,
        same_scale=True,
        colours=colours,
    )


def study_of(run: ReportedRun) -> Study:
    """The study of a run."""
    return Study.from_dict(run.study, run.directory)


def model_in(run: ReportedRun) -> HydroTable:
    """The model of a run's study."""
    return model_of(study_of(run))


def _numbers(run: ReportedRun) -> Sequence[int] | Missing:
    if len(model_in(run).zones) == 1:
        return ONE_AXIS
    return run.results.snapshots(GROUP) or none_taken(run)


def none_taken(run: ReportedRun) -> Missing:
    """Why a run has no snapshots."""
    model = model_in(run)
    wanted = model.records.snapshots
    if not wanted or not model.until:
        return NO_SNAPSHOTS
    return Missing(
        f"The first of {number_of(wanted, 'snapshot')} is due at t = {model.until / wanted:.4g}, "
        "which the run has not reached; hydro.until = 0 counts timesteps in the place of time."
    )


def _note(run: ReportedRun) -> str:
    model = model_in(run)
    plane = "The plane in the middle of the third axis." if len(model.zones) == 3 else ""
    return f"{plane} {NOTES[model.coordinates]}".strip()


def _snapshot(run: ReportedRun, number: int, values: Values) -> Snapshot:
    model = model_in(run)
    density = run.results.array(f"{GROUP}/{number}/density")
    plane = density if density.ndim == 2 else density[:, :, density.shape[2] // 2]
    time = float(run.results.array(f"{GROUP}/{number}/time")[0])
    x, y = corners(model)
    return Snapshot(x, y, values(model, plane), time_text(time))


def time_text(time: float) -> str:
    """A time in a title."""
    return f"t = {time:.4g}"


def corners(model: HydroTable) -> tuple[Floats, Floats]:
    """The edges of the zones of a plane, or their corners (n1+1, n2+1) where an axis is an
    angle.
    """
    first, second = faces_of(model, 0), faces_of(model, 1)
    if model.coordinates == CYLINDRICAL:
        return first[:, None] * np.cos(second), first[:, None] * np.sin(second)
    if model.coordinates == SPHERICAL:
        return first[:, None] * np.sin(second), first[:, None] * np.cos(second)
    return first, second


def _density(_model: HydroTable, plane: Floats) -> Floats:
    return plane


def _schlieren(model: HydroTable, plane: Floats) -> Floats:
    size = gradient_size(model, plane)
    largest = float(size.max())
    return np.exp(-DARKNESS * size / largest) if largest > 0 else np.ones_like(size)


def gradient_size(model: HydroTable, plane: Floats) -> Floats:
    """|∇ρ| of a plane by differences of neighbours."""
    first, second = centres_of(model, 0), centres_of(model, 1)
    along, across = np.gradient(plane, first, second)
    if model.coordinates in (CYLINDRICAL, SPHERICAL):
        across = across / first[:, None]
    return np.asarray(np.hypot(along, across))

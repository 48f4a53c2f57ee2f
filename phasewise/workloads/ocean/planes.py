"""Snapshots of a run as fields of a report: the surface, and temperature and speed below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from phasewise.report.fields import Coordinate, Field, Snapshot
from phasewise.report.figure import Missing
from phasewise.report.reported_run import ReportedRun
from phasewise.study import Study
from phasewise.workloads.ocean.grid import SPHERE, edges_of, interfaces
from phasewise.workloads.ocean.model import model_of
from phasewise.workloads.ocean.recording import GROUP
from phasewise.workloads.ocean.table import OceanTable

NO_SNAPSHOTS = Missing("The picture needs records.snapshots_every above 0 in the study.")
NO_LEVELS = Missing("The picture needs ocean.baroclinic = true in the study.")
HOUR, DAY = 3600.0, 86400.0
MOST_HOURS = 72.0
"""Longest time that is written in hours."""
SECTION = "temperature_section"


@dataclass(frozen=True)
class Mapped:
    """A quantity of the snapshots: its dataset, its words, its unit and its colours."""

    name: str
    title: str
    unit: str
    diverging: bool = False
    colours: str = "viridis"


SURFACE = Mapped("surface", "height of the surface", "m", diverging=True)
TEMPERATURE = Mapped("temperature", "surface temperature", "°C", colours="inferno")
SPEED = Mapped("speed", "surface speed", "m/s")
PROFILE = Mapped(SECTION, "temperature section", "°C", colours="inferno")


def fields() -> tuple[Field, ...]:
    """The fields of a report."""
    return tuple(_field(mapped) for mapped in (SURFACE, TEMPERATURE, SPEED, PROFILE))


def _field(mapped: Mapped) -> Field:
    section = mapped.name == SECTION
    x, y = Coordinate("x"), Coordinate("y")
    return Field(
        name=mapped.name.replace("_", "-"),
        title=f"{mapped.title[:1].upper()}{mapped.title[1:]}",
        quantity=mapped.title,
        unit=mapped.unit,
        axes=(Coordinate("from south to north"), Coordinate("height", "m")) if section else (x, y),
        turns=partial(_turns, mapped=mapped),
        snapshot=partial(_snapshot, mapped=mapped),
        note=partial(_note, mapped=mapped),
        diverging=mapped.diverging,
        colours=mapped.colours,
        same_scale=not section,
    )


def study_of(run: ReportedRun) -> Study:
    """The study of a run."""
    return Study.from_dict(run.study, run.directory)


def model_in(run: ReportedRun) -> OceanTable:
    """The model of a run's study."""
    return model_of(study_of(run))


def _turns(run: ReportedRun, mapped: Mapped) -> Sequence[int] | Missing:
    if mapped is not SURFACE and not model_in(run).baroclinic:
        return NO_LEVELS
    return run.results.snapshots(GROUP) or NO_SNAPSHOTS


def _note(run: ReportedRun, mapped: Mapped) -> str:
    model = model_in(run)
    unit = "degrees" if model.geometry == SPHERE else "km"
    if mapped.name != SECTION:
        where = "" if mapped is SURFACE else "In the middle of the uppermost level; "
        return f"{where}x is to the east and y to the north, in {unit}."
    turns = run.results.snapshots(GROUP)
    column = int(run.results.array(f"{GROUP}/{turns[-1]}/column")[0])
    x, _ = edges_of(model)
    at = f"{0.5 * (x[column] + x[column + 1]):.4g}"
    where = f"{at}° E" if model.geometry == SPHERE else f"x = {at} km"
    return f"At {where}, where the most cells are sea; y is in {unit}."


def _snapshot(run: ReportedRun, turn: int, mapped: Mapped) -> Snapshot:
    model = model_in(run)
    values = run.results.array(f"{GROUP}/{turn}/{mapped.name}")
    x, y = edges_of(model)
    time = time_text((turn + 1) * model.timestep)
    if mapped.name == SECTION:
        # The bottom comes first, so that heights rise.
        return Snapshot(y, -interfaces(model.thicknesses)[::-1], values[::-1].T, time)
    return Snapshot(x, y, values.T, time)


def time_text(seconds: float) -> str:
    """A time after the start in hours or days."""
    hours = seconds / HOUR
    return f"{hours:.4g} h" if hours <= MOST_HOURS else f"day {seconds / DAY:.5g}"

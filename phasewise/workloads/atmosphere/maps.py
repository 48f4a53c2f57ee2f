"""Snapshots of a run as fields of a report, in degrees and by Mollweide's projection of equal
areas: where the sun is up, what columns cost, the surface and the rain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from phasewise.driver import Floats
from phasewise.report.fields import Coordinate, Field, Snapshot
from phasewise.report.figure import Missing
from phasewise.report.mollweide import mollweide_of
from phasewise.report.reported_run import ReportedRun
from phasewise.study import Study
from phasewise.traces.efficiency import node_size_of
from phasewise.workloads.atmosphere.driver import schedule_of
from phasewise.workloads.atmosphere.grid import HOUR, YEAR, edges_of
from phasewise.workloads.atmosphere.model import model_of
from phasewise.workloads.atmosphere.recording import GROUP, maps_of
from phasewise.workloads.atmosphere.table import AtmosphereTable

MOST_COST = 4.0
"""Measured costs above so many times the median are drawn as that: a single one, such as of a
moment in which another program ran, would leave no colours for the others.
"""
NO_SNAPSHOTS = Missing("The picture needs records.snapshots_every above 0 in the study.")
NO_SUN = Missing("The picture needs columns with physics, without atmosphere.costs.")


@dataclass(frozen=True)
class Mapped:
    """A quantity of a map: its dataset, its words, its unit and its colours."""

    name: str
    title: str
    unit: str = ""
    colours: str = "viridis"


LIT = Mapped("lit", "lit columns", colours="cividis")
COST = Mapped("cost", "cost of a column", "s")
SURFACE = Mapped("surface_temperature", "surface temperature", "K", "inferno")
RAIN = Mapped("precipitation", "rain of the timestep", "kg m^-2", "Blues")


def fields() -> tuple[Field, ...]:
    """The fields of a report, in both projections."""
    every = (LIT, COST, SURFACE, RAIN)
    return tuple(_field(one, mollweide) for one in every for mollweide in (False, True))


def _field(mapped: Mapped, mollweide: bool) -> Field:
    name, title = mapped.name.replace("_", "-"), mapped.title
    degrees = (Coordinate("longitude", "°E"), Coordinate("latitude", "°N"))
    return Field(
        name=f"{name}-mollweide" if mollweide else name,
        title=f"{title[:1].upper()}{title[1:]}{' by Mollweide' if mollweide else ''}",
        quantity=title,
        unit=mapped.unit,
        axes=(Coordinate("x"), Coordinate("y")) if mollweide else degrees,
        turns=partial(_turns, mapped=mapped),
        snapshot=partial(_snapshot, mapped=mapped, mollweide=mollweide),
        note=partial(_note, mapped=mapped, mollweide=mollweide),
        colours=mapped.colours,
        same_scale=True,
    )


def study_of(run: ReportedRun) -> Study:
    """The study of a run."""
    return Study.from_dict(run.study, run.directory)


def study_on_nodes(run: ReportedRun) -> Study:
    """The study of a run with as many ranks a node as the run had, where it does not say."""
    study, record = study_of(run), run.communication
    size = None if record is None else node_size_of(record.node)
    if study.communication.node_ranks or not size:
        return study
    return study.replace(**{"communication.node_size": size})


def model_in(run: ReportedRun) -> AtmosphereTable:
    """The model of a run's study."""
    return model_of(study_of(run))


def ranks_of(run: ReportedRun) -> int:
    """The ranks of a run."""
    return 1 if run.communication is None else run.communication.ranks


def _turns(run: ReportedRun, mapped: Mapped) -> Sequence[int] | Missing:
    if mapped is not COST and model_in(run).costs is not None:
        return NO_SUN
    return run.results.snapshots(GROUP) or NO_SNAPSHOTS


def _note(run: ReportedRun, mapped: Mapped, mollweide: bool) -> str:
    told = []
    if mapped is COST and model_in(run).costs is None:
        told.append(
            f"Values above {MOST_COST:g} times the median are drawn as {MOST_COST:g} times it."
        )
    if mollweide:
        told.append("Mollweide's projection keeps areas; 180° E is in the middle.")
    return " ".join(told)


def _snapshot(run: ReportedRun, turn: int, mapped: Mapped, mollweide: bool) -> Snapshot:
    study = study_of(run)
    if mapped is LIT:
        lit = schedule_of(study, ranks_of(run), turn).lit
        values = lit.astype(np.float64).reshape(model_of(study).grid)
    else:
        assert mapped.name in maps_of(study)
        values = run.results.array(f"{GROUP}/{turn}/{mapped.name}")
        if mapped is COST and model_of(study).costs is None:
            values = np.minimum(values, MOST_COST * np.median(values))
    return on_map(model_of(study), values, mollweide, hour_text(model_of(study), turn))


def on_map(model: AtmosphereTable, values: Floats, mollweide: bool, time: str = "") -> Snapshot:
    """Values (latitudes, longitudes) from the south as a snapshot."""
    east, north = edges_of(model.grid)
    if not mollweide:
        return Snapshot(east, north, values.T, time)
    longitude, latitude = np.radians(east) - np.pi, np.radians(north)
    return Snapshot(*mollweide_of(longitude[:, None], latitude[None, :]), values.T, time)


def hour_text(model: AtmosphereTable, timestep: int) -> str:
    """The time of day at longitude 0 at the beginning of a timestep, and the day of the year; with
    costs from a file the timestep.
    """
    if model.costs is not None:
        return f"timestep {timestep}"
    hours = model.hour + timestep * model.timestep / HOUR
    day = 1 + (model.day - 1 + int(hours // 24)) % int(YEAR)
    return f"day {day}, {hours % 24:.4g} h"

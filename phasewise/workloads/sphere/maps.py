"""Maps of a run as fields of a report: in degrees, and by Mollweide's projection of equal
areas.
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
from phasewise.workloads.sphere.cases import DAY
from phasewise.workloads.sphere.grid import gaussian_latitudes

NO_MAPS = Missing("The picture needs records.maps_every above 0 in the study.")
HOUR = 3600.0
MOST_HOURS = 72.0
"""Longest time that is written in hours."""


@dataclass(frozen=True)
class Mapped:
    """A quantity of the maps: its dataset, its words, its unit, and whether it diverges from 0."""

    name: str
    title: str
    unit: str
    diverging: bool


SURFACE = Mapped("surface", "height of the surface", "m", False)
VORTICITY = Mapped("vorticity", "relative vorticity", "s^-1", True)


def fields() -> tuple[Field, ...]:
    """The fields of a report: both quantities in both projections."""
    return tuple(
        field_of(mapped, mollweide)
        for mapped in (SURFACE, VORTICITY)
        for mollweide in (False, True)
    )


def field_of(mapped: Mapped, mollweide: bool) -> Field:
    """A quantity of the first level as a field."""
    name, title = mapped.name, mapped.title
    degrees = (Coordinate("longitude", "°E"), Coordinate("latitude", "°N"))
    return Field(
        name=f"{name}-mollweide" if mollweide else name,
        title=f"{title[:1].upper()}{title[1:]}{' by Mollweide' if mollweide else ''}",
        quantity=title,
        unit=mapped.unit,
        axes=(Coordinate("x"), Coordinate("y")) if mollweide else degrees,
        turns=_turns,
        snapshot=partial(_snapshot, name=name, mollweide=mollweide),
        note=partial(_note, mollweide=mollweide),
        diverging=mapped.diverging,
        same_scale=True,
    )


def _turns(run: ReportedRun) -> Sequence[int] | Missing:
    return run.results.snapshots("maps") or NO_MAPS


def _note(run: ReportedRun, mollweide: bool) -> str:
    levels = int(run.study["sphere"]["levels"])
    shown = f"The first of {levels} levels. " if levels > 1 else ""
    projection = "Mollweide's projection keeps areas; 180° E is in the middle." if mollweide else ""
    return f"{shown}{projection}".strip()


def _snapshot(run: ReportedRun, turn: int, name: str, mollweide: bool) -> Snapshot:
    values = run.results.array(f"maps/{turn}/{name}")[0]
    east, north = edges_of(*values.shape)
    time = time_text((turn + 1) * float(run.study["sphere"]["timestep"]))
    # Latitudes rise in a picture.
    shown = values[::-1].T
    if not mollweide:
        return Snapshot(np.degrees(east), np.degrees(north), shown, time)
    # The map is centred on 180° E, as one in degrees is.
    x, y = mollweide_of(east[:, None] - np.pi, north[None, :])
    return Snapshot(x, y, shown, time)


def time_text(seconds: float) -> str:
    """A time after the start in hours or days."""
    hours = seconds / HOUR
    return f"{hours:.4g} h" if hours <= MOST_HOURS else f"day {seconds / DAY:.4g}"


def edges_of(latitudes: int, longitudes: int) -> tuple[Floats, Floats]:
    """The edges of the cells around the grid points [rad]: longitudes from half a cell west of 0,
    and latitudes from south to north, between which Gaussian weights are the areas.
    """
    east = 2 * np.pi * (np.arange(longitudes + 1) - 0.5) / longitudes
    weight = gaussian_latitudes(latitudes)[1]
    sines = np.clip(np.concatenate([[-1.0], -1.0 + np.cumsum(weight)]), -1.0, 1.0)
    sines[-1] = 1.0
    return east, np.arcsin(sines)

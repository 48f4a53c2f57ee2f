"""Crab cavities and crab waist of one beam at an interaction point, contradictions refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import StudyError
from phasewise.tables.declared import check_needed, read_table, schema_of
from phasewise.tables.files import read_text
from phasewise.tables.keys import check_table, show, with_defaults
from phasewise.workloads.collision.tables.crab import (
    MOST_CAVITIES,
    SIDES,
    Crab,
    CrabCavity,
    CrabDrift,
    CrabSextupoles,
    Pair,
    Sextupole,
    Spectrum,
)

CRAB, CAVITY = schema_of(Crab), schema_of(CrabCavity)
GAUSSIAN = ("soft-gaussian", "weak-strong")

LARGEST_STEP = 10.0
"""Largest ratio of two neighbouring frequencies of a spectrum, above which it has a gap."""

LEAST_ARM = 1e-6
"""Least |sin 2πμ| of a cavity whose strength is that of its tilt at the point."""

AXIS = 1e-9
"""Largest sine of an angle between a crossing plane and an axis to which it counts as parallel."""


@dataclass(frozen=True)
class Crossing:
    """What crab cavities and waists need to know of their point, and where its keys stand."""

    where: str
    angle: float
    plane: float
    model: str
    folder: Path
    circumference: float | None


def read_crab(given: Mapping[str, Any], at: Crossing) -> dict[str, Any]:
    """The values of the keys `crab`, `crab_waist`, `crab_sextupoles` and `crab_cavities`."""
    if given.get("crab") is not None and given.get("crab_cavities") is not None:
        raise StudyError(
            f"{at.where} gives both crab, a plain pair of cavities, and crab_cavities: give one"
        )
    crab = (0.0, 0.0)
    if given.get("crab") is not None:
        filled = with_defaults(check_table(given["crab"], CRAB, f"{at.where}.crab"), CRAB)
        crab = (filled["strength"], filled["frequency"])
    waist = given.get("crab_waist")
    return {
        "crab": crab,
        "crab_waist": _checked_waist(waist or 0.0, at),
        "crab_sextupoles": _sextupoles(given.get("crab_sextupoles"), waist, at),
        "crab_cavities": _cavities(given.get("crab_cavities"), at),
    }


def _checked_waist(waist: float, at: Crossing) -> float:
    if waist == 0:
        return 0.0
    if at.angle == 0:
        raise StudyError(
            f"{at.where}.crab_waist = {waist:g} needs a crossing angle: it turns the waist to the "
            f"axis of the other beam, and {at.where}.half_crossing_angle is 0"
        )
    if at.model in GAUSSIAN and abs(math.sin(at.plane)) > AXIS:
        raise StudyError(
            f"{at.where}.crab_waist with Gaussian slices needs a horizontal crossing, and "
            f'crossing_plane is {at.plane:g}: give model = "strong-strong"'
        )
    return waist


def _sextupoles(given: Any, waist: float | None, at: Crossing) -> CrabSextupoles | None:
    """The sextupoles; None without any, and where the study switches them off."""
    if given is None:
        return None
    where = f"{at.where}.crab_sextupoles"
    if waist is None:
        raise StudyError(f"{where} needs {at.where}.crab_waist, the strength of the sextupoles")
    if abs(math.sin(at.plane)) > AXIS:
        raise StudyError(
            f"{where} needs a horizontal crossing, and crossing_plane is {at.plane:g}: without it "
            "the crab waist is a thin pair at the point"
        )
    schema = schema_of(CrabSextupoles)
    tables = check_table(given, schema, where)
    check_needed(tables, schema, where)
    places = {
        side: read_table(Sextupole, tables[side], f"{where}.{side}")
        for side in ("before", "behind")
        if side in tables
    }
    for side, place in places.items():
        if not place.turns_the_waist:
            raise StudyError(
                f"{where}.{side}.phase_advance = {show(list(place.phase_advance))} (turns) does "
                "not turn the waist: about a multiple of 0.5 in x and 0.25 or 0.75 in y are "
                "accepted"
            )
    if waist == 0:
        return None
    return CrabSextupoles(before=places["before"], behind=places.get("behind", places["before"]))


def _cavities(given: Any, at: Crossing) -> tuple[CrabCavity, ...]:
    if given is None:
        return ()
    where = f"{at.where}.crab_cavities"
    if not isinstance(given, list | tuple):
        raise StudyError(f"{where} must be a list of tables, but is {show(given)}")
    cavities = tuple(_cavity(table, f"{where}.{k}", at) for k, table in enumerate(given))
    for side in SIDES[1:]:
        count = sum(cavity.side in ("both", side) for cavity in cavities)
        if count > MOST_CAVITIES:
            raise StudyError(
                f"{where} has {count} cavities {side} the point, and at most {MOST_CAVITIES} are "
                "accepted"
            )
    return cavities


def _cavity(table: Any, where: str, at: Crossing) -> CrabCavity:
    values = with_defaults(check_table(table, CAVITY, where), CAVITY)
    check_needed(values, CAVITY, where)
    for name in ("phase_spectrum", "amplitude_spectrum"):
        values[name] = _spectrum(values[name], f"{where}.{name}", at)
    if values["drift"] is not None:
        values["drift"] = _drift(values["drift"], f"{where}.drift")
    cavity = CrabCavity(**values)
    _check_strength(cavity, where, at)
    if cavity.common_noise and cavity.side != "both":
        raise StudyError(
            f'{where}.common_noise is that of both sides, and side is "{cavity.side}": leave it out'
        )
    return cavity


def _drift(table: Any, where: str) -> CrabDrift:
    drift = read_table(CrabDrift, table, where)
    first, last = drift.turns
    if last <= first:
        raise StudyError(f"{where}.turns = [{first}, {last}] must be in rising order")
    return drift


def _check_strength(cavity: CrabCavity, where: str, at: Crossing) -> None:
    if (cavity.strength is None) == (cavity.voltage is None):
        what = "neither strength nor" if cavity.strength is None else "both strength and"
        raise StudyError(f"{where} gives {what} voltage (V): give one")
    if cavity.voltage is not None and cavity.beta is None:
        raise StudyError(
            f"{where}.voltage needs {where}.beta, β (m) at the cavity: the tilt at the point "
            "follows from both"
        )
    if cavity.strength is not None and at.angle == 0:
        raise StudyError(
            f"{where}.strength is a share of the crossing angle, and {at.where}."
            "half_crossing_angle is 0: give voltage and beta"
        )
    if not cavity.has_place:
        return
    along = [abs(math.sin(at.plane)), abs(math.cos(at.plane))]
    if min(along) > AXIS:
        raise StudyError(
            f"{where} has a place of its own, for which the crossing must be horizontal or "
            f"vertical, and crossing_plane is {at.plane:g}: leave out beta and phase_advance"
        )
    plane = along.index(min(along))
    advance = cavity.advance[plane]
    if cavity.strength is not None and abs(math.sin(2 * math.pi * advance)) < LEAST_ARM:
        raise StudyError(
            f"{where}.phase_advance = {advance:g} (turns) leaves the bunch at the point where it "
            "is, so that strength says nothing: give voltage and beta"
        )


def _spectrum(given: Any, where: str, at: Crossing) -> Spectrum:
    if given is None or given == ():
        return ()
    if at.circumference is None:
        raise StudyError(f"ring.circumference (m) is missing: {where} needs the turn's duration")
    what = where
    if isinstance(given, str):
        what = f"{where}: {at.folder / given}"
        given = _rows_of_file(at.folder / given, where)
    try:
        rows = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.zeros(0)
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) < 2:
        raise StudyError(
            f"{what} must be a file, or a list, of two or more rows of frequency (Hz) and density"
        )
    _check_rows(rows, what)
    return tuple((float(f), float(density)) for f, density in rows)


def _rows_of_file(path: Path, where: str) -> list[list[float]]:
    try:
        lines = read_text(path).splitlines()
    except StudyError as error:
        raise StudyError(f"{where}: {error}") from None
    rows = [line.split("#")[0].replace(",", " ").split() for line in lines]
    try:
        return [[float(word) for word in row] for row in rows if row]
    except ValueError as error:
        raise StudyError(f"{where}: {path} holds what is no number ({error})") from None


def _check_rows(rows: np.ndarray[Any, np.dtype[np.float64]], what: str) -> None:
    if not np.isfinite(rows).all() or (rows < 0).any():
        raise StudyError(f"{what} has a frequency or density that is negative or no finite number")
    frequency = rows[:, 0]
    for k in range(1, len(rows)):
        low, high = frequency[k - 1], frequency[k]
        if not high > low:
            raise StudyError(
                f"{what} must have rising frequencies, but {high:g} Hz follows {low:g} Hz"
            )
        if low > 0 and high > LARGEST_STEP * low:
            raise StudyError(
                f"{what} has a gap between {low:g} and {high:g} Hz: give rows whose frequencies "
                f"are at most {LARGEST_STEP:g} times those before them"
            )


def place_of(cavity: CrabCavity, optics_beta: Pair) -> tuple[float, float, float, float]:
    """β [m] in x and y and phase advances [turns] of a cavity with a place; β cancels where a
    strength is given.
    """
    return (*(cavity.beta or optics_beta), *cavity.advance)

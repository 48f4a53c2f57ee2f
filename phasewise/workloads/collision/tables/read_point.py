"""Interaction points: optics per beam, phase advances, separation and its ramp, the mesh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.declared import check_needed, read_table, schema_of
from phasewise.tables.keys import check_table, with_defaults
from phasewise.tables.merging import merge, numbered
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import Ring
from phasewise.workloads.collision.tables.optics import Four, Optics, Pair
from phasewise.workloads.collision.tables.point import Bhabha, InteractionPoint, Ramp
from phasewise.workloads.collision.tables.read_arc import ArcTable
from phasewise.workloads.collision.tables.read_crab import CRAB, Crossing, read_crab

MAX_POINTS = 64
OPTICS, RAMP = schema_of(Optics), schema_of(Ramp)
POINT = OPTICS | schema_of(InteractionPoint)
"""The keys of [ip.k] that describe optics hold for both beams."""

FIELDS = {field.name for field in fields(InteractionPoint)}
OPTICS_FIELDS = {field.name for field in fields(Optics)}

ALTERNATIVES = (("crab", "crab_cavities"),)
"""Keys that a beam's own table replaces by each other."""

PHASE_AGREEMENT = 1e-9
"""Largest difference [turns] between the tune and the sum of the phase advances."""


@dataclass(frozen=True)
class PointTables:
    """The keys given for one interaction point: common ones with their defaults, and the optics per
    beam.
    """

    common: dict[str, Any]
    optics: dict[int, dict[str, Any]]

    @property
    def model(self) -> str:
        """The collision model's name."""
        return str(self.common["model"])


def check_ips(table: Mapping[str, Any]) -> list[PointTables]:
    """The keys given for each interaction point, in order."""
    entries = numbered(table, "ip", MAX_POINTS)
    if not entries:
        raise StudyError("[ip.1] is missing: at least one interaction point is needed")
    return [_check_ip(entry, f"ip.{k}") for k, entry in entries.items()]


def _check_ip(entry: object, where: str) -> PointTables:
    given = _translated(check_table(entry, POINT, where), where)
    shared = {name: given[name] for name in OPTICS if name in given}
    own = {1: shared, 2: shared}
    beams = {str(k): v for k, v in given.get("beam", {}).items()}
    check_table(beams, {"1": POINT["beam"], "2": POINT["beam"]}, f"{where}.beam")
    for name, table in beams.items():
        place = f"{where}.beam.{name}"
        keys = _translated(check_table(table, OPTICS, place), place)
        own[int(name)] = merge(shared, keys, ALTERNATIVES)
    for number, optics in own.items():
        if "beta" not in optics:
            raise StudyError(f"{where}.beta = [x, y] (m) is missing for beam {number}")
    return PointTables(with_defaults(given, POINT), own)


def _translated(given: dict[str, Any], where: str) -> dict[str, Any]:
    """The keys with the plain crab cavities checked, and SAD's r1 … r4 as the matrix C."""
    if "crab" in given:
        given["crab"] = check_table(given["crab"], CRAB, f"{where}.crab")
    if "coupling_r" in given:
        if "coupling" in given:
            raise StudyError(f"{where} gives both coupling and coupling_r: give one")
        r1, r2, r3, r4 = given.pop("coupling_r")
        given["coupling"] = (r4, -r2, -r3, r1)
    return given


def build_optics(
    points: list[PointTables], beam: int, arc: ArcTable, folder: Path, ring: Ring
) -> tuple[Optics, ...]:
    """The optics of ``beam`` at every interaction point, the last phase advance from the tune."""
    advances = _phase_advances([p.optics[beam].get("phase_advance") for p in points], beam, arc)
    return tuple(
        _optics(point, beam, advance, _crossing(point, f"ip.{k}", folder, ring))
        for k, (point, advance) in enumerate(zip(points, advances, strict=True), 1)
    )


def _crossing(point: PointTables, where: str, folder: Path, ring: Ring) -> Crossing:
    angle, plane = (point.common[name] for name in ("half_crossing_angle", "crossing_plane"))
    return Crossing(where, angle, plane, point.model, folder, ring.circumference)


def _optics(point: PointTables, beam: int, advance: Pair, at: Crossing) -> Optics:
    given = point.optics[beam]
    values = with_defaults(given, OPTICS)
    own = {name: values[name] for name in OPTICS_FIELDS if name in values}
    return Optics(**own | {"phase_advance": advance} | read_crab(given, at))


def _phase_advances(given: list[Pair | None], beam: int, arc: ArcTable) -> list[Pair]:
    count = len(given)
    tune = arc.given.get("tune")
    if tune is None:
        for k, advance in enumerate(given[:-1], 1):
            if advance is None:
                raise StudyError(
                    f"ip.{k}.phase_advance (turns) is missing for beam {beam}: without arc.tune it "
                    "has no default"
                )
        return [a for a in given[:-1] if a is not None] + [given[-1] or (0.0, 0.0)]
    shares = [a or (tune[0] / count, tune[1] / count) for a in given[:-1]]
    x, y = (tune[i] - sum(a[i] for a in shares) for i in (0, 1))
    last = given[-1]
    if last is not None and max(abs(last[0] - x), abs(last[1] - y)) > PHASE_AGREEMENT:
        raise StudyError(
            f"ip.{count}.phase_advance = [{last[0]:g}, {last[1]:g}] of beam {beam} disagrees with "
            "the tune, which "
            f"leaves [{x:g}, {y:g}] turns for the last arc: leave it out"
        )
    return [*shares, (x, y)]


def build_ip(point: PointTables, index: int, beams: tuple[Beam, Beam]) -> InteractionPoint:
    """Interaction point ``index`` (from 0), common to both beams."""
    where = f"ip.{index + 1}"
    values = point.common
    separation, ramp = _separation(values, beams[0], index, where)
    half_width = values["mesh_half_width"]
    if values["mesh"] == "fixed" and half_width is None:
        raise StudyError(
            f'{where}.mesh_half_width = [x, y] (m) is missing: mesh = "fixed" needs it'
        )
    if values["mesh"] == "follow" and half_width is not None:
        raise StudyError(
            f'{where}.mesh_half_width needs mesh = "fixed"; a mesh that follows has mesh_extent'
        )
    common = {name: values[name] for name in schema_of(InteractionPoint) if name in FIELDS}
    own = {
        "separation": separation,
        "separation_ramp": ramp,
        "bhabha": _bhabha(values, beams, where),
    }
    return InteractionPoint(**common | own)


def _bhabha(values: dict[str, Any], beams: tuple[Beam, Beam], where: str) -> Bhabha | None:
    """What the table asks for, if these beams can be scattered so."""
    if values["bhabha"] is None:
        return None
    where = f"{where}.bhabha"
    bhabha = read_table(Bhabha, values["bhabha"], where)
    one, two = beams
    if one.charge * two.charge > 0:
        raise StudyError(
            f"{where} needs opposite charges, and those of the beams are {one.charge:g} and "
            f"{two.charge:g}: like charges scatter by Møller's cross section, which is not modelled"
        )
    if one.mass != two.mass or abs(one.charge) != 1 or abs(two.charge) != 1:
        raise StudyError(
            f"{where} is the scattering of electrons and positrons, or of other particles of one "
            f"mass and single charge; the beams have {one.mass:g} eV and {two.mass:g} eV, and "
            f"charges {one.charge:g} and {two.charge:g}"
        )
    if not values["luminosity"]:
        raise StudyError(
            f"{where} needs luminosity = true: the rate that is expected follows from it"
        )
    for beam in beams:
        aperture = beam.arc.momentum_aperture
        if not beam.strong and aperture is not None and bhabha.least >= aperture[0]:
            raise StudyError(
                f"{where}.least = {bhabha.least:g} must be below the momentum aperture of beam "
                f"{beam.number}, {aperture[0]:g}, or losses would be left out"
            )
    return bhabha


def _separation(
    values: dict[str, Any], beam: Beam, index: int, where: str
) -> tuple[Four, tuple[int, int]]:
    """Separation [m] before and after the ramp, and the ramp's turns; sigma units are beam 1's
    sizes.
    """
    given = [
        name for name in ("separation", "separation_sigma", "ramp") if values[name] is not None
    ]
    if len(given) > 1:
        raise StudyError(f"{where} gives both {given[0]} and {given[1]}: give one")
    if values["ramp"] is not None:
        ramp = check_table(values["ramp"], RAMP, f"{where}.ramp")
        check_needed(ramp, RAMP, f"{where}.ramp")
        first, last = ramp["turns"]
        if last <= first:
            raise StudyError(f"{where}.ramp.turns = [{first}, {last}] must be in rising order")
        return (*ramp["from"], *ramp["to"]), (first, last)
    x, y = values["separation"] or (0.0, 0.0)
    if values["separation_sigma"] is not None:
        size = beam.size(index)
        x, y = (n * s for n, s in zip(values["separation_sigma"], size, strict=True))
    return (x, y, x, y), (0, 0)

"""From the tables of a study of colliding beams to its model: overrides merged, defaults filled,
contradictions refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.declared import check_needed, schema_of
from phasewise.tables.keys import Key, check_table, with_defaults
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.longitudinal import check_bucket
from phasewise.workloads.collision.tables.model import Collision, Records, Ring
from phasewise.workloads.collision.tables.point import InteractionPoint
from phasewise.workloads.collision.tables.read_arc import check_arc
from phasewise.workloads.collision.tables.read_beam import build_beam, check_beams
from phasewise.workloads.collision.tables.read_point import (
    PointTables,
    build_ip,
    build_optics,
    check_ips,
)

TABLES = {
    "beam": Key("table", needed="the table that holds [beam.1] and [beam.2]"),
    "ring": Key("table"),
    "arc": Key("table", needed="the ring between the last interaction point and the first"),
    "ip": Key("table", needed="the table that holds the interaction points, [ip.1] and on"),
}
"""The tables of a study that describe the beams."""

IDENTITY = [[float(row == column) for column in range(6)] for row in range(6)]
"""The matrix of an arc in which nothing happens."""


def read(tables: Mapping[str, Any], records: Mapping[str, Any], folder: Path) -> Collision:
    """The model that the tables describe; StudyError if they do not describe one."""
    check_needed(tables, TABLES, "")
    ring = _ring(tables["ring"] or {})
    points = check_ips(tables["ip"])
    strong = _strong_beam(points)
    given = check_beams(tables["beam"])
    arcs = check_arc(tables["arc"], folder)
    beams = []
    for number in (1, 2):
        optics = build_optics(points, number, arcs[number], folder, ring)
        beams.append(
            build_beam(given[number], number, optics, arcs[number], folder, number == strong, ring)
        )
    both = (beams[0], beams[1])
    for beam in both:
        check_bucket(beam)
    ips = tuple(build_ip(point, k, both) for k, point in enumerate(points))
    model = Collision(ring=ring, beams=both, ips=ips, records=_records(records, both))
    _check_slices(ips, both)
    return model


def read_host(tables: Mapping[str, Any], records: Mapping[str, Any], folder: Path) -> Collision:
    """The model of beams on which other workloads act between the last interaction point and the
    first. Without [arc], only these act there.
    """
    arc = {"matrix": IDENTITY} if tables["arc"] is None else tables["arc"]
    model = read({**tables, "arc": arc}, records, folder)
    for beam in model.beams:
        if beam.population_ramp is not None:
            raise StudyError(
                f"beam.{beam.number}.population_ramp cannot stand in a ring of several workloads, "
                "where the others know one population: leave it out"
            )
    return model


def _ring(table: object) -> Ring:
    schema = schema_of(Ring)
    ring = Ring(**with_defaults(check_table(table, schema, "ring"), schema))
    if ring.bunches is not None and ring.circumference is None:
        raise StudyError("ring.bunches needs ring.circumference (m) for a luminosity per second")
    return ring


def _strong_beam(points: list[PointTables]) -> int:
    """The beam that is not tracked, 0 if both are tracked."""
    weak = [
        (k, p.common["strong_beam"]) for k, p in enumerate(points, 1) if p.model == "weak-strong"
    ]
    if not weak:
        return 0
    first, strong = weak[0]
    for k, other in weak[1:]:
        if other != strong:
            raise StudyError(
                f"ip.{k}.strong_beam = {other} contradicts ip.{first}.strong_beam = {strong}: "
                "one beam stays strong everywhere"
            )
    for k, point in enumerate(points, 1):
        if point.model in ("strong-strong", "soft-gaussian"):
            raise StudyError(
                f'ip.{k}.model = "{point.model}" cannot stand beside the weak-strong ip.{first}, '
                f'where beam {strong} is not tracked; accepted: "weak-strong" or "none"'
            )
    return int(strong)


def _records(values: Mapping[str, Any], beams: tuple[Beam, Beam]) -> Records:
    if values["moments_order"] not in (2, 4):
        raise StudyError(f"records.moments_order = {values['moments_order']} must be 2 or 4")
    fewest = min((b.macroparticles for b in beams if not b.strong), default=0)
    if values["tracked"] > fewest:
        raise StudyError(
            f"records.tracked = {values['tracked']} is more than the {fewest} macroparticles of "
            "a beam"
        )
    return Records(**values)


def _check_slices(ips: tuple[InteractionPoint, ...], beams: tuple[Beam, Beam]) -> None:
    for k, ip in enumerate(ips, 1):
        for beam in beams:
            slices = ip.slices[beam.number - 1]
            # The slices of a beam that meets a strong one make no field: some may be empty.
            if ip.model in ("none", "weak-strong") or beam.strong:
                continue
            if slices > beam.macroparticles:
                raise StudyError(
                    f"ip.{k}.slices = {slices} is more than the {beam.macroparticles} "
                    "macroparticles of "
                    f"beam {beam.number}"
                )

"""From the tables of a study, as read, to a Study: overrides merged, defaults filled,
contradictions refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.study import schema
from phasewise.study.keys import check_table, with_defaults
from phasewise.study.longitudinal import check_bucket
from phasewise.study.model import Beam, InteractionPoint, Records, Study
from phasewise.study.resolve_arc import check_arc
from phasewise.study.resolve_beam import build_beam, check_beams
from phasewise.study.resolve_communication import build_communication
from phasewise.study.resolve_ip import PointTables, build_ip, build_optics, check_ips


def resolve(study: Mapping[str, Any], folder: Path) -> Study:
    """The Study that the tables describe; StudyError where they do not describe one."""
    top = with_defaults(check_table(study, schema.TOP, ""), schema.TOP)
    for name in ("turns", "beam", "arc", "ip"):
        if top[name] is None:
            what = (
                f"[{name}.1]" if name in ("beam", "ip") else f"[{name}]" if name == "arc" else name
            )
            raise StudyError(f"{what} is missing: every study gives it")
    ring = with_defaults(check_table(top["ring"] or {}, schema.RING, "ring"), schema.RING)
    if ring["bunches"] is not None and ring["circumference"] is None:
        raise StudyError("ring.bunches needs ring.circumference (m) for a luminosity per second")
    points = check_ips(top["ip"])
    strong = _strong_beam(points)
    tables = check_beams(top["beam"])
    arcs = check_arc(top["arc"], folder)
    beams = []
    for number in (1, 2):
        optics = build_optics(points, number, arcs[number])
        beams.append(
            build_beam(tables[number], number, optics, arcs[number], folder, number == strong, ring)
        )
    both = (beams[0], beams[1])
    for beam in both:
        check_bucket(beam)
    ips = tuple(build_ip(point, k, both) for k, point in enumerate(points))
    records = _records(top["records"] or {}, both)
    _check_slices(ips, both)
    return Study(
        title=top["title"],
        turns=top["turns"],
        seed=top["seed"],
        circumference=ring["circumference"],
        bunches=ring["bunches"],
        beams=both,
        ips=ips,
        records=records,
        communication=build_communication(top["communication"] or {}, folder),
    )


def _strong_beam(points: list[PointTables]) -> int:
    """The beam that is not tracked, 0 where both are."""
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


def _records(table: object, beams: tuple[Beam, Beam]) -> Records:
    values = with_defaults(check_table(table, schema.RECORDS, "records"), schema.RECORDS)
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
            if ip.model != "none" and not beam.strong and ip.slices > beam.macroparticles:
                raise StudyError(
                    f"ip.{k}.slices = {ip.slices} is more than the {beam.macroparticles} "
                    "macroparticles of "
                    f"beam {beam.number}"
                )

"""The model of two beams back to tables, shaped as the TOML file, every default written out."""

from __future__ import annotations

from typing import Any

from phasewise.tables.declared import values_of
from phasewise.workloads.collision.tables.arc import Arc
from phasewise.workloads.collision.tables.beam import Beam, SecondPart
from phasewise.workloads.collision.tables.crab import Crab
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Optics
from phasewise.workloads.collision.tables.point import InteractionPoint


def resolved(model: Collision) -> dict[str, Any]:
    """The tables from which the same model is read."""
    return {
        "beam": {str(beam.number): _beam(beam) for beam in model.beams},
        "ring": values_of(model.ring),
        "arc": {str(beam.number): _arc(beam.arc) for beam in model.beams},
        "ip": {
            str(k + 1): _point(ip, [beam.optics[k] for beam in model.beams])
            for k, ip in enumerate(model.ips)
        },
        "records": values_of(model.records),
    }


def _beam(beam: Beam) -> dict[str, Any]:
    table = values_of(beam)
    if beam.macroparticles == 0:
        del table["macroparticles"]
    if beam.distribution != "q-gaussian":
        del table["q"]
    for flag in ("quiet", "resample"):
        if not table[flag]:
            del table[flag]
    if beam.second is not None:
        table["second"] = _second(beam.second)
    if beam.population_ramp is not None:
        table["population_ramp"] = values_of(beam.population_ramp)
    return table


def _second(part: SecondPart) -> dict[str, Any]:
    table = values_of(part)
    if part.distribution != "q-gaussian":
        del table["q"]
    return table


def _arc(arc: Arc) -> dict[str, Any]:
    table = values_of(arc)
    maps = {name: table.pop(name) for name in ("matrix", "tensor") if name in table}
    rf = {} if arc.rf is None else {"rf": values_of(arc.rf)}
    return table | {"feedback": values_of(arc.feedback)} | rf | maps


def _point(ip: InteractionPoint, optics: list[Optics]) -> dict[str, Any]:
    before, after = list(ip.separation[:2]), list(ip.separation[2:])
    if ip.separation_ramp == (0, 0):
        apart: dict[str, Any] = {"separation": before}
    else:
        turns = list(ip.separation_ramp)
        apart = {"ramp": {"from": before, "to": after, "turns": turns}}
    bhabha = {} if ip.bhabha is None else {"bhabha": values_of(ip.bhabha)}
    return (
        values_of(ip)
        | apart
        | bhabha
        | {"beam": {str(b): _optics(o) for b, o in enumerate(optics, 1)}}
    )


def _optics(optics: Optics) -> dict[str, Any]:
    table = values_of(optics)
    if optics.crab_waist == 0:
        del table["crab_waist"]
    if optics.crab_sextupoles is not None:
        table["crab_sextupoles"] = optics.crab_sextupoles.table()
    if optics.crab_cavities:
        return table | {"crab_cavities": [cavity.table() for cavity in optics.crab_cavities]}
    strength, frequency = optics.crab
    return table | {"crab": values_of(Crab(strength=strength, frequency=frequency))}

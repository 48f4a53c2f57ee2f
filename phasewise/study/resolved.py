"""A Study back to tables, shaped as its TOML file, with every default written out: the JSON kept
with each run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from phasewise.study.model import Arc, Beam, InteractionPoint, Optics, Study


def resolved(study: Study) -> dict[str, Any]:
    """``study`` as a dictionary for JSON that ``Study.from_dict`` reads to the same study."""
    tables: dict[str, Any] = {"title": study.title, "turns": study.turns, "seed": study.seed}
    ring = {"circumference": study.circumference, "bunches": study.bunches}
    tables["beam"] = {str(beam.number): _beam(beam) for beam in study.beams}
    tables["ring"] = _given(ring)
    tables["arc"] = {str(beam.number): _arc(beam.arc) for beam in study.beams}
    tables["ip"] = {
        str(k + 1): _ip(ip, [beam.optics[k] for beam in study.beams])
        for k, ip in enumerate(study.ips)
    }
    tables["records"] = asdict(study.records)
    tables["communication"] = study.communication.resolved()
    return tables


def _given(table: dict[str, Any]) -> dict[str, Any]:
    """``table`` without None, tuples as lists."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in table.items() if v is not None}


def _beam(beam: Beam) -> dict[str, Any]:
    names = (
        "particle", "mass", "charge", "energy", "bunch_population", "macroparticles",
        "geometric_emittance",
        "bunch_length", "momentum_spread", "offset", "mismatch", "cut", "distribution",
    )  # fmt: skip
    table = _given({name: getattr(beam, name) for name in names})
    if beam.macroparticles == 0:
        del table["macroparticles"]
    if beam.particles is not None:
        table["particles"] = str(beam.particles)
    return table


def _nested(flat: Sequence[float], depth: int) -> list[Any]:
    if depth == 1:
        return list(flat)
    step = len(flat) // 6
    return [_nested(flat[i : i + step], depth - 1) for i in range(0, len(flat), step)]


def _arc(arc: Arc) -> dict[str, Any]:
    flat = {name: getattr(arc, name) for name in Arc.__dataclass_fields__}
    for name in ("rf", "matrix", "tensor", "feedback_gain", "feedback_noise"):
        del flat[name]
    table = _given(flat)
    detuning = arc.amplitude_detuning
    table["amplitude_detuning"] = [list(detuning[:2]), list(detuning[2:])]
    table["feedback"] = {"gain": list(arc.feedback_gain), "noise": list(arc.feedback_noise)}
    if arc.rf is not None:
        table["rf"] = asdict(arc.rf)
    if arc.matrix is not None:
        table["matrix"] = _nested(arc.matrix, 2)
    if arc.tensor is not None:
        table["tensor"] = _nested(arc.tensor, 3)
    return table


def _ip(ip: InteractionPoint, optics: list[Optics]) -> dict[str, Any]:
    flat = {name: getattr(ip, name) for name in InteractionPoint.__dataclass_fields__}
    separation, ramp = flat.pop("separation"), flat.pop("separation_ramp")
    table = _given(flat)
    if ramp == (0, 0):
        table["separation"] = list(separation[:2])
    else:
        table["ramp"] = {
            "from": list(separation[:2]),
            "to": list(separation[2:]),
            "turns": list(ramp),
        }
    table["beam"] = {str(b): _optics(o) for b, o in enumerate(optics, 1)}
    return table


def _optics(optics: Optics) -> dict[str, Any]:
    names = ("beta", "alpha", "dispersion", "phase_advance")
    table = {name: list(getattr(optics, name)) for name in names}
    strength, frequency = optics.crab
    return table | {"crab": {"strength": strength, "frequency": frequency}}

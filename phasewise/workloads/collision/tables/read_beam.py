"""The two beams: ``like``, particle constants, the emittance from whichever size was given."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from phasewise.constants import PARTICLES
from phasewise.errors import StudyError
from phasewise.tables.declared import check_needed, schema_of
from phasewise.tables.keys import check_table, show, with_defaults
from phasewise.tables.merging import merge, numbered
from phasewise.workload.bunches import particles_file
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import Ring
from phasewise.workloads.collision.tables.optics import Optics, Pair, Six, matched_rms
from phasewise.workloads.collision.tables.read_arc import ArcTable, build_arc
from phasewise.workloads.collision.tables.read_bunch import (
    check_distribution,
    read_ramp,
    read_second,
)

BEAM = schema_of(Beam)

AGREEMENT = 1e-3
"""Relative difference up to which two statements of one beam size agree."""

ALTERNATIVES = (
    ("normalized_emittance", "geometric_emittance", "size"),
    ("offset", "offset_sigma"),
    ("particle", "mass", "charge"),
    ("distribution", "particles"),
)

FOLLOWS = {"distribution": "q", "bunch_population": "population_ramp"}
"""A key that `like` does not take along where the beam itself gives the key that it refines."""


def check_beams(table: Mapping[str, Any]) -> dict[int, dict[str, Any]]:
    """The keys given for beams 1 and 2, ``like`` applied."""
    entries = numbered(table, "beam", 2)
    if len(entries) != 2:
        raise StudyError(
            '[beam.2] is missing: two beams collide (like = "beam.1" copies the first)'
        )
    given = {k: check_table(entry, BEAM, f"beam.{k}") for k, entry in entries.items()}
    model = {k: g.pop("like", None) for k, g in given.items()}
    for k, like in model.items():
        if like == f"beam.{k}" or (like and model[3 - k]):
            raise StudyError(
                f"beam.{k}.like = {show(like)} goes round in a circle: one beam gives its own keys"
            )
    for k, like in model.items():
        if like:
            own = given[k]
            left_out = {name for key, name in FOLLOWS.items() if key in own and name not in own}
            base = {name: value for name, value in given[3 - k].items() if name not in left_out}
            given[k] = merge(base, own, ALTERNATIVES)
    return given


def build_beam(
    given: dict[str, Any],
    number: int,
    optics: tuple[Optics, ...],
    arc: ArcTable,
    folder: Path,
    strong: bool,
    ring: Ring,
) -> Beam:
    """Beam ``number`` from the keys given for it."""
    where = f"beam.{number}"
    untracked = ("macroparticles",) if strong else ()
    check_needed(given, BEAM, where, [name for name in BEAM if name not in untracked])
    values = with_defaults(given, BEAM)
    mass, charge = _particle(given, values, where)
    _check_energy(values, mass, where)
    gamma = values["energy"] / mass
    gamma_beta = math.sqrt((gamma - 1) * (gamma + 1))
    _check_coupling(given, optics, where)
    spread, length = values["momentum_spread"], values["bunch_length"]
    emittance = _emittance(given, optics[0], spread, gamma_beta, where)
    rms = matched_rms(optics[0], emittance, length, spread)
    distribution, particles = particles_file(given, folder, where)
    check_distribution(given, distribution, where)
    return Beam(
        number=number,
        particle=values["particle"],
        mass=mass,
        charge=charge,
        energy=values["energy"],
        bunch_population=values["bunch_population"],
        population_ramp=read_ramp(values["population_ramp"], values["bunch_population"], where),
        macroparticles=values["macroparticles"] or 0,
        geometric_emittance=emittance,
        bunch_length=length,
        momentum_spread=spread,
        orbit=values["orbit"],
        offset=_offset(given, values, rms, where),
        mismatch=values["mismatch"],
        cut=values["cut"],
        distribution=distribution,
        quiet=values["quiet"],
        q=values["q"],
        second=read_second(values["second"], distribution, where),
        particles=particles,
        resample=values["resample"],
        strong=strong,
        arc=build_arc(arc, number, emittance, rms, gamma, ring),
        optics=optics,
    )


def _particle(given: dict[str, Any], values: dict[str, Any], where: str) -> tuple[float, float]:
    name = values["particle"]
    if name == "ion":
        for key, unit in (("mass", "eV"), ("charge", "elementary charges")):
            if key not in given:
                raise StudyError(f'{where}.{key} ({unit}) is missing: particle = "ion" needs it')
        if given["charge"] == 0:
            raise StudyError(f"{where}.charge must not be 0: a neutral beam does not interact")
        return given["mass"], given["charge"]
    mass, charge = PARTICLES[name]
    for key, known in (("mass", mass), ("charge", charge)):
        if given.get(key, known) != known:
            raise StudyError(
                f"{where}.{key} = {show(given[key])} is not the {name}'s {known:g}; "
                f'for another particle say particle = "ion"'
            )
    return mass, charge


def _check_energy(values: dict[str, Any], mass: float, where: str) -> None:
    energy = values["energy"]
    if energy <= mass:
        giga = energy * 1e9
        guess = f"; did you mean {giga:g} ({energy:g} GeV)?" if mass < giga <= 1e16 else ""
        raise StudyError(
            f"{where}.energy = {energy:g} eV is not above the rest energy, {mass:g} eV: "
            f"it is the total energy in eV{guess}"
        )


def _check_coupling(given: dict[str, Any], optics: tuple[Optics, ...], where: str) -> None:
    """StudyError for a coupling that the beam cannot have."""
    for k, at in enumerate(optics, 1):
        if not at.coupled:
            continue
        a, b, c, d = at.coupling
        if at.determinant > 1:
            raise StudyError(
                f"ip.{k}.coupling = {show([[a, b], [c, d]])} of {where} has the determinant "
                f"{at.determinant:g}, and at most 1 is accepted"
            )
        if k == 1 and "size" in given:
            raise StudyError(
                f"{where}.size does not give the emittances of the coupled modes at ip.1: give "
                "geometric_emittance or normalized_emittance"
            )


def _emittance(
    given: dict[str, Any], optics: Optics, spread: float, gamma_beta: float, where: str
) -> Pair:
    """Geometric emittance [m] from the first of geometric, normalized and size; the others must
    agree.
    """
    found: list[tuple[str, Pair]] = []
    if "geometric_emittance" in given:
        found.append(("geometric_emittance", given["geometric_emittance"]))
    if "normalized_emittance" in given:
        x, y = given["normalized_emittance"]
        found.append(("normalized_emittance", (x / gamma_beta, y / gamma_beta)))
    if "size" in given:
        found.append(("size", _emittance_of_size(given["size"], optics, spread, where)))
    if not found:
        raise StudyError(
            f"{where} gives no transverse size: one of normalized_emittance, geometric_emittance, "
            "size is needed"
        )
    name, emittance = found[0]
    for other, value in found[1:]:
        for plane, axis in enumerate("xy"):
            ratio = math.sqrt(value[plane] / emittance[plane])
            if abs(ratio - 1) > AGREEMENT:
                raise StudyError(
                    f"{where}: {other} and {name} disagree in {axis} at the first interaction "
                    f"point (beta = {optics.beta[plane]:g} m): the rms size is {ratio:.4g} times "
                    "as large by the former"
                )
    return emittance


def _emittance_of_size(size: Pair, optics: Optics, spread: float, where: str) -> Pair:
    squares = []
    for plane, axis in enumerate("xy"):
        square = size[plane] ** 2 - (optics.dispersion[2 * plane] * spread) ** 2
        if square <= 0:
            raise StudyError(
                f"{where}.size = {size[plane]:g} m in {axis} is not above the dispersive part, "
                f"{abs(optics.dispersion[2 * plane] * spread):g} m, at the first interaction point"
            )
        squares.append(square / optics.beta[plane])
    return (squares[0], squares[1])


def _offset(given: dict[str, Any], values: dict[str, Any], rms: Six, where: str) -> Six:
    if "offset_sigma" not in given:
        offset: Six = values["offset"]
        return offset
    if "offset" in given:
        raise StudyError(f"{where} gives both offset and offset_sigma: give one")
    x, px, y, py, z, delta = (n * s for n, s in zip(given["offset_sigma"], rms, strict=True))
    return (x, px, y, py, z, delta)

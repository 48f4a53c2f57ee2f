"""The arc of each beam: overrides, longitudinal motion, damping, apertures and external maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.declared import check_needed, schema_of
from phasewise.tables.keys import check_table, with_defaults
from phasewise.tables.merging import merge
from phasewise.workloads.collision.tables.arc import Arc, Feedback, RadioFrequency
from phasewise.workloads.collision.tables.maps import check_map, read_map
from phasewise.workloads.collision.tables.model import Ring
from phasewise.workloads.collision.tables.optics import Pair, Six

ARC, RF, FEEDBACK = schema_of(Arc), schema_of(RadioFrequency), schema_of(Feedback)

RESONANCE = 1e-9
"""Turns from an integer or half-integer tune within which the linear motion counts as unstable."""

DETUNING_SYMMETRY = 1e-9
"""Relative difference up to which the two cross terms of the detuning are equal."""

MOST_BETA_Z = 1e30
"""Largest longitudinal beta function [m]: no ring comes near it, and its square is still finite."""

ALTERNATIVES = (("aperture", "aperture_sigma"), ("map", "matrix", "tensor"))


@dataclass(frozen=True)
class ArcTable:
    """The keys given for one beam's arc, and where they stand (``arc`` or ``arc.2``), for
    sentences.
    """

    given: dict[str, Any]
    where: str


def check_arc(table: Mapping[str, Any], folder: Path) -> dict[int, ArcTable]:
    """The keys given for the arcs of beams 1 and 2, overrides applied, map files read, tunes
    checked.
    """
    named = {str(name): entry for name, entry in table.items()}
    shared = _check({k: v for k, v in named.items() if k not in ("1", "2")}, "arc", folder)
    arcs = {}
    for number in (1, 2):
        where = "arc"
        given = shared
        if str(number) in named:
            where = f"arc.{number}"
            given = merge(shared, _check(named[str(number)], where, folder), ALTERNATIVES)
        _check_tunes(given, where)
        arcs[number] = ArcTable(given, where)
    return arcs


def _check(table: object, where: str, folder: Path) -> dict[str, Any]:
    given = check_table(table, ARC, where)
    for name, keys in (("rf", RF), ("feedback", FEEDBACK)):
        if name in given:
            given[name] = check_table(given[name], keys, f"{where}.{name}")
    if "map" in given:
        if "matrix" in given or "tensor" in given:
            raise StudyError(f"{where} gives both map, a file, and a matrix: give one")
        given |= read_map(folder / given.pop("map"), where)
    _, axy, ayx, _ = given.get("amplitude_detuning", (0.0,) * 4)
    if abs(axy - ayx) > DETUNING_SYMMETRY * (abs(axy) + abs(ayx)):
        raise StudyError(
            f"{where}.amplitude_detuning: axy = {axy:g} and ayx = {ayx:g} must be equal, since "
            "both are the same derivative of the Hamiltonian"
        )
    if "tensor" in given and "matrix" not in given:
        raise StudyError(f"{where}.tensor needs {where}.matrix, the linear part of the map")
    return given


def _check_tunes(given: dict[str, Any], where: str) -> None:
    tune = given.get("tune")
    if tune is None:
        if "matrix" not in given:
            raise StudyError(f"{where}.tune = [x, y] is missing (or a map of the whole arc)")
        return
    for plane, axis in enumerate("xy"):
        if abs(2 * tune[plane] - round(2 * tune[plane])) < 2 * RESONANCE:
            raise StudyError(
                f"{where}.tune = {tune[plane]:g} in {axis} is an integer or half-integer, where "
                "the motion is unstable"
            )


def build_arc(
    table: ArcTable,
    number: int,
    emittance: Pair,
    rms: Six,
    gamma: float,
    ring: Ring,
) -> Arc:
    """The arc of beam ``number``; ``rms`` [m and 1] is its matched bunch at the first interaction
    point.
    """
    values, where = with_defaults(table.given, ARC), table.where
    longitudinal = _longitudinal(table.given, values, where)
    rf = _rf(values, gamma, ring, where) if longitudinal == "rf" else None
    if longitudinal == "linear" and rms[5] == 0:
        raise StudyError(
            f"beam.{number}.momentum_spread must be above 0 where {where}.longitudinal is linear: "
            "bunch_length/momentum_spread is the longitudinal beta function"
        )
    if longitudinal == "linear" and not rms[4] / rms[5] < MOST_BETA_Z:
        raise StudyError(
            f"beam.{number}.momentum_spread = {rms[5]:g} gives a longitudinal beta function, "
            f"bunch_length/momentum_spread, of {rms[4] / rms[5]:g} m: it must be below "
            f"{MOST_BETA_Z:g} m where {where}.longitudinal is linear"
        )
    feedback = Feedback(**with_defaults(values["feedback"] or {}, FEEDBACK))
    arc = Arc(
        tune=values["tune"],
        synchrotron_tune=values["synchrotron_tune"] if longitudinal == "linear" else 0.0,
        chromaticity=values["chromaticity"],
        amplitude_detuning=values["amplitude_detuning"],
        longitudinal=longitudinal,
        momentum_compaction=values["momentum_compaction"],
        rf=rf,
        damping_turns=values["damping_turns"],
        equilibrium_emittance=_or(values["equilibrium_emittance"], emittance),
        equilibrium_bunch_length=_or(values["equilibrium_bunch_length"], rms[4]),
        equilibrium_momentum_spread=_or(values["equilibrium_momentum_spread"], rms[5]),
        excitation=values["excitation"],
        aperture=_aperture(values, rms, where),
        aperture_shape=values["aperture_shape"],
        momentum_aperture=values["momentum_aperture"],
        feedback=feedback,
        noise=values["noise"],
        matrix=values["matrix"],
        tensor=values["tensor"],
    )
    if arc.matrix is not None:
        check_map(arc.matrix, rms, whole=arc.tune is None, where=where)
    return arc


def _or(given: Any, default: Any) -> Any:
    return default if given is None else given


def _longitudinal(given: dict[str, Any], values: dict[str, Any], where: str) -> str:
    tune = values["synchrotron_tune"]
    kind = values["longitudinal"] or ("rf" if "rf" in given else "linear" if tune else "none")
    if kind == "linear" and (tune == 0 or abs(tune) == 0.5):
        raise StudyError(
            f"{where}.synchrotron_tune = {tune:g} must be between -0.5 and 0.5 and not 0"
        )
    if kind == "rf" and "rf" not in given:
        raise StudyError(
            f'[{where}.rf] is missing: longitudinal = "rf" needs its voltage and harmonic'
        )
    if kind == "rf" and tune:
        raise StudyError(f"{where}.synchrotron_tune follows from [{where}.rf]: give one of them")
    return str(kind)


def _rf(values: dict[str, Any], gamma: float, ring: Ring, where: str) -> RadioFrequency:
    rf = with_defaults(values["rf"], RF)
    check_needed(rf, RF, f"{where}.rf")
    if ring.circumference is None:
        raise StudyError(f"ring.circumference (m) is missing: [{where}.rf] needs it")
    compaction = values["momentum_compaction"]
    if compaction is None:
        raise StudyError(f"{where}.momentum_compaction is missing: [{where}.rf] needs it")
    if compaction == 1 / gamma**2:
        raise StudyError(
            f"{where}.momentum_compaction = {compaction:g} is at transition: nothing slips"
        )
    return RadioFrequency(**rf)


def _aperture(values: dict[str, Any], rms: Six, where: str) -> Pair | None:
    if values["aperture_sigma"] is None:
        aperture: Pair | None = values["aperture"]
        return aperture
    if values["aperture"] is not None:
        raise StudyError(f"{where} gives both aperture and aperture_sigma: give one")
    x, y = values["aperture_sigma"]
    return (x * rms[0], y * rms[2])

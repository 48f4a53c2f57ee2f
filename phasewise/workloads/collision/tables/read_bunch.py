"""The shape of a beam's bunch, and a population that changes, contradictions refused."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.declared import read_table, schema_of
from phasewise.tables.keys import Key, check_table, convert, show
from phasewise.workloads.collision.tables.beam import PopulationRamp, SecondPart

MOST_ROWS = 10_000
"""Of a ramp."""
Q_BELOW = 5 / 3

TURN = Key("integer", least=0, most=2**62, unit="turns")
PARTICLES = Key("number", above=0, least=1, most=1e20)


def check_distribution(given: Mapping[str, Any], distribution: str, where: str) -> None:
    """StudyError for keys that do not fit the distribution of a bunch."""
    _check_q(given, distribution, where)
    if given.get("resample") and distribution != "file":
        raise StudyError(
            f"{where}.resample draws from a file, but distribution is {show(distribution)}"
        )
    if given.get("quiet") and distribution == "file":
        raise StudyError(
            f'{where}.quiet is that of a bunch that is drawn, and distribution is "file"'
        )


def _check_q(given: Mapping[str, Any], distribution: str, where: str) -> None:
    if distribution == "q-gaussian" and "q" not in given:
        raise StudyError(f'{where}.q is missing: distribution = "q-gaussian" needs it')
    if distribution != "q-gaussian" and "q" in given:
        raise StudyError(
            f'{where}.q needs distribution = "q-gaussian", but it is {show(distribution)}'
        )
    for q in given.get("q", ()):
        if not q < Q_BELOW:
            raise StudyError(
                f"{where}.q = {q:g} has no rms, which is infinite from 5/3 on: give less"
            )


def read_second(table: Any, distribution: str, where: str) -> SecondPart | None:
    """The second part of a bunch."""
    if table is None:
        return None
    if distribution == "file":
        raise StudyError(
            f'{where}.second is a part of a bunch that is drawn, and distribution is "file"'
        )
    part = read_table(SecondPart, table, f"{where}.second")
    _check_q(check_table(table, schema_of(SecondPart), where), part.distribution, f"{where}.second")
    return part


def read_ramp(table: Any, population: float, where: str) -> PopulationRamp | None:
    """The ramp of a bunch's population, which begins with that of the bunch."""
    if table is None:
        return None
    where = f"{where}.population_ramp"
    given = read_table(PopulationRamp, table, where)
    turns = _listed(given.turns, TURN, f"{where}.turns")
    particles = _listed(given.particles, PARTICLES, f"{where}.particles")
    if len(turns) != len(particles):
        raise StudyError(
            f"{where} gives {len(turns)} turns and {len(particles)} numbers of particles: give as "
            "many of each"
        )
    for first, second in pairwise(turns):
        if second <= first:
            raise StudyError(f"{where}.turns must rise, but {second} follows {first}")
    if particles[0] != population:
        raise StudyError(
            f"{where}.particles begins with {particles[0]:g}, and bunch_population is "
            f"{population:g}: they must be the same"
        )
    return PopulationRamp(turns=tuple(turns), particles=tuple(particles))


def _listed(values: Any, one: Key, where: str) -> list[Any]:
    if not isinstance(values, list | tuple) or not 2 <= len(values) <= MOST_ROWS:
        raise StudyError(
            f"{where} must be a list of 2 to {MOST_ROWS} {one.plural}, but is {show(values)}"
        )
    return [convert(value, one, where) for value in values]

"""The table [update] of a study: how configurations are made, trajectory by trajectory."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.declared import flat_of, key, schema_of, values_of
from phasewise.tables.keys import Key, check_table, convert, plain, show, with_defaults
from phasewise.workload.interface import Unit
from phasewise.workloads.qcd.quark_keys import Quarks

HMC, HEAT_BATH = "hmc", "heat-bath"
LEAPFROG, OMELYAN_2, OMELYAN_4 = "leapfrog", "omelyan-2", "omelyan-4"
SOLVE, TRAJECTORY = Unit("solve", "solves"), Unit("trajectory", "trajectories")
TABLE = "update"
MOST_STEPS, MOST_INNER_STEPS = 10_000, 100_000
"""Most steps of a level, and of the innermost level in a trajectory."""
OUTER_STEPS = {LEAPFROG: 20, OMELYAN_2: 10, OMELYAN_4: 5}
"""Default steps of the outermost level in a trajectory of length 1, by the integrator. On small
lattices most trajectories are then accepted.
"""
GAUGE_STEPS = {LEAPFROG: 3, OMELYAN_2: 3, OMELYAN_4: 1}
"""Default steps of the gauge field within each of the updates of the links by the level above, of
which a step has one, two and five. A level between has one.
"""
FLAVOURS = 2
STEPS = Key("integer", least=1, most=MOST_STEPS)
MASS = Key("number", above=0, most=100)


@dataclass(frozen=True, kw_only=True)
class UpdateTable:
    """The keys of [update]."""

    method: str = key("word", HMC, choices=(HMC, HEAT_BATH), flat=True)
    """hmc: hybrid Monte Carlo; heat-bath: a sweep of heat-bath, then sweeps of over-relaxation."""
    length: float = key("number", 1.0, above=0, most=1000, flat=True)
    """Length of a trajectory in molecular-dynamics time."""
    integrator: str = key("word", OMELYAN_2, choices=tuple(OUTER_STEPS), flat=True)
    steps: tuple[int, ...] = key("any", flat=True)
    """Steps of each level of the nested integrator: those of the outermost level in a trajectory,
    and those of each further level in an update of the links of the level above. The levels are
    those of the light quarks, of the Hasenbusch masses in their order, and of the gauge field.
    """
    hasenbusch: tuple[float, ...] = key("any", flat=True)
    """Masses µ of the factors M†M + µ², ascending."""
    force_tolerance: float = key("number", 1e-8, above=0, most=0.1, flat=True)
    action_tolerance: float = key("number", 1e-11, above=0, most=0.1, flat=True)
    """Residual over that of the start at which the solves of a force, and of an action, end."""
    over_relaxation: int = key("integer", 4, least=0, most=1000, flat=True)
    """Sweeps of over-relaxation after each sweep of heat-bath."""
    flavours: int | None = key("integer", least=0)
    """Two with quarks, none without: there is no other choice."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that its method has."""
        return KEYS[self.method]


KEYS = {
    HMC: (
        "method", "length", "integrator", "steps", "hasenbusch", "force_tolerance",
        "action_tolerance", "flavours",
    ),
    HEAT_BATH: ("method", "over_relaxation", "flavours"),
}  # fmt: skip


def unit_of(study: Mapping[str, Any]) -> Unit:
    """What a study counts: trajectories with [update], solves without; StudyError if it gives the
    number of the other.
    """
    found, other = (TRAJECTORY, SOLVE) if study.get(TABLE) is not None else (SOLVE, TRAJECTORY)
    if other.many in study and found.many not in study:
        with_table = "with" if found is TRAJECTORY else "without"
        raise StudyError(
            f"{other.many} = {show(study[other.many])}: a study {with_table} [{TABLE}] counts "
            f"{found.many}; give {found.many} instead"
            + ("" if found is TRAJECTORY else f", or a table [{TABLE}]")
        )
    return found


def read_update(given: object, quarks: Quarks | None) -> UpdateTable:
    """The table with every default filled in; StudyError if a key cannot be used."""
    schema = schema_of(UpdateTable)
    checked = check_table(given, schema, TABLE)
    values = with_defaults(checked, schema)
    for name, one in (("steps", STEPS), ("hasenbusch", MASS)):
        values[name] = _list(values[name], one, f"{TABLE}.{name}")
    found = UpdateTable(**values)
    if other := next((name for name in checked if name not in found.keys), None):
        owner = next(method for method, keys in KEYS.items() if other in keys)
        raise StudyError(
            f"{TABLE}.{other} belongs to {TABLE}.method = {show(owner)}, and the method is "
            f"{show(found.method)}; leave it out"
        )
    if found.method == HEAT_BATH:
        return found
    levels = levels_of(found, quarks)
    if not found.steps:
        found = replace(found, steps=_usual_steps(found.integrator, len(levels)))
    if len(found.steps) != len(levels):
        raise StudyError(
            f"{TABLE}.steps = {show(list(found.steps))} has {_numbers(len(found.steps))}, and each "
            f"of {', '.join(levels)} needs one; give {_numbers(len(levels))} in this order"
        )
    if (all_steps := math.prod(found.steps)) > MOST_INNER_STEPS:
        raise StudyError(
            f"{TABLE}.steps = {show(list(found.steps))} are {all_steps} steps of the innermost "
            f"level in a trajectory, since levels are nested; give at most {MOST_INNER_STEPS}"
        )
    return found


def _numbers(count: int) -> str:
    return "one number" if count == 1 else f"{count} numbers"


def _list(value: Any, one: Key, where: str) -> tuple[Any, ...]:
    """A list whose members are values of a key; nothing is an empty one."""
    found = plain(value)
    if found is None:
        return ()
    if not isinstance(found, list | tuple):
        raise StudyError(f"{where} must be a list of {one.plural}, but is {show(found)}")
    return tuple(convert(each, one, f"{where}[{i}]") for i, each in enumerate(found, 1))


def _usual_steps(integrator: str, levels: int) -> tuple[int, ...]:
    outer = OUTER_STEPS[integrator]
    return (outer,) if levels == 1 else (outer, *[1] * (levels - 2), GAUGE_STEPS[integrator])


def levels_of(update: UpdateTable, quarks: Quarks | None) -> tuple[str, ...]:
    """The monomials that have steps of their own, from the outermost level to the innermost."""
    light = () if quarks is None else ("quarks",)
    return (*light, *hasenbusch_names(update), "gauge")


def hasenbusch_names(update: UpdateTable) -> tuple[str, ...]:
    """The monomials of the Hasenbusch masses."""
    return tuple(f"hasenbusch_{k}" for k in range(1, len(update.hasenbusch) + 1))


def solving_monomials(update: UpdateTable, quarks: Quarks | None) -> tuple[str, ...]:
    """The monomials whose forces take solves."""
    if quarks is None or update.method == HEAT_BATH:
        return ()
    return ("quarks", *hasenbusch_names(update))


def monomials(update: UpdateTable, quarks: Quarks | None) -> tuple[str, ...]:
    """All monomials, the terms of the action; none without molecular dynamics."""
    if update.method == HEAT_BATH:
        return ()
    return ("gauge", *solving_monomials(update, quarks))


def update_values(update: UpdateTable) -> dict[str, Any]:
    """The table as a study writes it."""
    found = values_of(update)
    return {name: found[name] for name in update.keys if name in found}


def flat_update(update: UpdateTable) -> Iterator[tuple[str, Any]]:
    """The flat parameters of the table; an empty list is left out."""
    for name, value in flat_of(update):
        if name in update.keys and value != ():
            yield name, value

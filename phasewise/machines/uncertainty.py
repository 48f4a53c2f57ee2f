"""Uncertain rates of a machine file: `flops = { value = 3e9, uncertainty = 0.2 }`.

An uncertainty u says that nine of ten such rates lie within ± u of the value, relative to it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from phasewise.errors import StudyError
from phasewise.machines import schema
from phasewise.tables.declared import check_needed
from phasewise.tables.keys import Key, Schema, check_table, convert

TABLES: dict[str, Schema] = {
    "processor": schema.PROCESSOR,
    "memory": schema.MEMORY,
    "sockets": schema.SOCKETS,
    "network": schema.NETWORK,
}
"""The tables whose rates may be uncertain."""
PAIR = {
    "value": Key("any", needed="the rate itself"),
    "uncertainty": Key("any", needed="the part of the rate by which it may be off, such as 0.2"),
}
UNCERTAINTY = Key("number", above=0, most=0.9, hint="0.2 says that it may be off by 20 %")

M = TypeVar("M")


def split_uncertain(tables: dict[str, Any]) -> tuple[dict[str, Any], dict[str, float]]:
    """The tables of a machine file with plain rates, and the uncertainties by dotted name.

    StudyError, one sentence, for a pair that is wrong, or for one that stands for no rate.
    """
    uncertain: dict[str, float] = {}
    found = dict(tables)
    for name, keys in TABLES.items():
        if not isinstance(found.get(name), dict):
            continue
        found[name] = own = dict(found[name])
        for key, given in own.items():
            rate = key in keys and keys[key].kind == "number"
            if isinstance(given, dict) and (rate or not given.keys().isdisjoint(PAIR)):
                own[key] = _value(f"{name}.{key}", given, rate, uncertain)
    return found, uncertain


def _value(where: str, given: dict[str, Any], rate: bool, into: dict[str, float]) -> Any:
    pair = check_table(given, PAIR, where)
    if not rate:
        raise StudyError(f"{where} is no rate, so that it has no uncertainty: give its value alone")
    check_needed(pair, PAIR, where)
    into[where] = float(convert(pair["uncertainty"], UNCERTAINTY, f"{where}.uncertainty"))
    return pair["value"]


def with_rate(machine: M, name: str, factor: float) -> M:
    """A machine with one of its rates multiplied, by the rate's dotted name."""
    table, key = name.split(".")
    part = getattr(machine, table)
    changed = replace(part, **{key: getattr(part, key) * factor})
    return replace(machine, **{table: changed})  # type: ignore[type-var]

"""The gradient flow in a study: measure.flow, a table, or measure.flow_step and flow_until."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.declared import check_needed
from phasewise.tables.keys import Key, check_table, show

STABLE = 0.1
"""Longest stable step: with it the highest modes of the links shrink in each step."""
MOST_STEPS = 1_000_000
ROUNDING = 1e-12
TABLE = {"step": Key("number"), "until": Key("number", needed="the flow time at the end")}
"""The keys of measure.flow."""


def with_flow(given: Any) -> Any:
    """The table [measure]; the keys of a table `flow` in it become keys of [measure]."""
    if not isinstance(given, Mapping) or "flow" not in given:
        return given
    flow = check_table(given["flow"], TABLE, "measure.flow")
    check_needed(flow, TABLE, "measure.flow")
    own = {f"flow_{name}": value for name, value in flow.items()}
    if twice := next((name for name in own if name in given), None):
        raise StudyError(
            f"measure.{twice} and measure.{twice.replace('_', '.')} are one key: give one of them"
        )
    return {**{name: value for name, value in given.items() if name != "flow"}, **own}


def steps_of(step: float, until: float) -> int:
    """Steps of the flow; the last one reaches the time at the end, or goes a little beyond."""
    return math.ceil(until / step * (1 - ROUNDING))


def check_flow(step: float, until: float) -> None:
    """StudyError if the flow is unstable or too long."""
    if step > STABLE:
        raise StudyError(f"measure.flow_step = {show(step)} is unstable; give {STABLE} or less")
    if until > MOST_STEPS * step:
        raise StudyError(
            f"measure.flow_until = {show(until)} takes more than {MOST_STEPS} steps of "
            f"measure.flow_step = {show(step)}; give longer steps"
        )

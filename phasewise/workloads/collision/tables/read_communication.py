"""The table [communication]: process grid, layout, and how each phase exchanges its data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.declared import schema_of
from phasewise.tables.keys import Key, check_table, nearest, plain, show, with_defaults
from phasewise.workload.communication import AUTO, LAYOUTS, machine_in
from phasewise.workloads.collision.tables.communication import (
    AT_ONCE,
    PHASES,
    BeamCommunication,
    PhaseChoice,
    Place,
    Shape,
)
from phasewise.workloads.collision.tables.layout_file import fill_grid, read_places

WHERE = "communication"
KEYS = schema_of(BeamCommunication)
SHAPE = re.compile(r"\s*([1-9][0-9]{0,6})\s*x\s*([1-9][0-9]{0,6})\s*", re.ASCII)
MAX_RANKS = 10**6


def build_communication(table: object, folder: Path) -> BeamCommunication:
    """The resolved table; a layout file is relative to ``folder``."""
    values = machine_in(with_defaults(check_table(table, KEYS, WHERE), KEYS), folder)
    shapes = _process_grid(values.pop("process_grid"))
    phases = _phases(values.pop("phase") or {}, values)
    layout, file, places = str(values.pop("layout")), None, dict[Place, int]()
    if layout not in LAYOUTS:
        file = (folder / layout).resolve()
        layout, (places, shapes) = "file", _from_file(layout, file, shapes)
    return BeamCommunication(
        process_grid=shapes,
        layout=layout,
        layout_file=file,
        places=tuple(places),
        phases=phases,
        **values,
    )


def _from_file(
    given: str, file: Path, shapes: tuple[Shape, Shape] | None
) -> tuple[dict[Place, int], tuple[Shape, Shape]]:
    """The places in ``file``, and the process grids that they fill."""
    try:
        places = read_places(file)
        return places, fill_grid(places, shapes, file)
    except StudyError as error:
        absent = str(error).endswith("does not exist")
        closing = nearest(given, LAYOUTS) if absent else ""
        raise StudyError(f"{WHERE}.layout: {error}{closing}") from None


def _process_grid(value: object) -> tuple[Shape, Shape] | None:
    value = plain(value)
    if value == AUTO:
        return None
    texts = value if isinstance(value, list | tuple) else [value, value]
    shapes = [_shape(text) for text in texts]
    if len(shapes) != 2 or shapes[0] is None or shapes[1] is None:
        raise StudyError(
            f"{WHERE}.process_grid = {show(value)} is not known: it is written Prow x Pcol, as "
            '"8x16", or for each beam, as ["2x2", "1x3"], or is "auto"'
        )
    if (largest := max(prow * pcol for prow, pcol in (shapes[0], shapes[1]))) > MAX_RANKS:
        raise StudyError(
            f"{WHERE}.process_grid = {show(value)} has {largest} processes; at most {MAX_RANKS} "
            "are accepted"
        )
    return (shapes[0], shapes[1])


def _shape(text: object) -> Shape | None:
    match = SHAPE.fullmatch(text) if isinstance(text, str) else None
    return None if match is None else (int(match[1]), int(match[2]))


def _phases(table: dict[str, Any], values: dict[str, Any]) -> tuple[PhaseChoice, ...]:
    where = f"{WHERE}.phase"
    given = check_table(table, dict.fromkeys(PHASES, Key("table")), where)
    choices = []
    for name, keys in PHASES.items():
        if name not in given:
            continue
        _require_phase(name, values)
        choice = check_table(given[name], keys, f"{where}.{name}")
        filled = {key: choice.get(key) for key in ("algorithm", "schedule", "aggregate")}
        if choice:
            choices.append(PhaseChoice(name, **filled))
    return tuple(choices)


def _require_phase(name: str, values: dict[str, Any]) -> None:
    """StudyError if the chosen algorithms have no phase ``name``."""
    what = name.partition("_")[0]
    if what not in ("reduce", "broadcast"):
        return
    algorithm = values[what]
    at_once = algorithm in AT_ONCE
    if at_once == (name == what):
        return
    has = f"one phase, {what}" if at_once else f"two phases, {what}_column and {what}_row"
    raise StudyError(f"{WHERE}.phase.{name} cannot be set: {what} = {show(algorithm)} has {has}")

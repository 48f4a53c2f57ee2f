"""How the ranks of a run divide and exchange their data: the resolved [communication] of a study.

docs/communication.md says what each value means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

Shape = tuple[int, int]
"""Prow columns of Pcol processes each; written Prow x Pcol."""

Place = tuple[int, int, int]
"""Of a rank: beam 1 or 2, column and row from 0."""

LAYOUTS = ("random", "row-first", "column-first")

AT_ONCE = ("direct", "node-aware")
"""Algorithms that work on all ranks of a beam in one phase; the others on columns and rows."""


@dataclass(frozen=True)
class PhaseChoice:
    """What a study sets for one phase alone; None where it leaves the phase as the others are."""

    name: str
    algorithm: str | None
    schedule: str | None
    aggregate: bool | None

    def given(self) -> dict[str, Any]:
        """Only the keys that are set."""
        values = {key: getattr(self, key) for key in ("algorithm", "schedule", "aggregate")}
        return {key: value for key, value in values.items() if value is not None}


@dataclass(frozen=True)
class Communication:
    """Process grid, layout and exchange algorithms; build it as part of a Study."""

    process_grid: tuple[Shape, Shape] | None
    """Of beams 1 and 2; None: chosen for the ranks and slices."""
    layout: str
    """A word of LAYOUTS, or "file"."""
    layout_file: Path | None
    places: tuple[Place, ...]
    """Of each rank, from the file."""
    node_size: int
    """Ranks of a node; 0: as detected."""
    reduce: str
    broadcast: str
    schedule: str
    transpose: str
    aggregate: bool
    crossing: str
    overlap: bool
    padded: bool
    """Every column takes part in a step with as many slices as the fullest one."""
    tune: str
    """"auto": a run tries other ways to exchange, and keeps the best (phasewise.tuning.auto)."""
    phases: tuple[PhaseChoice, ...]

    def resolved(self) -> dict[str, Any]:
        """As the table of a TOML file, every default written out."""
        table: dict[str, Any] = {"process_grid": grid_value(self.process_grid)}
        table |= {name: getattr(self, name) for name in PLAIN}
        if self.layout_file is not None:
            table["layout"] = str(self.layout_file)
        if self.phases:
            table["phase"] = {phase.name: phase.given() for phase in self.phases}
        return table

    def flat(self) -> Iterator[tuple[str, Any]]:
        """Keys and values for the driver, without the leading ``communication.``.

        ``tune`` is none of them: it is about what a run does between its turns.
        """
        first, second = self.process_grid or ((0, 0), (0, 0))
        yield "process_grid", (*first, *second)
        for name in PLAIN:
            if name not in ("padded", "tune"):
                yield name, getattr(self, name)
            if name == "layout" and self.places:
                yield "places", tuple(number for place in self.places for number in place)
        if self.padded:
            yield "padded", True
        for phase in self.phases:
            for key, value in phase.given().items():
                yield f"phase.{phase.name}.{key}", value

    def exchanges(self) -> str:
        """The driver's parameters of how data is exchanged, without those of the ranks' places."""
        return "".join(
            f"communication.{key} = {int(value) if isinstance(value, bool) else value}\n"
            for key, value in self.flat()
            if key not in PLACING
        )


PLACING = ("process_grid", "layout", "places", "node_size")
"""Keys that say which rank has which place: they cannot change while a run goes on."""

PLAIN = tuple(
    field.name
    for field in fields(Communication)
    if field.name not in ("process_grid", "layout_file", "places", "phases")
)
"""Fields that stand in a study and in the driver's parameters as they are."""


def written(shape: Shape) -> str:
    """A shape as a study has it: 8x16."""
    return f"{shape[0]}x{shape[1]}"


def grid_value(shapes: tuple[Shape, Shape] | None) -> str | list[str]:
    """The value of ``process_grid`` for these shapes: one text where both beams have the same."""
    if shapes is None:
        return "auto"
    first, second = (written(shape) for shape in shapes)
    return first if first == second else [first, second]

"""How the ranks divide and exchange the data of two beams: the keys of [communication].

docs/communication.md says what each value means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from phasewise.tables.declared import declared, key
from phasewise.tables.keys import Key
from phasewise.workload.communication import (
    AUTO,
    LAYOUTS,
    MACHINE,
    NODE_SIZE,
    TUNE,
    Communication,
)

Shape = tuple[int, int]
"""Prow columns of Pcol processes each; written Prow x Pcol."""

Place = tuple[int, int, int]
"""A rank's beam, 1 or 2, and its column and row from 0."""

AT_ONCE = ("direct", "node-aware")
"""Algorithms that work on all ranks of a beam in one phase; the others work on columns and rows."""

_IN_COLUMNS = ("direct", "hypercube", "node-aware", "mpi", "mpi-allreduce")
_SCHEDULES = ("ring", "pairwise")
TRANSPOSES = ("pairwise", "ring", "bruck", "alltoallw")

_REDUCE = {
    "algorithm": Key("word", choices=_IN_COLUMNS),
    "schedule": Key("word", choices=_SCHEDULES),
    "aggregate": Key("flag"),
}
_BROADCAST = _REDUCE | {"algorithm": Key("word", choices=(*_IN_COLUMNS, "mpi-gatherv"))}
_GREEN = {"algorithm": Key("word", choices=TRANSPOSES)}

PHASES = {
    "green": _GREEN,
    "reduce": _REDUCE,
    "reduce_column": _REDUCE,
    "reduce_row": _REDUCE,
    "solve": _GREEN | {"aggregate": Key("flag")},
    "broadcast": _BROADCAST,
    "broadcast_row": _BROADCAST,
    "broadcast_column": _BROADCAST,
}
"""Keys of each phase that may be set by itself, in the order of a turn."""


@dataclass(frozen=True)
class PhaseChoice:
    """The settings of a single phase; None for keys that are as for all phases."""

    name: str
    algorithm: str | None
    schedule: str | None
    aggregate: bool | None

    def given(self) -> dict[str, Any]:
        """Only the keys that are set."""
        values = {key: getattr(self, key) for key in ("algorithm", "schedule", "aggregate")}
        return {key: value for key, value in values.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class BeamCommunication(Communication):
    """Process grid, layout and exchange algorithms; build it as part of a Study."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = (
        *("reduce", "broadcast", "schedule", "transpose", "aggregate", "crossing", "overlap"),
    )

    process_grid_: ClassVar[Key] = Key("any", AUTO)
    process_grid: tuple[Shape, Shape] | None
    """The grids of beams 1 and 2; None: chosen for the ranks (phasewise.tuning.automatic)."""
    layout: str = key("text", LAYOUTS[-1], flat=True)
    """A word of LAYOUTS, or "file"."""
    layout_file: Path | None
    places: tuple[Place, ...]
    """The place of each rank, from the file."""
    node_size: int = declared(NODE_SIZE)
    reduce: str = key("word", "hypercube", choices=("mesh", *_IN_COLUMNS), flat=True)
    broadcast: str = key(
        "word", "hypercube", choices=("mesh", *_IN_COLUMNS, "mpi-gatherv"), flat=True
    )
    schedule: str = key("word", "ring", choices=_SCHEDULES, flat=True)
    transpose: str = key("word", "pairwise", choices=TRANSPOSES, flat=True)
    aggregate: bool = key("flag", True, flat=True)
    crossing: str = key("word", "4a", choices=("4a", "4b"), flat=True)
    overlap: bool = key("flag", False, flat=True)
    padded: bool = key("flag", False)
    """Whether every column takes part in a step with as many slices as the fullest one."""
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)
    phase: ClassVar[Key] = Key("table")
    phases: tuple[PhaseChoice, ...]

    def resolved(self) -> dict[str, Any]:
        """The choice as the table of a TOML file, with every default written out."""
        table = {"process_grid": grid_value(self.process_grid)} | super().resolved()
        if self.layout_file is not None:
            table["layout"] = str(self.layout_file)
        if self.phases:
            table["phase"] = {phase.name: phase.given() for phase in self.phases}
        return table

    def flat(self) -> Iterator[tuple[str, Any]]:
        """Keys and values for the driver, without the leading ``communication.``."""
        first, second = self.process_grid or ((0, 0), (0, 0))
        yield "process_grid", (*first, *second)
        yield from super().flat()
        if self.places:
            yield "places", tuple(number for place in self.places for number in place)
        if self.padded:
            yield "padded", True
        for phase in self.phases:
            for name, value in phase.given().items():
                yield f"phase.{phase.name}.{name}", value

    def algorithms(self) -> dict[str, Any]:
        """The keys for all phases, and those of single phases under dotted names."""
        single = {
            f"{phase.name}.{name}": value
            for phase in self.phases
            for name, value in phase.given().items()
        }
        return super().algorithms() | single

    @property
    def layout_text(self) -> str:
        """The layout's word, or its file."""
        return str(self.layout_file or self.layout)

    @property
    def grid_text(self) -> str:
        """The process grid as a study has it; two grids have a comma between them."""
        grid = grid_value(self.process_grid)
        return grid if isinstance(grid, str) else ",".join(grid)


def written(shape: Shape) -> str:
    """A shape as a study has it: 8x16."""
    return f"{shape[0]}x{shape[1]}"


def grid_value(shapes: tuple[Shape, Shape] | None) -> str | list[str]:
    """The value of ``process_grid`` for these shapes: one text if both beams have the same
    shape.
    """
    if shapes is None:
        return AUTO
    first, second = (written(shape) for shape in shapes)
    return first if first == second else [first, second]

"""The table [communication] of halo exchanges: process grid and protocol."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import declared, key, schema_of
from phasewise.tables.keys import check_table, show, with_defaults
from phasewise.workload.communication import (
    AUTO,
    MACHINE,
    NODE_SIZE,
    ROW_FIRST,
    TUNE,
    Communication,
    machine_in,
)
from phasewise.workload.protocols import PROTOCOL

SHAPE = re.compile(r"([1-9][0-9]{0,6})x([1-9][0-9]{0,6})", re.ASCII)
MAX_RANKS = 10**6


def shape_of(grid: str) -> tuple[int, int]:
    """Px and Py of a process grid as a study writes it; zeros where it is chosen for the ranks."""
    match = SHAPE.fullmatch(grid)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def grid_of(px: int, py: int) -> str:
    """A process grid as a study writes it."""
    return f"{px}x{py}"


@dataclass(frozen=True, kw_only=True)
class HaloCommunication(Communication):
    """The keys of [communication]."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = ("protocol",)

    process_grid: str = key("text", AUTO, flat=True, as_flat=shape_of)
    """Px x Py; auto: the pair nearest to a square, Px not below Py."""
    protocol: str = declared(PROTOCOL)
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    @property
    def layout_text(self) -> str:
        """Row-first: ranks with the same y are consecutive."""
        return ROW_FIRST


def read_communication(table: object, folder: Path) -> HaloCommunication:
    """The table with every default filled in."""
    schema = schema_of(HaloCommunication)
    values = with_defaults(check_table(table, schema, "communication"), schema)
    found = HaloCommunication(**machine_in(values, folder))
    shape = shape_of(found.process_grid)
    where = f"communication.process_grid = {show(found.process_grid)}"
    if found.process_grid != AUTO and shape == (0, 0):
        raise StudyError(f'{where} is not known: it is written Px x Py, as "4x2", or is "auto"')
    if math.prod(shape) > MAX_RANKS:
        raise StudyError(f"{where} has {math.prod(shape)} ranks; at most {MAX_RANKS} are accepted")
    return found


def grids(ranks: int) -> list[tuple[int, int]]:
    """Every process grid of the ranks, by rising Px."""
    return [(px, ranks // px) for px in range(1, ranks + 1) if ranks % px == 0]


def check_process_grid(_model: Any, communication: Communication, ranks: int) -> None:
    """StudyError if the process grid does not have this number of ranks."""
    px, py = shape_of(communication.grid_text)
    if px * py in (0, ranks):
        return
    nearest = min(grids(ranks), key=lambda grid: abs(math.log(grid[0] * py / (grid[1] * px))))
    raise StudyError(
        f'communication.process_grid = "{grid_of(px, py)}" needs {px * py} ranks, not {ranks}; '
        f'the nearest that has {ranks} is "{grid_of(*nearest)}"'
    )

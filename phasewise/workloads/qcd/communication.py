"""The table [communication] of lattice QCD: process grid, layout, and how faces go."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import declared, key, schema_of
from phasewise.tables.keys import check_table, show, with_defaults
from phasewise.workload.communication import (
    MACHINE,
    NODE_SIZE,
    TUNE,
    Communication,
    machine_in,
)
from phasewise.workload.grids import check_written, grid_key, grid_of, shape_of
from phasewise.workload.protocols import PROTOCOL
from phasewise.workloads.qcd.grids import Extents, fitting_grids, least_surface, nearest_ranks
from phasewise.workloads.qcd.layout_file import places_in

X_FIRST, T_FIRST, BRICKS = "x-first", "t-first", "bricks"
LAYOUTS = (X_FIRST, T_FIRST, BRICKS, "random")
FILE = "file"
"""The layout of a study that names a file instead of one of these words."""
PACKED, RUNS, DERIVED = "packed", "runs", "derived"
BLOCKS = (PACKED, RUNS, DERIVED)
SPINORS = ("half", "full")
KERNELS = ("fast", "plain")
SUMS = ("order-free", "library")
LINK_REALS = (18, 12)
FAST, TWO_ROWS = KERNELS[0], LINK_REALS[1]
THREAD = "thread"


@dataclass(frozen=True, kw_only=True)
class QcdCommunication(Communication):
    """The keys of [communication]."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = (
        "halo", "blocks", "spinors", "overlap", "sums", "kernel", "link_reals",
    )  # fmt: skip

    process_grid: str = grid_key(4)
    """Ranks along x, y, z and t; auto: the grid of least surface."""
    layout: str = key("text", LAYOUTS[0], flat=True)
    """Which rank has which place: x or t fastest, nodes as bricks of least surface, at random, or
    FILE.
    """
    layout_file: Path | None = None
    places: tuple[int, ...] = ()
    """The number of each rank's place, from the file."""
    halo: str = declared(PROTOCOL)
    """The protocol of the faces."""
    blocks: str = key("word", BLOCKS[0], choices=BLOCKS, flat=True)
    """packed: a message for a face; runs: one for each contiguous run of its sites in the field, as
    SHMEM required; derived: a message for a face, which takes its sites from where they lie in the
    field.
    """
    spinors: str = key("word", SPINORS[0], choices=SPINORS, flat=True)
    """What is sent of a spinor: two of its four components, or all."""
    overlap: bool | str = key("flag", False, choices=(THREAD,), flat=True)
    """Whether sites away from the faces are computed while the faces go; thread: by all threads but
    one, which communicates.
    """
    sums: str = key("word", SUMS[0], choices=SUMS, flat=True)
    """order-free: sums have the same bits on any ranks; library: the MPI library adds."""
    kernel: str = key("word", KERNELS[0], choices=KERNELS, flat=True)
    """fast: the hopping matrix works on vectors of sites; plain: it loops over single sites."""
    link_reals: int = key("integer", LINK_REALS[0], flat=True)
    """Reals that the kernel keeps of a link: all 18, or two rows, from which it makes the third."""
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    def resolved(self) -> dict[str, Any]:
        """The table as a TOML file has it, with every default written out."""
        return super().resolved() | {"layout": self.layout_text}

    def flat(self) -> Iterator[tuple[str, Any]]:
        """Keys and values for the driver, without the leading ``communication.``."""
        yield from super().flat()
        if self.places:
            yield "places", self.places

    @property
    def layout_text(self) -> str:
        """The layout's word, or its file."""
        return str(self.layout_file or self.layout)

    @property
    def priced_by_overhead(self) -> tuple[str, str] | None:
        """Faces in runs send what packed faces send, in more messages."""
        if self.blocks != RUNS:
            return None
        return f"communication.blocks = {show(RUNS)}", show(PACKED)

    @property
    def only_measured(self) -> tuple[str, str] | None:
        """Simulated ranks have one thread."""
        if self.overlap != THREAD:
            return None
        return f"communication.overlap = {show(THREAD)}", show(True)

    @property
    def protocol(self) -> str:
        """The protocol of the faces, under the name that other workloads give it."""
        return self.halo


def read_communication(table: object, folder: Path) -> QcdCommunication:
    """The table with every default filled in."""
    schema = schema_of(QcdCommunication)
    values = with_defaults(check_table(table, schema, "communication"), schema)
    layout = str(values["layout"])
    if layout not in LAYOUTS:
        file = (folder / layout).resolve()
        places = places_in(layout, file, LAYOUTS)
        values = {**values, "layout": FILE, "layout_file": file, "places": places}
    found = QcdCommunication(**machine_in(values, folder))
    if found.blocks == DERIVED and (found.spinors, found.kernel) != ("full", "plain"):
        raise StudyError(
            'communication.blocks = "derived" needs spinors = "full" and kernel = "plain", whose '
            f"field has whole spinors in the order of the sites, not spinors = "
            f"{show(found.spinors)} and kernel = {show(found.kernel)}"
        )
    _check_link_reals(found)
    check_written(found.process_grid, 4)
    return found


def _check_link_reals(found: QcdCommunication) -> None:
    """StudyError if links cannot be kept as the table says."""
    where = f"communication.link_reals = {found.link_reals}"
    if found.link_reals not in LINK_REALS:
        raise StudyError(
            f"{where} is not known: a link is kept as 18 reals, or as the 12 of two rows"
        )
    if found.link_reals == TWO_ROWS and found.kernel != FAST:
        raise StudyError(
            f"{where} needs kernel = {show(FAST)}: kernel = {show(found.kernel)} keeps all 18"
        )


def may_keep_two_rows(communication: QcdCommunication, model: Any) -> bool:
    """Whether the third row of a link follows from the others. It does not if a phase at the
    boundary is more than a sign.
    """
    whole = all(phase == int(phase) for phase in _phases(model))
    return whole and communication.kernel == FAST


def _phases(model: Any) -> tuple[float, ...]:
    """The quarks' phases at the boundary; without quarks there are none."""
    return () if model.quarks is None else tuple(model.quarks.phases)


def check_process_grid(model: Any, communication: Communication, ranks: int) -> None:
    """StudyError if lattice and process grid do not suit this number of ranks."""
    assert isinstance(communication, QcdCommunication)
    size = model.lattice.size
    _check_link_reals(communication)
    if communication.link_reals == TWO_ROWS and not may_keep_two_rows(communication, model):
        raise StudyError(
            f"communication.link_reals = {TWO_ROWS} needs quarks.phases of whole numbers, not "
            f"{show(list(_phases(model)))}"
        )
    if communication.places and len(communication.places) != ranks:
        raise StudyError(
            f"communication.layout: {communication.layout_text} gives places to "
            f"{len(communication.places)} ranks, and there are {ranks}"
        )
    grid = shape_of(communication.grid_text, 4)
    if not any(grid):
        if next(fitting_grids(size, ranks), None) is None:
            raise StudyError(
                f"{ranks} ranks cannot divide lattice.size = {show(list(size))} into parts of even "
                f"extents; {_nearest(size, ranks)}"
            )
        return
    where = f'communication.process_grid = "{grid_of(*grid)}"'
    if math.prod(grid) != ranks:
        fitting = next(fitting_grids(size, ranks), None)
        other = "" if fitting is None else f'; "{grid_of(*least_surface(size, ranks))}" has {ranks}'
        raise StudyError(f"{where} needs {math.prod(grid)} ranks, not {ranks}{other}")
    if any(extent % (2 * p) for extent, p in zip(size, grid, strict=True)):
        raise StudyError(
            f"{where} does not divide lattice.size = {show(list(size))} into parts of even extents"
            + _instead(size, ranks)
        )


def _instead(size: Extents, ranks: int) -> str:
    if next(fitting_grids(size, ranks), None) is None:
        return f"; {_nearest(size, ranks, 'ranks ')}"
    return f'; "{grid_of(*least_surface(size, ranks))}" does'


def _nearest(size: Extents, ranks: int, what: str = "") -> str:
    """The nearest numbers of ranks that can divide a lattice, in words."""
    near = " and ".join(map(str, nearest_ranks(size, ranks)))
    if " " in near:
        return f"the nearest numbers {what and 'of ' + what}that can are {near}"
    return f"the nearest number {what and 'of ' + what}that can is {near}"

"""The table [communication] of an ocean: how the grid is dealt to the ranks, and how they exchange
boundaries and add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import declared, key
from phasewise.tables.keys import Key, convert, plain, show
from phasewise.workload.communication import AUTO, MACHINE, NODE_SIZE, TUNE, Communication
from phasewise.workload.grids import check_fits, check_written, grid_key, grid_of, grids, shape_of
from phasewise.workload.protocols import AS_PUT, PROTOCOL, PROTOCOLS, STAND_IN, STORING
from phasewise.workloads.ocean.table import DIAGONAL, EVP, NONE, PCSI, OceanTable

CARTESIAN, BALANCED, CURVE = DISTRIBUTIONS = ("cartesian", "balanced", "curve")
FAST, PLAIN = KERNELS = ("fast", "plain")
SUMS = ("recursive-doubling", "mpi", "binomial", "dissemination", "node-aware", "put")
ADDING = tuple(name for name in PROTOCOLS if name not in STORING)
"""The protocols by which data can be added."""
GHOSTS = 2
"""Rows of ghosts around a block; a block has as many of its own, or more."""
BLOCK = Key("integer", least=GHOSTS, most=2**16, unit="cells")


def block_in(value: Any) -> tuple[int, int] | None:
    """communication.blocks as cells along x and y, None for AUTO; StudyError if it is neither."""
    found = plain(value)
    if found == AUTO:
        return None
    where = "communication.blocks"
    if not isinstance(found, list | tuple) or len(found) != 2:
        raise StudyError(
            f'{where} must be "{AUTO}", or a list of two integers, the cells of a block along x '
            f"and y, but is {show(found)}"
        )
    bx, by = (int(convert(one, BLOCK, f"{where}[{n}]")) for n, one in enumerate(found, 1))
    return bx, by


@dataclass(frozen=True, kw_only=True)
class OceanCommunication(Communication):
    """The keys of [communication]."""

    PLACING: ClassVar[tuple[str, ...]] = (*Communication.PLACING, "blocks", "distribution")
    ALGORITHMS: ClassVar[tuple[str, ...]] = (
        "kernel", "aggregate", "boundary", "solver_halo", "solver_sum", "solver_sum_protocol",
        "iterations_per_exchange",
    )  # fmt: skip

    process_grid: str = grid_key(2)
    """Ranks along x and y; auto: blocks next to squares."""
    blocks: Any = key("any", AUTO, flat=True, as_flat=lambda found: block_in(found) or (0, 0))
    """Cells of a block along x and y; auto: a block for each rank."""
    distribution: str = key("word", CARTESIAN, choices=DISTRIBUTIONS, flat=True)
    """Whether a rank has neighbouring blocks, as many cells of the sea as others, or a part of a
    space-filling curve.
    """
    kernel: str = key("word", FAST, choices=KERNELS, flat=True)
    """fast: vectors along x; plain: loops down a column."""
    aggregate: bool = key("flag", True, flat=True)
    """Whether all levels and fields of a boundary share a message."""
    boundary: str = declared(PROTOCOL)
    """The protocol of the boundaries outside the solver."""
    solver_halo: str = declared(PROTOCOL)
    """The protocol of the boundaries within the solver."""
    solver_sum: str = key("word", SUMS[0], choices=SUMS, flat=True)
    """The algorithm of the sums within the solver."""
    solver_sum_protocol: str = declared(PROTOCOL)
    """The protocol of their messages."""
    iterations_per_exchange: int = key("integer", 1, least=1, most=2, flat=True)
    """Iterations of Chebyshev's method that share an exchange of both rows of ghosts."""
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    @property
    def priced_by_overhead(self) -> tuple[str, str] | None:
        """The first protocol that sends what another one sends, at costs of its own."""
        for name in ("boundary", "solver_halo", "solver_sum_protocol"):
            given = getattr(self, name)
            if given in AS_PUT:
                return f"communication.{name} = {show(given)}", show(STAND_IN)
        return None

    @property
    def block(self) -> tuple[int, int] | None:
        """Cells of a block; None where each rank has one."""
        return block_in(self.blocks)

    @property
    def one_block_each(self) -> bool:
        """Whether the process grid divides the cells into a block for each rank."""
        return self.block is None and self.distribution == CARTESIAN

    def check(self) -> None:
        """StudyError where keys do not suit each other."""
        check_written(self.process_grid, 2)
        block_in(self.blocks)
        if self.solver_sum_protocol in STORING:
            raise StudyError(
                f"communication.solver_sum_protocol = {show(self.solver_sum_protocol)} stores what "
                f"arrives, but a sum adds it; accepted: {', '.join(ADDING)}"
            )
        if self.process_grid != AUTO and self.distribution != CARTESIAN:
            raise StudyError(
                f"communication.process_grid = {show(self.process_grid)} belongs to distribution = "
                f"{show(CARTESIAN)}, but is given with {show(self.distribution)}"
            )

    def check_ranks(self, model: OceanTable, ranks: int) -> None:
        """StudyError if the grid cannot be dealt to so many ranks, or if the solver cannot share
        exchanges. Blocks of land are known to the core alone.
        """
        self.check_model(model)
        check_fits(self.process_grid, ranks)
        nx, ny, _ = model.size
        if self.block is not None:
            most = -(-nx // self.block[0]) * -(-ny // self.block[1])
            if ranks > most:
                raise StudyError(
                    f"{ranks} ranks are too many: ocean.grid has {most} blocks of "
                    f"{self.block[0]} × {self.block[1]} cells; give smaller communication.blocks"
                )
            return
        along, across = most_parts(model)
        if not self.one_block_each:
            if ranks > along * across:
                raise StudyError(
                    f"{ranks} ranks are too many: ocean.grid {nx} × {ny} has at most "
                    f"{along * across} blocks; {_why(model)}"
                )
            return
        if not process_grids(model, ranks):
            forms = "" if ranks > along * across else f", and {ranks} ranks form no grid within it"
            raise StudyError(
                f"{ranks} ranks are too many for ocean.grid {nx} × {ny}: the largest process grid "
                f"is {grid_of(along, across)}{forms}; {_why(model)}"
            )
        px, py = shape_of(self.process_grid)
        if px > along or py > across:
            raise StudyError(
                f"communication.process_grid = {show(self.process_grid)} has too many ranks along "
                f"a side of {nx} × {ny} cells; at most {grid_of(along, across)} can: {_why(model)}"
            )

    def check_model(self, model: OceanTable) -> None:
        """StudyError if the solver cannot have two iterations for each exchange."""
        if self.iterations_per_exchange == 1:
            return
        for name, count in (
            ("iterations", model.iterations or 0),
            ("most_iterations", model.most_iterations),
            ("check_every", model.check_every),
        ):
            if count % 2:
                raise StudyError(
                    f"communication.iterations_per_exchange = {self.iterations_per_exchange} needs "
                    f"an even ocean.{name}, but it is {count}"
                )
        for name, given, able in (
            ("solver", model.solver, (PCSI,)),
            ("preconditioner", model.preconditioner, (NONE, DIAGONAL)),
        ):
            if given not in able:
                raise StudyError(
                    f"communication.iterations_per_exchange = {self.iterations_per_exchange} needs "
                    f"ocean.{name} = {' or '.join(map(show, able))}, but it is {show(given)}"
                )


def most_parts(model: OceanTable) -> tuple[int, int]:
    """The most ranks along x and along y, as core/ocean/layout.cpp divides a grid: blocks have
    GHOSTS cells or more, and whole tiles that a preconditioner solves exactly.
    """
    nx, ny, _ = model.size
    if model.preconditioner != EVP:
        return nx // GHOSTS, ny // GHOSTS
    return _tiles(nx, model.evp_block[0]), _tiles(ny, model.evp_block[1])


def _tiles(cells: int, most: int) -> int:
    """Tiles along an axis: of one width, or where that is far below the most, of two."""
    most = min(most, cells)
    width = max(width for width in range(1, most + 1) if cells % width == 0)
    return cells // width if 3 * width >= 2 * most else -(-cells // most)


def _why(model: OceanTable) -> str:
    if model.preconditioner == EVP:
        return "a rank has whole blocks of ocean.evp_block"
    return f"a block has at least {GHOSTS} × {GHOSTS} cells"


def process_grids(model: OceanTable, ranks: int) -> list[tuple[int, int]]:
    """The process grids of so many ranks whose blocks are large enough, those of least boundary
    first.
    """
    (nx, ny, _), (along, across) = model.size, most_parts(model)
    found = [(a, b) for a, b in grids(ranks) if a <= along and b <= across]
    return sorted(found, key=lambda grid: (nx / grid[0] + ny / grid[1], grid))


def changed_in(given: OceanCommunication, changes: Mapping[str, Any]) -> bool:
    """Whether changes change a table."""
    return any(getattr(given, name) != value for name, value in changes.items())

"""The table [communication] of an atmosphere: how columns are dealt to the ranks, which of them
move for the sake of balance, and how they are sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import declared, key
from phasewise.tables.keys import show
from phasewise.workload.communication import (
    AUTO,
    MACHINE,
    NODE_SIZE,
    ROW_FIRST,
    TUNE,
    Communication,
)
from phasewise.workload.grids import check_fits, check_written, grid_key, grid_of, grids, shape_of
from phasewise.workload.protocols import AS_PUT, PROTOCOL, STAND_IN
from phasewise.workloads.atmosphere.table import AtmosphereTable

LATITUDES, LONGITUDES, BLOCKS = DIVISIONS = ("latitudes", "longitudes", "blocks")
NONE, NODE, TWIN, PAIRS, ALL, MEASURED = BALANCES = (
    "none", "node", "twin", "pairs", "all", "measured",
)  # fmt: skip
FAST, PLAIN = KERNELS = ("fast", "plain")
MESSAGES, ALLTOALLW = EXCHANGES = ("messages", "alltoallw")
MOST_CHUNK = 64


@dataclass(frozen=True, kw_only=True)
class AtmosphereCommunication(Communication):
    """The keys of [communication]."""

    PLACING: ClassVar[tuple[str, ...]] = (*Communication.PLACING, "division")
    ALGORITHMS: ClassVar[tuple[str, ...]] = (
        "balance", "exchange", "columns", "chunk", "kernel", "costs_every",
    )  # fmt: skip
    LAYOUT: ClassVar[str] = ROW_FIRST

    division: str = key("word", LATITUDES, choices=DIVISIONS, flat=True)
    """Whether a rank has bands of latitude, slabs of longitude, or blocks."""
    process_grid: str = grid_key(2)
    """Ranks along latitudes and longitudes, of blocks."""
    balance: str = key(
        "word", ALL, choices=(*BALANCES, AUTO), flat=True,
        as_flat=lambda found: ALL if found == AUTO else found,
    )  # fmt: skip
    """Which columns are computed elsewhere; auto: the scheme of the fastest predicted timestep."""
    exchange: str = key("word", MESSAGES, choices=EXCHANGES, flat=True)
    """Whether columns go in messages, or by the library's all-to-all."""
    columns: str = declared(PROTOCOL)
    """The protocol of these messages."""
    chunk: int = key("integer", 16, least=1, most=MOST_CHUNK, unit="columns", flat=True)
    """Columns that are computed at once."""
    kernel: str = key("word", FAST, choices=KERNELS, flat=True)
    """fast: lanes across columns; plain: a column at a time."""
    costs_every: int = key("integer", 3, least=1, most=10**6, unit="timesteps", flat=True)
    """Timesteps after which `measured` looks at the costs of columns again."""
    move_seconds_per_byte: float = key("number", 0.0, least=0, most=1, unit="s", flat=True)
    """What `measured` takes for moving a byte; 0: what the run's own messages took."""
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    @property
    def grid_text(self) -> str:
        """The process grid of blocks, or the division, with the scheme of balance."""
        divided = self.process_grid if self.division == BLOCKS else self.division
        return f"{divided} ({self.balance})"

    @property
    def leaves_grid_open(self) -> bool:
        """Whether the scheme or the process grid is to be chosen for the number of ranks."""
        open_grid = self.division == BLOCKS and self.process_grid == AUTO
        return open_grid or self.balance == AUTO

    @property
    def priced_by_overhead(self) -> tuple[str, str] | None:
        """The protocol, where it sends what another one sends, at costs of its own."""
        if self.columns in AS_PUT and self.exchange == MESSAGES:
            return f"communication.columns = {show(self.columns)}", show(STAND_IN)
        return None

    def check(self) -> None:
        """StudyError where keys do not suit each other."""
        check_written(self.process_grid, 2)
        if self.division != BLOCKS and self.process_grid != AUTO:
            raise StudyError(
                f"communication.process_grid = {show(self.process_grid)} belongs to division = "
                f"{show(BLOCKS)}, but is given with {show(self.division)}"
            )

    def check_ranks(self, model: AtmosphereTable, ranks: int) -> None:
        """StudyError if the columns cannot be dealt to so many ranks, or if the grid has no
        twins.
        """
        self.check_twins(model)
        most = most_ranks(model, self.division)
        if ranks > most:
            why = _why(model, self.division, most, ranks)
            raise StudyError(f"{ranks} ranks are too many: {why}")
        if self.division != BLOCKS:
            return
        check_fits(self.process_grid, ranks)
        if not process_grids(model, ranks):
            raise StudyError(
                f"{ranks} ranks form no process grid within {grid_of(*model.grid)}, the latitudes "
                "and longitudes of atmosphere.grid"
            )
        if self.process_grid != AUTO and shape_of(self.process_grid) not in process_grids(
            model, ranks
        ):
            raise StudyError(
                f"communication.process_grid = {show(self.process_grid)} has more ranks along a "
                f"side than atmosphere.grid has columns; at most {grid_of(*model.grid)} can"
            )

    def check_twins(self, model: AtmosphereTable) -> None:
        """StudyError if `twin` is asked for on a grid whose columns have no twins."""
        if self.balance == TWIN and (why := no_twins(model)):
            raise StudyError(f"communication.balance = {show(TWIN)} {why}")


def no_twins(model: AtmosphereTable) -> str:
    """Why the columns of a grid have no twins; empty where they have."""
    latitudes, longitudes = model.grid
    if longitudes % 2:
        return (
            "needs an even number of longitudes, since the twin of a column is 180° away, but "
            f"atmosphere.grid = {show(model.grid)} has {longitudes}"
        )
    if latitudes == 1:
        return (
            "needs two latitudes or more, since the twin of a column is on the other hemisphere, "
            f"but atmosphere.grid = {show(model.grid)} is a list of columns"
        )
    return ""


def most_ranks(model: AtmosphereTable, division: str) -> int:
    """The most ranks among which columns can be divided."""
    latitudes, longitudes = model.grid
    return {LATITUDES: latitudes, LONGITUDES: longitudes}.get(division, model.columns)


def _why(model: AtmosphereTable, division: str, most: int, ranks: int) -> str:
    grid = f"atmosphere.grid = {show(model.grid)}"
    if division == BLOCKS:
        return f"{grid} has {most} columns, and a rank needs one at least"
    other = f'; division = "{BLOCKS}" gives up to {model.columns}' if ranks <= model.columns else ""
    return (
        f'communication.division = "{division}" gives each rank whole {division}, of which {grid} '
        f"has {most}{other}"
    )


def process_grids(model: AtmosphereTable, ranks: int) -> list[tuple[int, int]]:
    """The process grids of so many ranks within a grid, those of the squarest blocks first."""
    latitudes, longitudes = model.grid
    found = [(a, b) for a, b in grids(ranks) if a <= latitudes and b <= longitudes]
    return sorted(found, key=lambda one: (abs(latitudes * one[1] - longitudes * one[0]), one))

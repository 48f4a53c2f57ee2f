"""The table [communication] of hydrodynamics: how the grid is divided, and how directions are
exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import declared, key
from phasewise.workload.communication import (
    AUTO,
    MACHINE,
    NODE_SIZE,
    ROW_FIRST,
    TUNE,
    Communication,
)
from phasewise.workload.grids import check_fits, check_written, grid_key, grid_of, grids, shape_of
from phasewise.workload.protocols import PROTOCOL
from phasewise.workloads.hydro.table import HydroTable

SLABS, PENCILS = DECOMPOSITIONS = ("slabs", "pencils")
TRANSPOSES = ("pairwise", "ring", "bruck", "alltoallw")
FAST, PLAIN = KERNELS = ("fast", "plain")
GLOBAL_SUMS = ("recursive-doubling", "mpi", "binomial", "dissemination", "node-aware", "put")
MOST_PENCILS = 4096
"""Most pencils that are swept at once."""


@dataclass(frozen=True, kw_only=True)
class HydroCommunication(Communication):
    """The keys of [communication]."""

    PLACING: ClassVar[tuple[str, ...]] = (*Communication.PLACING, "decomposition")
    ALGORITHMS: ClassVar[tuple[str, ...]] = (
        "transpose", "overlap", "protocol", "batch", "kernel", "global_sum",
    )  # fmt: skip
    LAYOUT: ClassVar[str] = ROW_FIRST

    decomposition: str = key("word", SLABS, choices=DECOMPOSITIONS, flat=True)
    """Whether a rank has whole planes, or in three dimensions pencils."""
    process_grid: str = grid_key(2)
    """Ranks along both divided directions of pencils."""
    transpose: str = key("word", TRANSPOSES[0], choices=TRANSPOSES, flat=True)
    overlap: bool = key("flag", False, flat=True)
    """Whether messages of a batch are under way while the next one is swept."""
    protocol: str = declared(PROTOCOL)
    """The protocol of these messages."""
    batch: int = key("integer", 16, least=1, most=MOST_PENCILS, unit="pencils", flat=True)
    """Pencils that are swept at once."""
    kernel: str = key("word", FAST, choices=KERNELS, flat=True)
    """Whether vectors go across pencils or along them."""
    global_sum: str = key("word", GLOBAL_SUMS[0], choices=GLOBAL_SUMS, flat=True)
    """How the largest rate, which gives the timestep, and the sums of the record are found."""
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    @property
    def grid_text(self) -> str:
        """The process grid of pencils; slabs form none."""
        return self.process_grid if self.decomposition == PENCILS else SLABS

    def check(self) -> None:
        """StudyError if the process grid is none, or belongs to slabs."""
        check_written(self.process_grid, 2)
        if self.decomposition == SLABS and self.process_grid != AUTO:
            raise StudyError(
                f'communication.process_grid = "{self.process_grid}" belongs to decomposition = '
                f'"{PENCILS}", but is given with "{SLABS}"'
            )

    def check_ranks(self, model: HydroTable, ranks: int) -> None:
        """StudyError if the grid cannot be divided among so many ranks in this way."""
        if self.decomposition == PENCILS and len(model.zones) < 3:
            raise StudyError(
                f'communication.decomposition = "{PENCILS}" needs three axes, and hydro.zones has '
                f'{len(model.zones)}; give "{SLABS}"'
            )
        if self.decomposition == SLABS:
            _check_slabs(model, ranks)
        else:
            check_fits(self.process_grid, ranks)
            _check_pencils(model, ranks, self.process_grid)


def most_slabs(zones: tuple[int, ...]) -> int:
    """The most ranks among which slabs can be divided: along the last axis, and along the one
    before it where the last one is whole.
    """
    return 1 if len(zones) == 1 else min(zones[-2:])


def pencil_grids(zones: tuple[int, ...], ranks: int) -> list[tuple[int, int]]:
    """The process grids of so many ranks among which pencils can be divided."""
    first, second = min(zones[:2]), min(zones[1:])
    return [(a, b) for a, b in grids(ranks) if a <= first and b <= second]


def _check_slabs(model: HydroTable, ranks: int) -> None:
    most = most_slabs(model.zones)
    if ranks <= most:
        return
    zones = " × ".join(map(str, model.zones))
    if len(model.zones) == 1:
        why = "a grid of one axis is swept by one rank, since a sweep needs whole pencils"
    else:
        why = f"slabs are whole planes, of which these zones give {most} ranks at most"
    more = f'; decomposition = "{PENCILS}" gives more' if len(model.zones) == 3 else ""
    raise StudyError(f"{ranks} ranks are too many for hydro.zones {zones}: {why}{more}")


def _check_pencils(model: HydroTable, ranks: int, grid: str) -> None:
    zones = " × ".join(map(str, model.zones))
    most = min(model.zones[:2]), min(model.zones[1:])
    if grid != AUTO and shape_of(grid) not in pencil_grids(model.zones, ranks):
        raise StudyError(
            f'communication.process_grid = "{grid}" has more ranks along a side than hydro.zones '
            f"{zones} have along its axes; at most {grid_of(*most)} can"
        )
    if not pencil_grids(model.zones, ranks):
        reason = "" if ranks > most[0] * most[1] else f", and {ranks} ranks form no grid within it"
        raise StudyError(
            f"{ranks} ranks cannot share hydro.zones {zones} as pencils: the largest process grid "
            f"is {grid_of(*most)}, {most[0] * most[1]} ranks{reason}"
        )

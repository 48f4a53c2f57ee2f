"""The table [communication] of space charge: how charge is collected and the field shared.

docs/communication.md says what each value means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import declared, key
from phasewise.workload.communication import MACHINE, NODE_SIZE, ROW_FIRST, TUNE, Communication
from phasewise.workloads.spacecharge.model import SpaceCharge

ROUNDS = ("direct", "hypercube", "node-aware")
"""Algorithms of core/exchange; the others are collectives of the MPI library."""
CHARGES = ("reduce-scatter", "allreduce", *ROUNDS)
FIELDS = ("allgatherv", "gatherv-bcast", "allreduce", *ROUNDS)
SCHEDULES = ("ring", "pairwise")
TRANSPOSES = ("pairwise", "ring", "bruck", "alltoallw")
DECOMPOSITIONS = ("slabs", "pencils")


@dataclass(frozen=True, kw_only=True)
class SpaceChargeCommunication(Communication):
    """The keys of [communication]."""

    PLACING: ClassVar[tuple[str, ...]] = (*Communication.PLACING, "decomposition")
    ALGORITHMS: ClassVar[tuple[str, ...]] = ("charge", "field", "schedule", "transpose")
    LAYOUT: ClassVar[str] = ROW_FIRST

    charge: str = key("word", CHARGES[0], choices=CHARGES, flat=True)
    field: str = key("word", FIELDS[0], choices=FIELDS, flat=True)
    schedule: str = key("word", SCHEDULES[0], choices=SCHEDULES, flat=True)
    transpose: str = key("word", TRANSPOSES[0], choices=TRANSPOSES, flat=True)
    decomposition: str = key("word", DECOMPOSITIONS[0], choices=DECOMPOSITIONS, flat=True)
    """What a rank solves for: whole planes, or parts of them."""
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    @property
    def grid_text(self) -> str:
        """Each rank has a slab, or a pencil."""
        return self.decomposition

    def check_ranks(self, model: SpaceCharge, _ranks: int) -> None:
        """StudyError for pencils of a solver that has whole planes."""
        if model.solver.kind != "3d" and self.decomposition != DECOMPOSITIONS[0]:
            raise StudyError(
                f'communication.decomposition = "{self.decomposition}" belongs to '
                f'solver.kind = "3d", but is given with "{model.solver.kind}"'
            )


def across(ranks: int) -> int:
    """Ranks that share a plane in pencils: the largest divisor of `ranks` whose square is at most
    `ranks`.
    """
    return max(parts for parts in range(1, math.isqrt(ranks) + 1) if ranks % parts == 0)

"""The table [communication] of space charge: how charge is collected and the field shared.

docs/communication.md says what each value means.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from phasewise.tables.declared import declared, key, schema_of
from phasewise.tables.keys import check_table, with_defaults
from phasewise.workloads.communication import (
    MACHINE,
    NODE_SIZE,
    ROW_FIRST,
    TUNE,
    Communication,
    machine_in,
)

ROUNDS = ("direct", "hypercube", "node-aware")
"""Algorithms of core/comm; the others are collectives of the MPI library."""
CHARGES = ("reduce-scatter", "allreduce", *ROUNDS)
FIELDS = ("allgatherv", "gatherv-bcast", "allreduce", *ROUNDS)
SCHEDULES = ("ring", "pairwise")
TRANSPOSES = ("pairwise", "ring", "bruck", "alltoallw")


@dataclass(frozen=True, kw_only=True)
class SpaceChargeCommunication(Communication):
    """The keys of [communication]."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = ("charge", "field", "schedule", "transpose")

    charge: str = key("word", CHARGES[0], choices=CHARGES, flat=True)
    field: str = key("word", FIELDS[0], choices=FIELDS, flat=True)
    schedule: str = key("word", SCHEDULES[0], choices=SCHEDULES, flat=True)
    transpose: str = key("word", TRANSPOSES[0], choices=TRANSPOSES, flat=True)
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    @property
    def layout_text(self) -> str:
        """Slabs follow each other as the ranks do."""
        return ROW_FIRST

    @property
    def grid_text(self) -> str:
        """Each rank has a slab."""
        return "slabs"


def read_communication(table: object, folder: Path) -> SpaceChargeCommunication:
    """The table with every default filled in."""
    schema = schema_of(SpaceChargeCommunication)
    values = with_defaults(check_table(table, schema, "communication"), schema)
    return SpaceChargeCommunication(**machine_in(values, folder))

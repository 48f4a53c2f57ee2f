"""The table [communication] of serial kernels, which exchange nothing but their checks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from phasewise.tables.declared import declared, schema_of
from phasewise.tables.keys import check_table, with_defaults
from phasewise.workload.communication import MACHINE, NODE_SIZE, Communication, machine_in


@dataclass(frozen=True, kw_only=True)
class KernelsCommunication(Communication):
    """The keys of [communication]."""

    node_size: int = declared(NODE_SIZE)
    machine: str = declared(MACHINE)


def read_communication(table: object, folder: Path) -> KernelsCommunication:
    """The table with every default filled in."""
    schema = schema_of(KernelsCommunication)
    values = with_defaults(check_table(table, schema, "communication"), schema)
    return KernelsCommunication(**machine_in(values, folder))

"""What a machine must say about its messages before a protocol can be simulated or predicted."""

from __future__ import annotations

from phasewise.errors import StudyError
from phasewise.machines.machine import Machine
from phasewise.workloads.protocols import AS_PUT


def check_overhead(machine: Machine, protocol: str) -> None:
    """StudyError if a protocol differs from others by its costs alone, and the machine's file has
    none.
    """
    if protocol in AS_PUT and machine.overhead is None:
        raise StudyError(
            f'communication.protocol = "{protocol}" is simulated as "put" at costs of its own, '
            f"which the file of {machine.name} lacks: give it a table [overhead], or choose "
            '"put" or another machine'
        )

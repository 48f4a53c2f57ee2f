"""Which ways to exchange can be simulated or predicted, and what a machine's file must have for
it.
"""

from __future__ import annotations

from phasewise.errors import StudyError
from phasewise.machines.machine import Machine
from phasewise.workload.communication import Communication
from phasewise.workload.protocols import AS_PUT


def check_overhead(machine: Machine, communication: Communication) -> None:
    """StudyError if a way to exchange can only be measured, or if it differs from others only by
    the costs of its messages and the machine's file does not have them.
    """
    if communication.only_measured is not None:
        given, other = communication.only_measured
        raise StudyError(
            f"{given} is measured, not simulated or predicted: choose {other}, whose messages are "
            "the same"
        )
    if machine.overhead is not None:
        return
    protocol = str(getattr(communication, "protocol", ""))
    if protocol in AS_PUT:
        raise StudyError(
            f'communication.protocol = "{protocol}" is simulated as "put" at costs of its own, '
            f"which the file of {machine.name} lacks: give it a table [overhead], or choose "
            '"put" or another machine'
        )
    if communication.priced_by_overhead is not None:
        given, other = communication.priced_by_overhead
        raise StudyError(
            f"{given} differs from {other} by what each message costs, which the file of "
            f"{machine.name} lacks: give it a table [overhead], or choose {other} or another "
            "machine"
        )

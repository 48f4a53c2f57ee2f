"""How tables and pictures state what a machine's numbers refer to."""

from __future__ import annotations

from phasewise.machines.machine import Machine


def reference(machine: Machine) -> str:
    """What the machine's numbers refer to: measured hardware or a simulator."""
    return "hardware" if machine.is_hardware else "simulator"


def statement(machine: Machine) -> str:
    """A sentence for every table and picture on what the machine's numbers refer to."""
    if machine.is_hardware:
        return machine.title
    return f"{machine.title}: a described machine, whose reference is a simulator, not hardware"

"""What a machine's numbers are about, as every table and picture says it."""

from __future__ import annotations

from phasewise.machines.machine import Machine


def reference(machine: Machine) -> str:
    """What the machine's numbers are about: hardware that was measured, or else a simulator."""
    return "hardware" if machine.is_hardware else "simulator"


def statement(machine: Machine) -> str:
    """The same as a sentence, for every table and picture."""
    if machine.is_hardware:
        return machine.title
    return f"{machine.title}: a described machine, whose reference is a simulator, not hardware"

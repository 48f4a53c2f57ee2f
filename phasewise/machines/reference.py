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
    described = "a described machine, whose reference is a simulator, not hardware"
    return f"{machine.title}: {described}; {rates_statement(machine)}"


def rates_statement(machine: Machine) -> str:
    """What the intervals of a described machine say of its rates."""
    if not machine.uncertain:
        return "times and intervals are for these rates, whose uncertainty its file does not give"
    parts = (f"{name} (± {100 * part:g} %)" for name, part in machine.uncertain.items())
    return f"intervals take in the uncertainty of {', '.join(parts)}"


def for_rates(machine: Machine) -> str:
    """Words for the title of a table with intervals: empty where these take in what is uncertain,
    or where the rates were measured.
    """
    return "" if machine.is_hardware or machine.uncertain else " for these rates"

"""Machines as data: their files, their simulated twins, and a lower bound for the time of
messages.
"""

from phasewise.machines.curves import Curve, Line, Measured, find
from phasewise.machines.floor import Floor, floor
from phasewise.machines.machine import Machine, load_machine, machine_names
from phasewise.machines.topology import node_count, nodes_of, smallest_box
from phasewise.machines.twin import TWINS, Twin, make_ideal, make_twin

__all__ = [
    "TWINS",
    "Curve",
    "Floor",
    "Line",
    "Machine",
    "Measured",
    "Twin",
    "find",
    "floor",
    "load_machine",
    "machine_names",
    "make_ideal",
    "make_twin",
    "node_count",
    "nodes_of",
    "smallest_box",
]

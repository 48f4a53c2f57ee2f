"""Codes whose lattices can be lattice files of studies of space charge."""

from phasewise.workloads.spacecharge.importers.madx import translate as madx
from phasewise.workloads.spacecharge.importers.xsuite import translate as xsuite

CODES = {"madx": madx, "xsuite": xsuite}
"""Functions that translate a lattice, by the name of its code."""

"""Codes whose lattices can be lattice files of studies of space charge."""

from phasewise.study.importing import Importing
from phasewise.workloads.spacecharge.importers.madx import translate as madx
from phasewise.workloads.spacecharge.importers.xsuite import translate as xsuite


class SpaceChargeImporting(Importing):
    """The codes whose decks it can read."""

    CODES = {"madx": madx, "xsuite": xsuite}
    """Functions that translate a lattice, by the name of its code."""
